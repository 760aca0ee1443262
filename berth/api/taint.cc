#include "berth/api/taint.h"

#include <algorithm>

#include "berth/api/names.h"

namespace berth::api {

bool tolerates(const Toleration& toleration, const Taint& taint, bool comparison_operators) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  const std::string_view op = toleration.op.text();
  if (op.empty() || op == "Equal") return toleration.value == taint.value;
  if (op == "Exists") return true;
  if (!comparison_operators || (op != "Lt" && op != "Gt")) return false;
  const auto bound = parse_canonical_integer(toleration.value.text());
  const auto value = parse_canonical_integer(taint.value.text());
  if (!bound || !value) return false;
  return op == "Lt" ? *value < *bound : *value > *bound;
}

bool tolerates(std::span<const Toleration> tolerations, const Taint& taint, bool comparison_operators) {
  return std::ranges::any_of(
      tolerations, [&](const Toleration& toleration) { return tolerates(toleration, taint, comparison_operators); });
}

bool keeps_pods_off(const Taint& taint) {
  static const Symbol kNoSchedule("NoSchedule");
  static const Symbol kNoExecute("NoExecute");
  return taint.effect == kNoSchedule || taint.effect == kNoExecute;
}

bool is_prefer_no_schedule(const Taint& taint) {
  static const Symbol kPreferNoSchedule("PreferNoSchedule");
  return taint.effect == kPreferNoSchedule;
}

const Taint* find_untolerated_taint(std::span<const Taint> taints, std::span<const Toleration> tolerations,
                                    bool comparison_operators) {
  for (const Taint& taint : taints) {
    if (keeps_pods_off(taint) && !tolerates(tolerations, taint, comparison_operators)) return &taint;
  }
  return nullptr;
}

}  // namespace berth::api
