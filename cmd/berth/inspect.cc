// `berth inspect [FILE...]`: what is in a cluster or in a dump of one. Reads YAML and JSON, several documents to a
// file, Lists and what `kubectl get ... -o yaml|json` prints; "-" is standard input. Without files the cluster is that
// of the kubeconfig.
#include <fmt/core.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berth/codec/documents.h"
#include "berth/codec/json.h"
#include "berth/inspect/cluster_summary.h"
#include "berth/inspect/render.h"
#include "berth/text/escape_json.h"
#include "cmd/berth/cluster_input.h"
#include "cmd/berth/command.h"

namespace berth::cmd {
namespace {

constexpr std::string_view kCommand = "berth inspect";

struct Options {
  std::vector<std::string> files;
  std::string output = "text";
  ClusterAccess cluster;
  bool all = false;
};

std::string to_json(const inspect::ClusterSummary& summary, const codec::Documents& documents) {
  std::string json = codec::to_json(summary, 2);
  std::vector<std::string> errors;
  for (const Error& error : documents.errors) errors.push_back(error.message());
  if (errors.empty()) return json;
  // The summary is an object that is never empty; the errors become its last member.
  json.erase(json.find_last_not_of("}\n ") + 1);
  return json + ",\n  \"errors\": " + codec::to_json(errors) + "\n}";
}

// Nodes and what is used of them are those of the whole cluster all the same.
void show_only(const std::string& name_space, inspect::ClusterSummary& summary) {
  const auto is_elsewhere = [&](const std::string& pod) { return !pod.starts_with(name_space + "/"); };
  std::erase_if(summary.classes, [&](const inspect::ClassSummary& row) { return row.name_space != name_space; });
  std::erase_if(summary.pending, [&](const inspect::PendingSummary& row) { return is_elsewhere(row.pod); });
  std::erase_if(summary.dangling, is_elsewhere);
}

int inspect_cluster(const Options& options, const text::Style& style) {
  if (const std::string wrong = contradiction_of(options.files, options.cluster, "FILEs"); !wrong.empty()) {
    return usage_failure(kCommand, wrong);
  }
  InternPool pool;
  const auto input = read_cluster(options.files, options.cluster, {.workloads = true}, "a FILE", pool);
  if (!input) return input_failure(kCommand, input.error());
  const codec::Documents& documents = input->documents;
  const std::string why = options.files.empty() ? "" : no_cluster_in(documents, options.files);
  inspect::ClusterSummary summary = inspect::summarize(documents.objects);
  if (!options.cluster.name_space.empty()) show_only(options.cluster.name_space, summary);
  if (options.output == "json") {
    fmt::print("{}\n", text::escaped_json(to_json(summary, documents)));
  } else {
    fmt::print("{}", inspect::render(summary, documents, {.all_rows = options.all, .style = style}));
  }
  print_notes(documents.notes);
  if (std::string owners = unknown_owners_text(documents); !owners.empty()) print_notes({std::move(owners)});
  if (!why.empty()) return failure(why);
  return documents.errors.empty() ? kExitOk : kExitFailure;
}

}  // namespace

void add_inspect(Program& program) {
  auto options = std::make_shared<Options>();
  CLI::App& command = *program.root().add_subcommand("inspect", "Describe a cluster, or the dump of one");
  command
      .add_option(
          "FILE", options->files,
          "YAML or JSON of any Kubernetes objects, or folders of it; - is standard input; without: the live cluster")
      ->type_name("FILE...");
  add_kubeconfig_options(command, options->cluster);
  command.get_option("--namespace")->description("List only the pods of this namespace; nodes have all of theirs");
  command.add_option("-o,--output", options->output, "Output format")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command.add_flag("--all", options->all, "Show all rows of long lists");
  command.footer(
      "Without FILEs the cluster is that of the kubeconfig that kubectl would take.\n"
      "Examples: berth inspect\n"
      "          kubectl get nodes,pods -A -o yaml | berth inspect -\n"
      "Exits with 1 if something could not be read.");
  program.set_action(command, [options](const text::Style& style) { return inspect_cluster(*options, style); });
}

}  // namespace berth::cmd
