#include "berth/framework/registry.h"

#include <fmt/format.h>

#include <algorithm>

namespace berth::framework {

Result<void> PluginRegistry::add(Entry entry) {
  if (entries_.contains(entry.name)) return fail(fmt::format("a plugin named {} already exists", entry.name));
  std::string name = entry.name;
  entries_.emplace(std::move(name), std::move(entry));
  return {};
}

const PluginRegistry::Entry* PluginRegistry::find(std::string_view name) const {
  const auto it = entries_.find(name);
  return it == entries_.end() ? nullptr : &it->second;
}

std::vector<std::string_view> PluginRegistry::names() const {
  std::vector<std::string_view> all;
  for (const auto& [name, entry] : entries_) all.push_back(name);
  return all;
}

std::vector<config::PluginSpec> PluginRegistry::out_of_tree() const {
  std::vector<config::PluginSpec> specs;
  for (const auto& [name, entry] : entries_) {
    const auto is_same = [&](const config::PluginSpec& spec) { return spec.name == entry.name; };
    if (std::ranges::none_of(config::in_tree_plugins(), is_same)) specs.push_back({entry.name, entry.points});
  }
  return specs;
}

}  // namespace berth::framework
