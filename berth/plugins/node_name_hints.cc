#include "berth/plugins/node_name_hints.h"

#include "berth/plugins/names.h"

namespace berth::plugins {

std::vector<HintRegistration> node_name_hints(Symbol profile) {
  HintList hints(profile, name::kNodeName);
  hints.add_always(queue::resource::kNode, queue::action::kAdd);
  return std::move(hints).take();
}

}  // namespace berth::plugins
