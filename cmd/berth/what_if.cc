// `berth sim --what-if DUMP...`: what would become of a real cluster if nodes were drained, added or removed, or
// objects applied or scaled.
#include "berth/whatif/what_if.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "berth/codec/json.h"
#include "cmd/berth/cluster_input.h"
#include "cmd/berth/command.h"
#include "cmd/berth/sim_command.h"

namespace berth::cmd {
namespace {

struct WhatIfInput {
  bool is_chosen = false;
  std::vector<std::string> drain;
  std::vector<std::string> remove;
  std::vector<std::string> add_nodes;
  std::vector<std::string> scale;
  std::vector<std::string> apply;
  std::string config_file;
  std::string feature_gates;
  bool all = false;
};

int usage_error(std::string_view message) {
  fmt::print(stderr, "berth: {}\nRun 'berth sim --help' for usage.\n", message);
  return kExitUsage;
}

// A file is meant where one of that name is there and no node or pool is.
Result<void> find_model(whatif::NodesToAdd& nodes, const explain::Cluster& cluster, InternPool& pool) {
  std::error_code ignored;
  const bool is_node = cluster.cache.nodes().row_of(Symbol(nodes.like)) != cache::kNoRow;
  if (is_node || !std::filesystem::is_regular_file(nodes.like, ignored)) return {};
  const codec::Documents documents = read_objects({nodes.like}, pool);
  if (!documents.errors.empty()) return fail(documents.errors.front());
  for (const api::AnyObject& object : documents.objects) {
    nodes.model = object.as<api::Node>();
    if (nodes.model != nullptr) return {};
  }
  return fail(Error("there is no Node in it").in_file(nodes.like));
}

Result<whatif::Changes> read_changes(const WhatIfInput& input, const codec::Documents& dump, InternPool& pool,
                                     std::vector<std::string>& notes) {
  whatif::Changes changes;
  changes.drain = input.drain;
  changes.remove = input.remove;
  const explain::Cluster cluster(dump.objects);
  for (const std::string& text : input.add_nodes) {
    auto nodes = whatif::parse_nodes_to_add(text);
    if (!nodes) return fail(Error("--add-nodes: " + nodes.error().message()));
    if (auto found = find_model(*nodes, cluster, pool); !found) return fail(found.error());
    changes.add_nodes.push_back(*std::move(nodes));
  }
  for (const std::string& text : input.scale) {
    auto scaling = whatif::parse_scaling(text);
    if (!scaling) return fail(Error("--scale: " + scaling.error().message()));
    changes.scale.push_back(*std::move(scaling));
  }
  if (!input.apply.empty()) {
    codec::Documents documents = read_objects(input.apply, pool);
    if (!documents.errors.empty()) return fail(documents.errors.front());
    if (documents.objects.empty()) return fail(Error("there are no objects in it").in_file(input.apply.front()));
    if (std::string note = unknown_kinds_text(documents); !note.empty()) notes.push_back(std::move(note));
    changes.apply = std::move(documents.objects);
  }
  return changes;
}

int run_what_if(const WhatIfInput& input, const SimOptions& shared) {
  if (shared.files.empty()) return usage_error("--what-if: of which cluster? Give one or more dumps");
  auto settings = load_settings(input.config_file, input.feature_gates);
  if (!settings) {
    for (const Error& error : settings.error()) failure(error.message());
    return kExitUsage;
  }
  InternPool pool;
  const codec::Documents dump = read_objects(shared.files, pool);
  if (dump.objects.empty()) {
    return failure(dump.errors.empty() ? "there are no objects in what was read" : dump.errors.front().message());
  }
  std::vector<std::string> notes;
  const auto changes = read_changes(input, dump, pool, notes);
  if (!changes) return usage_error(changes.error().message());
  if (changes->empty()) {
    return usage_error("--what-if: what is to be different? Give --drain, --remove, --add-nodes, --apply or --scale");
  }
  auto difference =
      whatif::what_if(dump.objects, *changes, {.settings = *std::move(settings), .seed = shared.seed.value_or(1)});
  if (!difference) return failure(difference.error().message());
  difference->notes.insert(difference->notes.end(), notes.begin(), notes.end());
  if (std::string note = unknown_kinds_text(dump); !note.empty()) difference->notes.push_back(std::move(note));

  if (shared.output == "json") {
    fmt::print("{}\n", codec::to_json(*difference, 2));
  } else {
    fmt::print("{}", whatif::to_text(*difference, {.all = input.all}));
  }
  return complain_about(dump);
}

}  // namespace

SimMode add_what_if_mode(CLI::App& command, const std::shared_ptr<const SimOptions>& shared) {
  auto input = std::make_shared<WhatIfInput>();
  const CLI::Option* chosen =
      command.add_flag("--what-if", input->is_chosen,
                       "The FILEs are a dump of a cluster: say what would be different with these changes");
  std::vector<const CLI::Option*> own;
  const auto add = [&](const char* name, std::vector<std::string>& into, const char* what, const char* form) {
    own.push_back(command.add_option(name, into, what)->type_name(form)->allow_extra_args(false));
  };
  add("--drain", input->drain, "Evict the pods of a node, a pool, or nodes by pattern (web-*)", "NODE");
  add("--add-nodes", input->add_nodes, "Add N nodes like a node, like those of a pool, or from a file", "TEMPLATE=N");
  add("--remove", input->remove, "Drain and take away a pool, a node, or nodes by pattern", "POOL");
  add("--apply", input->apply, "Create or change the objects of a file", "FILE");
  add("--scale", input->scale, "Set the number of pods of a workload: deployment/web=5", "KIND/NAME=N");
  own.push_back(command.add_option("--config", input->config_file, "KubeSchedulerConfiguration, for --what-if")
                    ->type_name("FILE"));
  own.push_back(command.add_option("--feature-gates", input->feature_gates,
                                   "As for kube-scheduler: A=true,B=false; with --what-if"));
  own.push_back(command.add_flag("--all", input->all, "Name all pods of long lists, with --what-if"));
  return {.chosen_by = chosen,
          .goes_with = std::move(own),
          .takes = {"FILE", "--output", "--seed"},
          .run = [input, shared] { return run_what_if(*input, *shared); }};
}

}  // namespace berth::cmd
