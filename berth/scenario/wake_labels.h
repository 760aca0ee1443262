// What the events are called that wake pods, for `woken by LABEL`.
#pragma once

#include <span>
#include <string_view>

namespace berth::scenario {

// All of them: what an event is about and what became of it, "NodeAdd". Those whose kind has a group are there with and
// without it: "storage.k8s.io/StorageClassAdd" is what the scheduler says, "StorageClassAdd" what people write.
std::span<const std::string_view> wake_labels();

std::string_view without_group(std::string_view label);

}  // namespace berth::scenario
