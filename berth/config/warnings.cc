#include "berth/config/warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "berth/config/suggest.h"

namespace berth::config {

std::vector<Error> warnings_about(const LoadedConfig& loaded, std::span<const PluginSpec> out_of_tree) {
  std::vector<std::string_view> known;
  for (const PluginSpec& plugin : in_tree_plugins()) known.push_back(plugin.name);
  for (const PluginSpec& plugin : out_of_tree) known.push_back(plugin.name);
  std::vector<Error> warnings;
  for (std::size_t i = 0; i < loaded.all_arguments.size(); ++i) {
    for (std::size_t j = 0; j < loaded.all_arguments[i].size(); ++j) {
      const std::string& name = loaded.all_arguments[i][j].name;
      if (std::ranges::find(known, name) != known.end()) continue;
      Error warning(fmt::format("there is no plugin \"{}\", so these arguments are ignored", name));
      const std::string_view meant = nearest_name(name, known);
      if (!meant.empty()) warning = std::move(warning).with_fix(fmt::format("did you mean {}?", meant));
      warnings.push_back(std::move(warning).in(fmt::format("profiles[{}].pluginConfig[{}]", i, j)));
    }
  }
  return warnings;
}

}  // namespace berth::config
