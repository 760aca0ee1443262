// `berth capacity [FILE...] --pod FILE`: how many more of a pod the cluster can take, and what stops the next. `--pod
// A=3 --pod B`: how many sets of these. `--n-1`: whether the loss of any one node is survivable. The cluster is that of
// the files, or without any that of the kubeconfig.
#include "berth/whatif/capacity.h"

#include <fmt/core.h>

#include <charconv>
#include <expected>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "berth/codec/json.h"
#include "berth/text/escape_json.h"
#include "berth/whatif/node_loss.h"
#include "berth/whatif/pod_sets.h"
#include "cmd/berth/cluster_input.h"
#include "cmd/berth/command.h"
#include "cmd/berth/input.h"
#include "cmd/berth/manifest.h"
#include "cmd/berth/progress.h"

namespace berth::cmd {
namespace {

constexpr std::string_view kCommand = "berth capacity";
// More of one pod in a set is a typing error.
constexpr std::int64_t kMaxPodsOfSet = 100'000;

struct Options {
  std::vector<std::string> files;
  std::vector<std::string> pods;  // FILE or FILE=N
  std::string name;               // of the pod or workload in the one file
  std::string lost;               // with --n-1: "node", "zone", "region", or a label
  std::string config_file;
  std::string feature_gates;
  std::string output = "text";
  ClusterAccess cluster;
  std::int64_t limit = 0;
  std::uint64_t seed = 1;
  bool preemption = false;
  bool all = false;
};

// A file, and how many of its pod a set has: "web.yaml=3". A file of that whole name comes first.
struct PodFile {
  std::string file;
  std::int64_t count = 1;
};
PodFile parse_pod_file(const std::string& text) {
  std::error_code ignored;
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || std::filesystem::exists(text, ignored)) return {text, 1};
  std::int64_t count = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + equals + 1, end, count);
  if (error != std::errc() || stop != end || count < 1 || count > kMaxPodsOfSet) return {text, 0};
  return {text.substr(0, equals), count};
}

struct PodOfFile {
  std::string file;  // as shown
  whatif::PodOfSet pod;
  std::string note;
};
std::expected<PodOfFile, std::vector<Error>> read_pod(const PodFile& file, const Options& options,
                                                      const ClusterInput& input, InternPool& pool) {
  auto manifest = read_manifest(file.file, options.name, pool);
  if (!manifest) return std::unexpected(manifest.error());
  set_namespace(manifest->objects, input.name_space);
  return PodOfFile{.file = shown_name(file.file),
                   .pod = {.manifest = std::move(manifest->objects), .count = file.count},
                   .note = std::move(manifest->note)};
}

template <typename Answer, typename TextOptions>
int print_answer(Answer& answer, const Options& options, const TextOptions& text, const codec::Documents& documents) {
  for (std::string& note : notes_about(documents)) answer.notes.push_back(std::move(note));
  if (options.output == "json") {
    fmt::print("{}\n", text::escaped_json(codec::to_json(answer, 2)));
  } else {
    fmt::print("{}", whatif::to_text(answer, text));
  }
  return complain_about(documents);
}

// The label that a word of --n-1 stands for; empty: every node by itself.
std::string label_of(const std::string& word) {
  if (word == "node") return "";
  if (word == "zone" || word == "region") return "topology.kubernetes.io/" + word;
  return word;
}

int find_losses(const Options& options, const codec::Documents& documents, const report::Settings& settings,
                const text::Style& style) {
  explain::Cluster cluster(documents.objects);
  Progress progress("Taking nodes out");
  auto losses = whatif::node_losses(cluster, settings, {.by = label_of(options.lost), .seed = options.seed});
  progress.end();
  if (!losses) return failure(losses.error().message());
  const int exit_code = print_answer(*losses, options, whatif::LossText{.all = options.all, .style = style}, documents);
  return exit_code == kExitOk && !losses->ok ? kExitBadVerdict : exit_code;
}

// What cannot be meant together; empty if all is well.
std::string contradiction(const Options& options) {
  const bool is_about_loss = !options.lost.empty();
  if (!is_about_loss && options.pods.empty()) return "how many of which pod? Give --pod FILE, or --n-1";
  if (is_about_loss && !options.pods.empty()) return "give --pod or --n-1, not both";
  for (const std::string& pod : options.pods) {
    if (parse_pod_file(pod).count == 0)
      return fmt::format("--pod: expected FILE or FILE=N such as web.yaml=3, found {}", pod);
  }
  if (!options.name.empty() && options.pods.size() != 1) return "--name chooses from the file of one --pod";
  if (is_about_loss && options.limit > 0) return "--limit does nothing with --n-1";
  if (is_about_loss && options.preemption) return "--preemption does nothing with --n-1: nobody is preempted there";
  return "";
}

