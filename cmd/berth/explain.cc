// `berth explain POD`: where a pod would go, or what it waits for; without a pod, all pending pods by cause. The
// cluster is that of a dump (--from), of a kubeconfig, or the one that a Berth daemon schedules (--server), which also
// knows what it has tried.
//
// Files are read as by `berth inspect`: YAML and JSON, several documents to a file, Lists; "-" is standard input, and a
// folder stands for the *.yaml, *.yml and *.json files in it. A live cluster is listed and then treated as a dump.
#include "berth/explain/explain.h"

#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/label_selector_text.h"
#include "berth/codec/documents.h"
#include "berth/codec/json.h"
#include "berth/config/load.h"
#include "berth/daemon/endpoints_view.h"
#include "berth/explain/cluster.h"
#include "berth/explain/daemon_set.h"
#include "berth/explain/probe.h"
#include "berth/explain/render.h"
#include "berth/text/escape.h"
#include "berth/text/escape_json.h"
#include "cmd/berth/cluster_access.h"
#include "cmd/berth/cluster_input.h"
#include "cmd/berth/command.h"
#include "cmd/berth/explain_pending.h"
#include "cmd/berth/input.h"
#include "cmd/berth/manifest.h"
#include "cmd/berth/progress.h"

namespace berth::cmd {
namespace {

constexpr std::string_view kCommand = "berth explain";

struct Options {
  std::string pod;
  std::vector<std::string> files;
  std::string pod_file;
  std::string name;
  std::string config_file;
  std::string feature_gates;
  std::string output = "text";
  bool all = false;
  PendingOptions pending;
  ClusterAccess cluster;

