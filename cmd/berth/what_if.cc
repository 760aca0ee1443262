// `berth what-if [DUMP...]`: what would become of a real cluster if nodes were drained, added or removed, or objects
// applied or scaled. The cluster is that of the dumps, or without any that of the kubeconfig.
#include "berth/whatif/what_if.h"

#include <fmt/core.h>

#include <algorithm>
#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "berth/codec/json.h"
#include "berth/text/escape_json.h"
#include "cmd/berth/cluster_input.h"
#include "cmd/berth/command.h"
#include "cmd/berth/progress.h"

namespace berth::cmd {
namespace {

constexpr std::string_view kCommand = "berth what-if";

struct Options {
  std::vector<std::string> files;
  std::vector<std::string> drain;
  std::vector<std::string> remove;
  std::vector<std::string> add_nodes;
  std::vector<std::string> scale;
  std::vector<std::string> apply;
  std::string config_file;
  std::string feature_gates;
  std::string output = "text";
  ClusterAccess cluster;
  std::uint64_t seed = 1;
  bool all = false;
  std::string autoscaler;                 // how long a node takes; empty: there is none
  std::optional<std::int64_t> max_nodes;  // of node groups
};

Result<std::optional<whatif::AutoscalerUse>> read_autoscaler(const Options& options) {
  if (options.autoscaler.empty()) {
    if (options.max_nodes) return fail("--max-nodes is for the groups of --autoscaler");
    return std::nullopt;
  }
  whatif::AutoscalerUse use;
  use.max_nodes = options.max_nodes;
  const auto delay = Duration::parse(options.autoscaler);
  if (!delay || *delay < Duration()) {
    return fail(fmt::format("--autoscaler: expected a duration such as 90s, found \"{}\"", options.autoscaler));
  }
  use.add_after = *delay;
  return use;
}

// A file is meant where one of that name is there and no node or pool is.
std::expected<void, std::vector<Error>> find_model(whatif::NodesToAdd& nodes, const explain::Cluster& cluster,
                                                   InternPool& pool) {
  std::error_code ignored;
  const bool is_node = cluster.cache.nodes().row_of(Symbol(nodes.like)) != cache::kNoRow;
  if (is_node || !std::filesystem::is_regular_file(nodes.like, ignored)) return {};
  const codec::Documents documents = read_written_objects({nodes.like}, pool);
  if (!documents.errors.empty()) return std::unexpected(documents.errors);
  for (const api::AnyObject& object : documents.objects) {
    nodes.model = object.as<api::Node>();
    if (nodes.model != nullptr) return {};
  }
  return std::unexpected(std::vector<Error>{Error("there is no Node in it").in_file(nodes.like)});
}

// What is wrong with the command line, or with a file that it names.
struct Refusal {
  std::vector<Error> errors;
  bool is_of_file = false;
};

std::expected<whatif::Changes, Refusal> read_changes(const Options& options, const ClusterInput& input,
                                                     InternPool& pool, std::vector<std::string>& notes) {
  const auto misuse = [](std::string what) { return std::unexpected(Refusal{{Error(std::move(what))}, false}); };
  const auto bad_file = [](std::vector<Error> errors) { return std::unexpected(Refusal{std::move(errors), true}); };
  const codec::Documents& dump = input.documents;
  whatif::Changes changes;
  changes.drain = options.drain;
  changes.remove = options.remove;
  const explain::Cluster cluster(dump.objects);
  for (const std::string& text : options.add_nodes) {
    auto nodes = whatif::parse_nodes_to_add(text);
    if (!nodes) return misuse("--add-nodes: " + nodes.error().message());
    if (auto found = find_model(*nodes, cluster, pool); !found) return bad_file(found.error());
    changes.add_nodes.push_back(*std::move(nodes));
  }
  for (const std::string& text : options.scale) {
    auto scaling = whatif::parse_scaling(text);
    if (!scaling) return misuse("--scale: " + scaling.error().message());
    changes.scale.push_back(*std::move(scaling));
  }
  if (!options.apply.empty()) {
    codec::Documents documents = read_written_objects(options.apply, pool);
    if (!documents.errors.empty()) return bad_file(std::move(documents.errors));
    if (documents.objects.empty()) {
      return bad_file(
          {Error("there are no objects in it").with_fix(unknown_kinds_text(documents)).in_file(options.apply.front())});
    }
    if (std::string note = unknown_kinds_text(documents); !note.empty()) notes.push_back(std::move(note));
    set_namespace(documents.objects, input.name_space);
    changes.apply = std::move(documents.objects);
  }
  return changes;
}

// The error, or why what it misses could not be read.
Error or_unreadable_object(const Error& error, const codec::Documents& dump) {
  for (const codec::UnreadableObject& each : dump.unreadable) {
    const bool is_missed =
        error.what() == fmt::format("there is no {} {} in what was read", each.kind, each.name) ||
        (each.kind == "Node" && error.what() == fmt::format("there is no node and no pool {}", each.name));
    if (is_missed) return or_unreadable(error, dump, each.kind, each.name);
  }
  return or_unreadable_class(error, dump);
}

int ask_what_if(const Options& options, const text::Style& style) {
  const auto autoscaler = read_autoscaler(options);
  if (!autoscaler) return usage_failure(kCommand, autoscaler.error().message());
  auto settings = load_settings(options.config_file, options.feature_gates);
  if (!settings) {
    for (const Error& error : settings.error()) failure(error.message());
    return kExitUsage;
  }
  if (const std::string wrong = contradiction_of(options.files, options.cluster, "DUMPs"); !wrong.empty()) {
    return usage_failure(kCommand, wrong);
  }
  if (options.drain.empty() && options.remove.empty() && options.add_nodes.empty() && options.apply.empty() &&
      options.scale.empty() && !*autoscaler) {
    return usage_failure(
        kCommand, "what is to be different? Give --drain, --remove, --add-nodes, --apply, --scale or --autoscaler");
  }
  InternPool pool;
  const auto input = read_cluster(options.files, options.cluster, {.workloads = true}, "a DUMP", pool);
  if (!input) return input_failure(kCommand, input.error());
  const codec::Documents& dump = input->documents;
  if (const std::string why = no_cluster_in(dump, options.files); !why.empty()) return failure(why);
  std::vector<std::string> notes;
  const auto changes = read_changes(options, *input, pool, notes);
  if (!changes && changes.error().is_of_file) return complain(changes.error().errors);
  if (!changes) return usage_failure(kCommand, changes.error().errors.front().message());
  Progress progress("Simulating the cluster with and without the change");
  auto difference = whatif::what_if(
      dump.objects, *changes, {.settings = *std::move(settings), .seed = options.seed, .autoscaler = *autoscaler});
  progress.end();
  if (!difference) {
    // What is missed may be there and not readable.
    failure(or_unreadable_object(difference.error(), dump).message());
    complain_about(dump);
    return kExitFailure;
  }
  difference->notes.insert(difference->notes.end(), notes.begin(), notes.end());
  for (std::string& note : notes_about(dump)) difference->notes.push_back(std::move(note));

  if (options.output == "json") {
    fmt::print("{}\n", text::escaped_json(codec::to_json(*difference, 2)));
  } else {
    fmt::print("{}", whatif::to_text(*difference, {.all = options.all, .style = style}));
  }
  const int exit_code = complain_about(dump);
  return exit_code == kExitOk && !difference->ok ? kExitBadVerdict : exit_code;
}

}  // namespace

void add_what_if(Program& program) {
  auto options = std::make_shared<Options>();
  CLI::App& command =
      *program.root().add_subcommand("what-if", "Say what would become of a cluster if something were different");
  command
      .add_option(
          "DUMP", options->files,
          "YAML or JSON of the cluster's objects, or folders of it; - is standard input; without: the live cluster")
      ->type_name("DUMP...");
  add_kubeconfig_options(command, options->cluster);
  const auto add = [&](const char* name, std::vector<std::string>& into, const char* what, const char* form) {
    command.add_option(name, into, what)->type_name(form)->allow_extra_args(false);
  };
  add("--drain", options->drain, "Evict the pods of a node, a pool, or nodes by pattern (web-*)", "NODE");
  add("--remove", options->remove, "Drain and take away a pool, a node, or nodes by pattern", "POOL");
  add("--add-nodes", options->add_nodes, "Add N nodes like a node, like those of a pool, or from a file", "TEMPLATE=N");
  add("--apply", options->apply, "Create or change the objects of a file", "FILE");
  add("--scale", options->scale, "Set the number of pods of a workload: deployment/web=5", "KIND/NAME=N");
  command.add_flag("--autoscaler{90s}", options->autoscaler,
                   "Let an autoscaler add and remove nodes of the groups in the dump; --autoscaler=DELAY says how long "
                   "a node takes, which is 90s otherwise");
  command
      .add_option("--max-nodes", options->max_nodes, "How large a group whose maximum is not in the dump may become")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{0}, whatif::kMaxNodesToAdd));
  command.add_option("--config", options->config_file, "KubeSchedulerConfiguration; the defaults without one")
      ->type_name("FILE");
  command.add_option("--feature-gates", options->feature_gates, "As for kube-scheduler: A=true,B=false");
  command.add_option("--seed", options->seed, "Of the choice between equal nodes")
      ->type_name("N")
      ->check(seed_check())
      ->capture_default_str();
  command.add_option("-o,--output", options->output, "Output format")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command.add_flag("--all", options->all, "Name all pods of long lists");
  command.footer(
      "Without DUMPs the cluster is that of the kubeconfig that kubectl would take.\n"
      "Examples: berth what-if --drain node-1\n"
      "          kubectl get all,nodes,pvc,pv,sc,csinodes,pdb,priorityclasses,ns -A -o yaml > dump.yaml\n"
      "          berth what-if dump.yaml --drain node-1\n"
      "Exits with 0 if every verdict is ok, with 3 if one is not, and with 1 if there is no answer or something could\n"
      "not be read.");
  program.set_action(command, [options](const text::Style& style) { return ask_what_if(*options, style); });
}

}  // namespace berth::cmd
