// `berth capacity FILE... --pod FILE`: how many more of a pod the cluster of a dump can take, and what stops the next.
#include "berth/whatif/capacity.h"

#include <fmt/core.h>

#include <memory>
#include <string>
#include <vector>

#include "berth/codec/json.h"
#include "cmd/berth/cluster_input.h"
#include "cmd/berth/command.h"

namespace berth::cmd {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string pod_file;
  std::string config_file;
  std::string feature_gates;
  std::string output = "text";
  std::int64_t limit = 0;
  std::uint64_t seed = 1;
  bool preemption = false;
  bool all = false;
};

int complain(const std::vector<Error>& errors) {
  for (const Error& error : errors) failure(error.message());
  return kExitUsage;
}

Result<whatif::Probe> read_probe(const Options& options, InternPool& pool, const cache::ClusterObjects& objects) {
  const codec::Documents documents = read_objects({options.pod_file}, pool);
  if (!documents.errors.empty()) return fail(documents.errors.front());
  auto probe = whatif::probe_of(documents.objects, objects);
  const std::string_view name = options.pod_file == "-" ? "standard input" : std::string_view(options.pod_file);
  if (!probe) return fail(Error(probe.error()).in_file(name));
  return probe;
}

int find_capacity(const Options& options) {
  const auto settings = load_settings(options.config_file, options.feature_gates);
  if (!settings) return complain(settings.error());
  InternPool pool;
  const codec::Documents documents = read_objects(options.files, pool);
  if (documents.objects.empty() && !documents.errors.empty()) return failure(documents.errors.front().message());
  explain::Cluster cluster(documents.objects);
  const auto probe = read_probe(options, pool, cluster.objects);
  if (!probe) return failure(probe.error().message());
  auto capacity = whatif::capacity_of(cluster, *probe, *settings,
                                      {.limit = options.limit, .preemption = options.preemption, .seed = options.seed});
  if (!capacity) return failure(capacity.error().message());
  if (std::string note = unknown_kinds_text(documents); !note.empty()) capacity->notes.push_back(std::move(note));

  if (options.output == "json") {
    fmt::print("{}\n", codec::to_json(*capacity, 2));
  } else {
    fmt::print("{}", whatif::to_text(*capacity, {.all_nodes = options.all}));
  }
  return complain_about(documents);
}

}  // namespace

void add_capacity(Program& program) {
  auto options = std::make_shared<Options>();
  CLI::App& command =
      *program.root().add_subcommand("capacity", "Say how many more of a pod fit, and what stops the next one");
  command.add_option("FILE", options->files, "YAML or JSON of the cluster's objects; - is standard input")
      ->type_name("FILE...")
      ->required();
  command.add_option("--pod", options->pod_file, "Manifest of the pod, or of a workload with its template")
      ->type_name("FILE")
      ->required();
  command.add_option("--limit", options->limit, "Stop after N of them; 0: place as many as fit")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
  command.add_flag("--preemption", options->preemption, "Let it evict pods of a lower priority");
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
  command.add_flag("--all", options->all, "Name all nodes of long lists");
  command.footer(
      "Example: kubectl get nodes,pods,pvc,pv,sc,csinodes,pdb,priorityclasses,ns,rs,sts,svc -A -o yaml |\n"
      "           berth capacity - --pod web.yaml\n"
      "Exits with 0 if there is an answer, also if none fits, and with 1 if not, or if something could not be read.");
  program.set_action(command, [options] { return find_capacity(*options); });
}

}  // namespace berth::cmd
