#include "berth/config/write.h"

#include <fmt/format.h>

#include "berth/codec/json.h"
#include "berth/codec/yaml.h"

namespace berth::config {

namespace {

// {"kind":"...","apiVersion":"...",<the fields>}
std::string to_json(const ArgsKind& kind, const void* args) {
  const std::string fields = codec::to_json(*kind.type, args);
  const std::string_view rest = std::string_view(fields).substr(1);
  return fmt::format("{{\"kind\":\"{}\",\"apiVersion\":\"{}\"{}{}", kind.kind, kApiVersion, rest == "}" ? "" : ",",
                     rest);
}

// Go writes a list that is not there as null and an empty one as []. Of all lists that are written when empty, this is
// the only one whose struct does not tell the two apart.
std::string keep_empty_terms(std::string json, const api::RawJson& given) {
  constexpr std::string_view kNull = "\"nodeSelectorTerms\":null";
  constexpr std::string_view kEmpty = "\"nodeSelectorTerms\":[]";
  const std::size_t at = json.find(kNull);
  if (at != std::string::npos && given.text.find(kEmpty) != std::string::npos) json.replace(at, kNull.size(), kEmpty);
  return json;
}

SchedulerConfig with_written_arguments(const SchedulerConfig& config) {
  SchedulerConfig written = config;
  for (Profile& profile : written.profiles) {
    for (PluginConfig& plugin : profile.plugin_config) {
      for (const ArgsKind& kind : args_kinds()) {
        if (const void* args = kind.get(plugin.args))
          plugin.raw.text = keep_empty_terms(to_json(kind, args), plugin.raw);
      }
      if (plugin.raw.text.empty()) plugin.raw.text = "null";
    }
  }
  return written;
}

}  // namespace

std::string to_yaml(const SchedulerConfig& config) {
  return codec::to_yaml(with_written_arguments(config));
}

std::string to_json(const SchedulerConfig& config) {
  return codec::to_json(with_written_arguments(config));
}

}  // namespace berth::config