  bool is_about_one_pod() const { return !pod.empty() || !pod_file.empty(); }
};

// What the answer goes by.
struct Scheduler {
  config::FeatureGates gates;
  config::LoadedConfig config;
};

struct Question {
  api::PodPtr pod;
  std::shared_ptr<const api::DaemonSet> daemon_set;  // whose pods these are; null if it is about one pod
  std::vector<std::string> notes;
};

// The pod in question: the one of the file, or the one of that name in the cluster, which is that of `input`. The
// errors are ready to be printed.
std::expected<Question, std::vector<Error>> find_pod(const Options& options, const ClusterInput& input,
                                                     InternPool& pool, explain::Cluster& cluster) {
  const auto wrong = [](Error error) { return std::unexpected(std::vector<Error>{std::move(error)}); };
  if (options.pod_file.empty()) {
    const std::string name = input.full_name(options.pod);
    auto pod = cluster.find_pod(name);
    if (pod) return Question{.pod = *std::move(pod), .daemon_set = nullptr, .notes = {}};
    const std::string unreadable = unreadable_text(input.documents, "Pod", name);
    return wrong(unreadable.empty() ? pod.error() : Error(unreadable));
  }
  auto manifest = read_manifest(options.pod_file, options.name, pool);
  if (!manifest) return std::unexpected(manifest.error());
  set_namespace(manifest->objects, input.name_space);
  auto probe = explain::Probe::make(manifest->objects, input.documents.objects);
  if (!probe) return wrong(Error(probe.error()).in_file(shown_name(options.pod_file)));
  auto pod = probe->make_pod(cluster);
  if (!pod) return wrong(or_unreadable_class(pod.error(), input.documents).in_file(shown_name(options.pod_file)));
  Question question{.pod = *std::move(pod), .daemon_set = probe->daemon_set(), .notes = probe->notes()};
  if (!manifest->note.empty()) question.notes.push_back(manifest->note);
  return question;
}

// A usage error if the options contradict each other; empty if not.
std::string contradiction(const Options& options) {
  if (!options.pod.empty() && !options.pod_file.empty()) return "give NAMESPACE/NAME or --pod-file, not both";
  if (const std::string name = options.pending.only_for_lists(); options.is_about_one_pod() && !name.empty()) {
    return fmt::format("{} is about all pending pods: give it without {}", name,
                       options.pod.empty() ? "--pod-file" : "a pod");
  }
  if (options.pending.all_namespaces && !options.cluster.name_space.empty()) {
    return "give --namespace or --all-namespaces, not both";
  }
  if (!options.files.empty() && !options.cluster.server.empty()) return "give --from or --server, not both";
  if (!options.files.empty() && options.pending.watch) {
    return "--watch asks a cluster again and again: give it without --from";
  }
  if (!options.name.empty() && options.pod_file.empty()) return "--name chooses from --pod-file, which is not given";
  if (!options.cluster.server.empty() && (!options.pod_file.empty() || !options.config_file.empty())) {
    return "--pod-file and --config do not go with --server: the daemon knows its pods and its configuration";
  }
  return contradiction_of(options.files, options.cluster, "--from");
}

// As text for people. What the daemon rendered is for a pipe; a daemon of another version may answer with that alone.
std::string daemon_text(const DaemonAnswer& answer, const explain::RenderOptions& options) {
  const auto decoded = codec::from_json<daemon::PodAnswer>(answer.json);
  if (!decoded || decoded->sentence.empty() || decoded->place.empty()) return text::escaped_lines(answer.text);
  const auto now = std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  return daemon::page_of(*decoded, Instant::from_unix_nanoseconds(now), options).render(options.style);
}

int print_answer_of_daemon(const Options& options, const text::Style& style) {
  const auto answer = ask_daemon(options.cluster, options.pod);
  if (!answer) return failure(answer.error().message());
  const std::string shown = options.output == "json" ? text::escaped_json(answer->json)
                                                     : daemon_text(*answer, {.all_nodes = options.all, .style = style});
  fmt::print("{}{}", shown, shown.ends_with('\n') ? "" : "\n");
  return kExitOk;
}

int explain_pod(const Options& options, const Scheduler& scheduler, const text::Style& style) {
  if (!options.cluster.server.empty()) return print_answer_of_daemon(options, style);
  InternPool pool;
  const auto input = read_cluster(options.files, options.cluster, {.events_of = options.pod}, "--from FILE", pool);
  if (!input) return input_failure(kCommand, input.error());
  const codec::Documents& documents = input->documents;
  if (const std::string why = no_cluster_in(documents, options.files); !options.files.empty() && !why.empty()) {
    return failure(why);
  }
  explain::Cluster cluster(documents.objects);
  const auto question = find_pod(options, *input, pool, cluster);
  if (!question) {
    complain(question.error());
    // What is missed may be in what could not be read.
    const bool is_named = !unreadable_text(documents, "Pod", input->full_name(options.pod)).empty();
    if (options.pod_file.empty() && !is_named) complain_about(documents);
    return kExitFailure;
  }
  if (const std::string unreadable = unreadable_need_text(documents, *question->pod); !unreadable.empty()) {
    return failure(fmt::format("{} cannot be explained: {}", api::full_name(question->pod->metadata), unreadable));
  }
  Progress progress("Explaining");
  auto explanation = question->daemon_set != nullptr
                         ? explain::explain_daemon_set(cluster, *question->daemon_set, question->pod, scheduler.config,
                                                       scheduler.gates)
                         : explain::explain(cluster, question->pod, scheduler.config, scheduler.gates);
  progress.end();
  if (!explanation) return failure(explanation.error().message());
  explanation->notes.insert(explanation->notes.begin(), question->notes.begin(), question->notes.end());
  for (std::string& note : notes_about(documents)) explanation->notes.push_back(std::move(note));

  if (options.output == "json") {
    fmt::print("{}\n", text::escaped_json(codec::to_json(*explanation, 2)));
  } else {
    fmt::print("{}", explain::render(*explanation, {.all_nodes = options.all, .style = style}));
  }
  return complain_about(documents);
}

// --- All pending pods

struct PendingQuestion {
  const Options& options;
  const Scheduler& scheduler;
  api::LabelMatcher labels;
  PendingOutput output;
};

int explain_pending(const PendingQuestion& question, FunctionRef<void(const std::string&)> print) {
  const Options& options = question.options;
  if (!options.cluster.server.empty()) {
    const auto report = ask_daemon_for_pending(options.cluster, options.pending.selector);
    if (!report) return failure(report.error().message());
    print(shown(*report, options.pending, question.output));
    return kExitOk;
  }
  InternPool pool;
  // Events say why a pod that has a node does not run.
  const auto input = read_cluster(options.files, options.cluster, {.events = true}, "--from FILE", pool);
  if (!input) return input_failure(kCommand, input.error());
  if (const std::string why = no_cluster_in(input->documents, options.files); !options.files.empty() && !why.empty()) {
    return failure(why);
  }
  explain::Cluster cluster(input->documents.objects);
  Progress progress("Explaining the pending pods");
  const auto report =
      explain::explain_pending(cluster, {.name_space = options.cluster.name_space, .labels = question.labels},
                               question.scheduler.config, question.scheduler.gates);
  progress.end();
  if (!report) return failure(report.error().message());
  print(shown(*report, options.pending, question.output));
  return complain_about(input->documents);
}

int run_pending(const Options& options, const Scheduler& scheduler, const text::Style& style) {
  auto labels = api::parse_label_selector(options.pending.selector);
  if (!labels) return usage_failure(kCommand, labels.error().message());
  const bool is_json = options.output == "json";
  const PendingQuestion question{.options = options,
                                 .scheduler = scheduler,
                                 .labels = *std::move(labels),
                                 .output = {.is_json = is_json, .all = options.all, .style = style}};
  if (!options.pending.watch) {
    return explain_pending(question, [](const std::string& answer) { fmt::print("{}", answer); });
  }
  return watch_pending(options.pending, is_json, [&question](FunctionRef<void(const std::string&)> print) {
    return explain_pending(question, print);
  });
}

int run_explain(const Options& options, text::Style style) {
  if (const std::string wrong = contradiction(options); !wrong.empty()) return usage_failure(kCommand, wrong);
  auto gates = config::FeatureGates::parse(options.feature_gates);
  if (!gates) {
    for (const Error& error : gates.error()) failure("--feature-gates: " + error.message());
    return kExitUsage;
  }
  Scheduler scheduler{.gates = *gates, .config = config::default_config({.gates = *gates})};
  if (!options.config_file.empty()) {
    const auto text = read_whole(options.config_file);
    if (!text) {
      failure("cannot read " + text.error().message());
      return kExitUsage;
    }
    auto loaded = config::load_config(*text, {.gates = *gates});
    if (!loaded) {
      for (const Error& error : loaded.error().errors(shown_name(options.config_file))) failure(error.message());
      return kExitFailure;
    }
    scheduler.config = std::move(*loaded);
  }
  if (options.output == "markdown") style = {.form = text::Style::Form::kMarkdown, .width = 0, .has_colour = false};
  return options.is_about_one_pod() ? explain_pod(options, scheduler, style) : run_pending(options, scheduler, style);
}

}  // namespace

void add_explain(Program& program) {
  auto options = std::make_shared<Options>();
  CLI::App& command =
      *program.root().add_subcommand("explain", "Say where a pod would go, or what it waits for and what would help");
  command.add_option("POD", options->pod, "NAMESPACE/NAME of a pod in the cluster; all pending pods without one");
  command.add_option("--from", options->files, "YAML or JSON of the cluster's objects; - is standard input")
      ->type_name("FILE...");
  add_pending_options(command, options->pending);
  add_kubeconfig_options(command, options->cluster);
  add_daemon_options(command, options->cluster);
  command.add_option("--pod-file", options->pod_file, "Manifest of a pod (or of its workload) that is not there yet")
      ->type_name("FILE");
  command.add_option("--name", options->name, "Which one of --pod-file, if it has several: Deployment/web")
      ->type_name("KIND/NAME");
  command.add_option("--config", options->config_file, "KubeSchedulerConfiguration; the defaults without one")
      ->type_name("FILE");
  command.add_option("--feature-gates", options->feature_gates, "As for kube-scheduler: A=true,B=false");
  command.add_option("-o,--output", options->output, "Output format")
      ->check(CLI::IsMember({"text", "json", "markdown"}))
      ->capture_default_str();
  command.add_flag("--all", options->all, "Name all nodes and workloads of long lists");
  command.footer(
      "The cluster is that of --from, or of the kubeconfig that kubectl would take; --server asks the Berth daemon in\n"
      "it, which also says what it has tried and when it tries again.\n"
      "Examples: berth explain                       # all pending pods, grouped by cause\n"
      "          berth explain shop/web-1\n"
      "          kubectl get nodes,pods,pvc,pv,sc,csinodes,pdb,priorityclasses,ns,rs,sts,svc -A -o yaml |\n"
      "            berth explain shop/web-1 --from -\n"
      "Exits with 0 if there is an answer, whatever it is, and with 1 if not, or if something could not be read.");
  program.set_action(command, [options](const text::Style& style) { return run_explain(*options, style); });
}

}  // namespace berth::cmd
