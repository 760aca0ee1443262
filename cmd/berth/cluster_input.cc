#include "cmd/berth/cluster_input.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "berth/explain/words.h"
#include "berth/report/words.h"
#include "cmd/berth/command.h"
#include "cmd/berth/input.h"

namespace berth::cmd {
namespace {

constexpr std::size_t kMaxKinds = 4;

// A folder's manifests in order of their names; anything else is itself.
std::vector<std::string> files_of(const std::string& file) {
  std::error_code error;
  if (file == "-" || !std::filesystem::is_directory(file, error)) return {file};
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(file, error)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".yaml" || extension == ".yml" || extension == ".json") files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

codec::Documents read_objects(const std::vector<std::string>& files, InternPool& pool) {
  codec::DecodeOptions decode;
  decode.pool = &pool;
  codec::Documents documents;
  for (const std::string& given : files) {
    const std::vector<std::string> found = files_of(given);
    if (found.empty()) {
      documents.errors.push_back(Error("there is no *.yaml, *.yml or *.json file in it").in_file(given));
    }
    for (const std::string& file : found) {
      read_objects_into(file, decode, documents);
    }
  }
  return documents;
}

void read_objects_into(const std::string& file, const codec::DecodeOptions& decode, codec::Documents& documents) {
  if (const auto text = read_whole(file)) {
    codec::read_documents(*text, shown_name(file), decode, documents);
  } else {
    documents.errors.push_back(text.error());
  }
}

std::string unknown_kinds_text(const codec::Documents& documents) {
  if (documents.unknown_kinds.empty()) return "";
  std::size_t count = 0;
  std::vector<std::string> kinds;
  for (const auto& [kind, times] : documents.unknown_kinds) {
    count += times;
    kinds.push_back(fmt::format("{} ({})", kind, times));
  }
  return fmt::format("{} of kinds that Berth does not know {} left out: {}.",
                     report::count_of(static_cast<std::int64_t>(count), "object"), count == 1 ? "is" : "are",
                     explain::listed(kinds, kMaxKinds));
}

int complain_about(const codec::Documents& documents) {
  for (const Error& error : documents.errors) failure("left out: " + error.message());
  return documents.errors.empty() ? kExitOk : kExitFailure;
}

std::expected<report::Settings, std::vector<Error>> load_settings(const std::string& config_file,
                                                                  const std::string& feature_gates) {
  auto gates = config::FeatureGates::parse(feature_gates);
  if (!gates) {
    std::vector<Error> errors;
    for (const Error& error : gates.error()) errors.emplace_back("--feature-gates: " + error.message());
    return std::unexpected(std::move(errors));
  }
  report::Settings settings;
  settings.gates = *std::move(gates);
  settings.config = config::default_config({.gates = settings.gates});
  if (config_file.empty()) return settings;
  const auto text = read_whole(config_file);
  if (!text) return std::unexpected(std::vector<Error>{Error("cannot read " + text.error().message())});
  auto loaded = config::load_config(*text, {.gates = settings.gates});
  if (!loaded) return std::unexpected(loaded.error().errors(shown_name(config_file)));
  settings.config = *std::move(loaded);
  return settings;
}

}  // namespace berth::cmd