int find_capacity(const Options& options, const text::Style& style) {
  if (const std::string wrong = contradiction(options); !wrong.empty()) return usage_failure(kCommand, wrong);
  const auto settings = load_settings(options.config_file, options.feature_gates);
  if (!settings) {
    complain(settings.error());
    return kExitUsage;
  }
  if (const std::string wrong = contradiction_of(options.files, options.cluster, "FILEs"); !wrong.empty()) {
    return usage_failure(kCommand, wrong);
  }
  InternPool pool;
  const auto input = read_cluster(options.files, options.cluster, {}, "a FILE", pool);
  if (!input) return input_failure(kCommand, input.error());
  const codec::Documents& documents = input->documents;
  if (const std::string why = no_cluster_in(documents, options.files); !why.empty()) return failure(why);
  if (!options.lost.empty()) return find_losses(options, documents, *settings, style);
  std::vector<PodOfFile> pods;
  for (const std::string& text : options.pods) {
    auto pod = read_pod(parse_pod_file(text), options, *input, pool);
    if (!pod) return complain(pod.error());
    pods.push_back(*std::move(pod));
  }
  const whatif::CapacityOptions how{.limit = options.limit, .preemption = options.preemption, .seed = options.seed};
  const whatif::CapacityText text{.all_nodes = options.all, .style = style};
  const auto print = [&](auto& answer) {
    for (PodOfFile& pod : pods) {
      if (!pod.note.empty()) answer.notes.push_back(std::move(pod.note));
    }
    return print_answer(answer, options, text, documents);
  };
  Progress progress("Placing pods");
  if (pods.size() == 1 && pods.front().pod.count == 1) {
    const auto in_file = [&](const Error& error) {
      return failure(or_unreadable_class(error, documents).in_file(pods.front().file).message());
    };
    auto made = whatif::new_pods(pods.front().pod.manifest, documents.objects);
    if (!made) return in_file(made.error());
    explain::Cluster cluster(documents.objects);
    auto capacity = whatif::capacity_of(cluster, *made, *settings, how);
    progress.end();
    return capacity ? print(*capacity) : in_file(capacity.error());
  }
  std::vector<whatif::PodOfSet> set;
  for (PodOfFile& pod : pods) set.push_back(std::move(pod.pod));
  auto capacity = whatif::capacity_of_sets(documents.objects, set, *settings, how);
  progress.end();
  return capacity ? print(*capacity) : failure(or_unreadable_class(capacity.error(), documents).message());
}

}  // namespace

void add_capacity(Program& program) {
  auto options = std::make_shared<Options>();
  CLI::App& command =
      *program.root().add_subcommand("capacity", "Say how many more of a pod fit, and what stops the next one");
  command
      .add_option(
          "FILE", options->files,
          "YAML or JSON of the cluster's objects, or folders of it; - is standard input; without: the live cluster")
      ->type_name("FILE...");
  add_kubeconfig_options(command, options->cluster);
  command
      .add_option("--pod", options->pods,
                  "Manifest of the pod, or of a workload with its template; given several times, or with how many "
                  "belong together (web.yaml=3), how many such sets fit")
      ->type_name("FILE[=N]")
      ->allow_extra_args(false);
  command.add_flag("--n-1{node}", options->lost,
                   "Say instead whether the loss of any one node is survivable; of a zone with --n-1=zone, and so on "
                   "with any label of nodes");
  command.add_option("--name", options->name, "Which one of --pod, if it has several: Deployment/web")
      ->type_name("KIND/NAME");
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
      "Without FILEs the cluster is that of the kubeconfig that kubectl would take.\n"
      "Examples: berth capacity --pod web.yaml\n"
      "          kubectl get nodes,pods,pvc,pv,sc,csinodes,pdb,priorityclasses,ns,rs,sts,svc -A -o yaml |\n"
      "            berth capacity - --pod web.yaml\n"
      "          berth capacity dump.yaml --pod web.yaml=3 --pod db.yaml\n"
      "          berth capacity dump.yaml --n-1=zone\n"
      "Exits with 0 if there is an answer, also if none fits, and with 1 if not, or if something could not be read.\n"
      "With --n-1, exits with 3 if pods would be without a place.");
  program.set_action(command, [options](const text::Style& style) { return find_capacity(*options, style); });
}

}  // namespace berth::cmd
