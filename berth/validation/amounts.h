// Amounts that are not absurd: how much of a resource can be counted without overflow, and how objects of a dump are
// brought within that.
//
// A scheduler adds up 64-bit numbers, as kube-scheduler does, and such a sum must not wrap. An amount that leaves room
// for eight thousand of its kind is far beyond any machine (1 PiB of memory, a trillion cores), so that a larger one is
// a slip of the pen: an error where somebody wrote it, a note where it comes from a dump.
#pragma once

#include <string>
#include <vector>

#include "berth/api/object.h"
#include "berth/api/quantity.h"

namespace berth::validation {

// 2^50 units: thousandths of a core for cpu, bytes or pieces for anything else. Sizes of volumes are compared and not
// added up, and a file system may well claim to be endless: they may be up to 2^63-1.
const api::Quantity& largest_amount(Symbol resource);

// Replaces amounts of nodes, pods, claims and volumes that are negative, by 0, or too large to be counted, by the
// largest. Returns a sentence for each object that was changed, in order.
std::vector<std::string> limit_amounts(std::vector<api::AnyObject>& objects);

}  // namespace berth::validation
