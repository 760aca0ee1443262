// The "did you mean" of error messages, under the name by which configuration's readers know it.
#pragma once

#include "berth/base/nearest_name.h"

namespace berth::config {

using berth::nearest_name;

}  // namespace berth::config
