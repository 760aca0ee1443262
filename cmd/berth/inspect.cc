// `berth inspect FILE...`: what is in a dump of a cluster. Reads YAML and JSON, several documents to a file, Lists and
// what `kubectl get ... -o yaml|json` prints; "-" is standard input.
#include <fmt/core.h>

#include <memory>
#include <string>
#include <vector>

#include "berth/codec/documents.h"
#include "berth/codec/json.h"
#include "berth/inspect/cluster_summary.h"
#include "berth/inspect/render.h"
#include "cmd/berth/cluster_input.h"
#include "cmd/berth/command.h"

namespace berth::cmd {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string output = "text";
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

int inspect_files(const Options& options) {
  InternPool pool;
  const codec::Documents documents = read_objects(options.files, pool);
  if (documents.objects.empty() && !documents.errors.empty()) return failure(documents.errors.front().message());
  const inspect::ClusterSummary summary = inspect::summarize(documents.objects);
  if (options.output == "json") {
    fmt::print("{}\n", to_json(summary, documents));
  } else {
    fmt::print("{}", inspect::render(summary, documents, {.all_rows = options.all}));
  }
  return documents.errors.empty() ? kExitOk : kExitFailure;
}

}  // namespace

void add_inspect(Program& program) {
  auto options = std::make_shared<Options>();
  CLI::App& command = *program.root().add_subcommand("inspect", "Describe the cluster in a dump of its objects");
  command
      .add_option("FILE", options->files,
                  "YAML or JSON of any Kubernetes objects, or folders of it; - is standard input")
      ->required();
  command.add_option("-o,--output", options->output, "Output format")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command.add_flag("--all", options->all, "Show all rows of long lists");
  command.footer(
      "Example: kubectl get nodes,pods -A -o yaml | berth inspect -\n"
      "Exits with 1 if something could not be read.");
  program.set_action(command, [options] { return inspect_files(*options); });
}

}  // namespace berth::cmd
