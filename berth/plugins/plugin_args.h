// A plugin's arguments, as its factory wants them.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "berth/config/args_validation.h"
#include "berth/config/defaults.h"
#include "berth/config/field_error.h"
#include "berth/framework/registry.h"

namespace berth::plugins {

// The defaults if the configuration has none. The error has kube-scheduler's text; arguments of another kind, or that
// nobody has decoded, are one as well.
template <typename Args>
Result<Args> args_of(std::string_view plugin, const framework::PluginContext& context) {
  config::PluginConfig given{.name = std::string(plugin), .raw = {}, .args = context.args};
  if (std::holds_alternative<std::monostate>(given.args)) {
    given.args = Args{};
    config::set_defaults(given.args, context.gates);
  } else if (!std::holds_alternative<Args>(given.args)) {
    return fail(fmt::format("pluginConfig: the args of plugin {} are not of type {}Args", plugin, plugin));
  }
  const std::vector<Error> problems = config::validate_args(config::Path(), given, context.gates);
  if (!problems.empty()) return fail(config::aggregate(problems));
  return std::get<Args>(std::move(given.args));
}

}  // namespace berth::plugins
