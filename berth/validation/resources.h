// Resource names and amounts: what containers may ask for, and how much of it. Internal to this folder, but for
// kMaxAmount.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "berth/api/pod.h"
#include "berth/validation/checks.h"

namespace berth::validation {

// What is wrong with an amount of a resource by itself; the path is that of the list that it is in.
void check_amount(Symbol resource, const api::Quantity& amount, const Path& list, Errors& errors);

// The requests and limits of a container.
void check_container_resources(const api::ResourceRequirements& resources, const Path& path, Errors& errors);

}  // namespace berth::validation
