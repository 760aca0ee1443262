// What is doubtful about the objects of a dump. A dump is read leniently: an API server has accepted what is in it. If
// somebody wrote or changed it by hand, though, an effect or operator that does not exist silently means nothing, and
// an absurd amount would overflow; so the second is put right, and both are said.
#pragma once

#include <string>
#include <vector>

#include "berth/api/object.h"

namespace berth::validation {

// Brings amounts within bounds (amounts.h) and returns a sentence for each object that was changed or that an API
// server would refuse for a value of a node, a pod or a budget; the first few, and how many more there are.
std::vector<std::string> tidy_dump(std::vector<api::AnyObject>& objects);

}  // namespace berth::validation
