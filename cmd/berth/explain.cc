// `berth explain POD`: where a pod would go, or what it waits for. The cluster is that of a dump (--from), of a
// kubeconfig, or the one that a Berth daemon schedules (--server), which also knows what it has tried.
//
// Files are read as by `berth inspect`: YAML and JSON, several documents to a file, Lists; "-" is standard input, and a
// folder stands for the *.yaml, *.yml and *.json files in it. A live cluster is listed and then treated as a dump.
#include "berth/explain/explain.h"

#include <fmt/core.h>

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/codec/documents.h"
#include "berth/codec/json.h"
#include "berth/config/load.h"
#include "berth/explain/cluster.h"
#include "berth/explain/pod_defaults.h"
#include "berth/explain/render.h"
#include "cmd/berth/cluster_access.h"
#include "cmd/berth/cluster_input.h"
#include "cmd/berth/command.h"
#include "cmd/berth/input.h"

namespace berth::cmd {
namespace {

struct Options {
  std::string pod;
  std::vector<std::string> files;
  std::string pod_file;
  std::string config_file;
  std::string feature_gates;
  std::string output = "text";
  bool all = false;
  ClusterAccess cluster;
};

// Nothing was looked at: the command line is wrong.
int usage_error(std::string_view message) {
  failure(message);
  return kExitUsage;
}

// The pod in question: the one of the file, or the one of that name in the cluster.
Result<api::PodPtr> find_pod(const Options& options, const codec::DecodeOptions& decode,
                             const explain::Cluster& cluster) {
  if (options.pod_file.empty()) return cluster.find_pod(options.pod);
  codec::Documents documents;
  read_objects_into(options.pod_file, decode, documents);
  if (!documents.errors.empty()) return fail(documents.errors.front());
  // Of several documents, the first that has something to do with pods.
  Result<api::PodPtr> pod = fail(Error("there is no pod in it").in_file(shown_name(options.pod_file)));
  for (const api::AnyObject& object : documents.objects) {
    if (auto found = explain::pod_of_manifest(object)) {
      pod = explain::with_api_defaults(**found, cluster.objects);
      if (!pod) return fail(Error(pod.error()).in_file(shown_name(options.pod_file)));
      return pod;
    }
    if (documents.objects.size() == 1) {
      pod = fail(Error(explain::pod_of_manifest(object).error()).in_file(shown_name(options.pod_file)));
    }
  }
  return pod;
}

// A usage error if the options contradict each other; empty if not.
std::string contradiction(const Options& options) {
  if (options.pod.empty() == options.pod_file.empty()) {
    return options.pod.empty() ? "which pod? Give NAMESPACE/NAME or --pod-file FILE"
                               : "give NAMESPACE/NAME or --pod-file, not both";
  }
  if (!options.files.empty() && (options.cluster.names_a_cluster() || !options.cluster.server.empty())) {
    return "give --from, or a cluster with --kubeconfig, --context or --server, not both";
  }
  if (!options.cluster.server.empty() && (!options.pod_file.empty() || !options.config_file.empty())) {
    return "--pod-file and --config do not go with --server: the daemon knows its pods and its configuration";
  }
  return "";
}

int print_answer_of_daemon(const Options& options) {
  const auto answer = ask_daemon(options.cluster, options.pod);
  if (!answer) return failure(answer.error().message());
  const std::string& shown = options.output == "json" ? answer->json : answer->text;
  fmt::print("{}{}", shown, shown.ends_with('\n') ? "" : "\n");
  return kExitOk;
}

int explain_pod(Options options) {
  if (const std::string wrong = contradiction(options); !wrong.empty()) return usage_error(wrong);
  if (!options.cluster.server.empty()) return print_answer_of_daemon(options);
  const auto gates = config::FeatureGates::parse(options.feature_gates);
  if (!gates) {
    for (const Error& error : gates.error()) usage_error("--feature-gates: " + error.message());
    return kExitUsage;
  }
  config::LoadedConfig config = config::default_config({.gates = *gates});
  if (!options.config_file.empty()) {
    const auto text = read_whole(options.config_file);
    if (!text) return usage_error("cannot read " + text.error().message());
    auto loaded = config::load_config(*text, {.gates = *gates});
    if (!loaded) {
      for (const Error& error : loaded.error().errors(shown_name(options.config_file))) failure(error.message());
      return kExitFailure;
    }
    config = std::move(*loaded);
  }

  InternPool pool;
  codec::DecodeOptions decode;
  decode.pool = &pool;
  codec::Documents documents;
  if (!options.files.empty()) {
    documents = read_objects(options.files, pool);
    if (documents.objects.empty() && !documents.errors.empty()) return failure(documents.errors.front().message());
  } else {
    const auto endpoint = cluster_endpoint(options.cluster);
    if (!endpoint)
      return usage_error("which cluster? Give --from FILE, or a kubeconfig: " + endpoint.error().message());
    auto listed = list_cluster(*endpoint, pool);
    if (!listed) return failure(listed.error().message());
    documents = *std::move(listed);
    // As for kubectl, a name alone is one of the context's namespace.
    const bool is_alone = !options.pod.empty() && options.pod.find('/') == std::string::npos;
    if (is_alone && !endpoint->name_space.empty()) options.pod = endpoint->name_space + "/" + options.pod;
  }
  explain::Cluster cluster(documents.objects);
  const auto pod = find_pod(options, decode, cluster);
  if (!pod) return failure(pod.error().message());
  const auto explanation = explain::explain(cluster, *pod, config, *gates);
  if (!explanation) return failure(explanation.error().message());

  if (options.output == "json") {
    fmt::print("{}\n", codec::to_json(*explanation, 2));
  } else {
    fmt::print("{}", explain::render(*explanation, {.all_nodes = options.all}));
  }
  return complain_about(documents);
}

}  // namespace

void add_explain(Program& program) {
  auto options = std::make_shared<Options>();
  CLI::App& command =
      *program.root().add_subcommand("explain", "Say where a pod would go, or what it waits for and what would help");
  command.add_option("POD", options->pod, "NAMESPACE/NAME of a pod in the cluster");
  command.add_option("--from", options->files, "YAML or JSON of the cluster's objects; - is standard input")
      ->type_name("FILE...");
  add_cluster_options(command, options->cluster);
  command.add_option("--pod-file", options->pod_file, "Manifest of a pod (or of its workload) that is not there yet")
      ->type_name("FILE");
  command.add_option("--config", options->config_file, "KubeSchedulerConfiguration; the defaults without one")
      ->type_name("FILE");
  command.add_option("--feature-gates", options->feature_gates, "As for kube-scheduler: A=true,B=false");
  command.add_option("-o,--output", options->output, "Output format")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command.add_flag("--all", options->all, "Name all nodes of long lists");
  command.footer(
      "The cluster is that of --from, or of the kubeconfig that kubectl would take; --server asks the Berth daemon in\n"
      "it, which also says what it has tried and when it tries again.\n"
      "Examples: berth explain shop/web-1\n"
      "          kubectl get nodes,pods,pvc,pv,sc,csinodes,pdb,priorityclasses,ns,rs,sts,svc -A -o yaml |\n"
      "            berth explain shop/web-1 --from -\n"
      "Exits with 0 if there is an answer, whatever it is, and with 1 if not, or if something could not be read.");
  program.set_action(command, [options] { return explain_pod(*options); });
}

}  // namespace berth::cmd
