#include "berth/fuzz/things.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace berth::fuzz {

namespace {

constexpr auto kApps = std::to_array<std::string_view>({"a", "b", "c"});
constexpr auto kTiers = std::to_array<std::string_view>({"x", "y"});
constexpr auto kZones = std::to_array<std::string_view>({"z1", "z2", "z3"});
constexpr auto kDisks = std::to_array<std::string_view>({"ssd", "hdd"});
constexpr auto kPodCpus = std::to_array<std::string_view>({"100m", "250m", "500m", "1", "1500m", "2", "3"});
constexpr auto kTaints = std::to_array<std::string_view>(
    {"dedicated=a:NoSchedule", "dedicated=b:NoSchedule", "flaky:PreferNoSchedule", "maintenance:NoExecute"});
constexpr auto kTolerations =
    std::to_array<std::string_view>({"dedicated=a:NoSchedule", "dedicated", "maintenance:NoExecute", "*"});
constexpr auto kTopologies = std::to_array<std::string_view>({"node", "zone", "zone", "disk"});
constexpr auto kClasses = std::to_array<std::string_view>({"fast", "slow", "local"});
constexpr std::string_view kDriver = "csi.berth.dev";

}  // namespace

Themes Themes::draw(Rng& rng) {
  const auto likely = [&](std::uint64_t percent) { return rng.chance(percent, 100); };
  Themes themes;
  themes.affinity = likely(40);
  themes.spread = likely(35);
  themes.taints = likely(35);
  themes.selectors = likely(35);
  themes.ports = likely(20);
  themes.volumes = likely(30);
  themes.gates = likely(25);
  themes.priorities = likely(45);
  themes.workloads = likely(45);
  themes.namespaces = likely(25);
  themes.script = likely(25);
  themes.latencies = likely(40);
  themes.faults = likely(35);
  themes.crashes = likely(15);
  themes.clock = likely(10);
  return themes;
}

std::string Things::use(std::string_view feature, std::string text) {
  features_.insert(feature);
  return text;
}

// --- Words -----------------------------------------------------------------------------------------------------------

std::string Things::label() {
  return one_in(4) ? fmt::format("tier={}", pick(kTiers)) : fmt::format("app={}", pick(kApps));
}

std::string Things::node_label() {
  return one_in(3) ? fmt::format("topology.kubernetes.io/zone={}", pick(kZones)) : fmt::format("disk={}", pick(kDisks));
}

std::string Things::taint() {
  return use("taints", std::string(pick(kTaints)));
}

std::string Things::cpu() {
  return std::string(pick(kPodCpus));
}

std::string Things::selector() {
  switch (rng_.below(6)) {
    case 0: {
      const std::string_view first = pick(kApps);
      return fmt::format("app={}|{}", first, pick(kApps));
    }
    case 1: return fmt::format("tier={}", pick(kTiers));
    case 2: return fmt::format("app!={}", pick(kApps));
    default: return fmt::format("app={}", pick(kApps));
  }
}

std::string Things::term() {
  const bool is_near = one_in(2);
  const std::string pods = selector();
  std::string text = use(is_near ? "affinity" : "anti-affinity",
                         fmt::format(" {}={}@{}", is_near ? "near" : "away", pods, pick(kTopologies)));
  if (!themes_.namespaces) return text;
  if (one_in(3)) return text + use("terms with namespaces", fmt::format(" namespaces={}", some_namespace()));
  if (one_in(3)) {
    return text +
           use("terms with namespace selectors", fmt::format(" namespace-selector=env={}", one_in(2) ? "prod" : "dev"));
  }
  return text;
}

std::string Things::spread() {
  const std::string_view topology = pick(kTopologies);
  std::string text = use("spread", fmt::format(" spread={}:{}", topology, between(1, 2)));
  if (one_in(3)) text += fmt::format(" spread-selector={}", selector());
  if (one_in(6)) text += fmt::format(" min-domains={}", between(2, 3));
  if (one_in(6)) text += " node-affinity-policy=Ignore";
  if (one_in(6)) text += " node-taints-policy=Honor";
  return text;
}

// --- Nodes -----------------------------------------------------------------------------------------------------------

std::string Things::node_fields() {
  std::string text = fmt::format(" cpu={}", between(1, 6));
  text += fmt::format(" memory={}Gi", between(1, 12));
  if (one_in(4)) text += use("few pods per node", fmt::format(" pods={}", between(1, 6)));
  if (themes_.spread || themes_.affinity || themes_.volumes || one_in(3)) text += fmt::format(" zone={}", pick(kZones));
  if (themes_.selectors || themes_.spread || themes_.affinity) {
    if (!one_in(4)) text += fmt::format(" label.disk={}", pick(kDisks));
  }
  if (one_in(5)) text += use("extended resources", fmt::format(" example.com/dev={}", between(1, 3)));
  if (themes_.taints && one_in(3)) text += fmt::format(" taint={}", taint());
  if (one_in(20)) text += " unschedulable";
  return text;
}

std::string Things::node() {
  nodes_.push_back(fmt::format("n{}", nodes_.size() + 1));
  return node_again(nodes_.back());
}

std::string Things::node_again(const std::string& name) {
  return fmt::format("node {}{}", name, node_fields());
}

// --- Pods ------------------------------------------------------------------------------------------------------------

std::string Things::pod_fields(bool is_template) {
  std::string text = fmt::format(" cpu={}", cpu());
  if (one_in(3)) text += fmt::format(" memory={}Mi", between(1, 12) * 256);
  if (one_in(10)) text += use("extended resources", fmt::format(" example.com/dev={}", between(1, 2)));
  if (!is_template || one_in(2)) text += fmt::format(" label.app={}", pick(kApps));
  if (one_in(3)) text += fmt::format(" label.tier={}", pick(kTiers));
  if (!one_in(3)) text += fmt::format(" runs={}s", between(2, 60));
  if (one_in(4)) text += use("slow termination", fmt::format(" terminates-in={}s", between(1, 15)));
  if (themes_.priorities && one_in(2)) {
    text += use("priorities", one_in(4) ? std::string(one_in(2) ? " class=high" : " class=low")
                                        : fmt::format(" priority={}", between(0, 4) * 100));
    if (one_in(8)) text += " preemption=never";
  }
  if (themes_.affinity && one_in(2)) text += term();
  if (themes_.affinity && one_in(6)) text += term();
  if (themes_.affinity && one_in(6)) text += fmt::format(" prefers-near={}@zone", selector());
  if (themes_.spread && one_in(2)) text += spread();
  if (themes_.spread && one_in(8)) text += spread();
  if (themes_.taints && one_in(3)) text += fmt::format(" tolerates={}", pick(kTolerations));
  if (themes_.selectors && one_in(3)) {
    text += use("node affinity", one_in(2) ? fmt::format(" node-selector.disk={}", pick(kDisks))
                                           : fmt::format(" requires=disk={}", pick(kDisks)));
    if (one_in(6)) text += fmt::format(" requires=metadata.name=n{}", between(1, 4));
  }
  if (themes_.ports && one_in(2)) text += use("ports", fmt::format(" port={}", between(8080, 8082)));
  if (themes_.gates && one_in(3)) {
    text += use("gates", " gate=quota");
    if (one_in(3)) text += " gate=review";
  }
  return text;
}

std::string Things::pod() {
  const std::string name_space = some_namespace();
  std::string name = fmt::format("p{}", pods_.size() + 1);
  if (name_space != "default") name = name_space + "/" + name;
  std::string text = pod_fields(false);
  if (text.find(" gate=") != std::string::npos) gated_.push_back(name);
  if (themes_.volumes && name_space == "default" && one_in(2)) {
    const bool is_there = !claims_.empty() && !one_in(5);
    // Otherwise one that is made later, perhaps.
    text += use("claims", fmt::format(" claim={}", is_there ? some_claim() : fmt::format("c{}", claims_.size() + 1)));
  }
  if (one_in(40)) text += use("foreign schedulers", " scheduler=other");
  if (themes_.priorities && one_in(20)) text += use("nominated at birth", fmt::format(" nominated={}", some_node()));
  const bool has_claim = text.find(" claim=") != std::string::npos;
  // Without regard to how many volumes the node may attach it would make room for those that share its claim, which no
  // scheduler listens for.
  if (!has_claim && one_in(40)) text += use("born with a node", fmt::format(" node={}", some_node()));
  if (!has_claim) without_claims_.push_back(name);
  pods_.push_back(name);
  return fmt::format("pod {}{}", name, text);
}

std::string Things::workload() {
  static constexpr auto kKinds =
      std::to_array<std::string_view>({"deployment", "deployment", "replicaset", "statefulset", "job", "daemonset"});
  const std::string_view kind = pick(kKinds);
  const std::string name = fmt::format("w{}", workloads_.size() + 1);
  std::string text = fmt::format("{} {}{}", kind, name, pod_fields(true));
  if (kind == "daemonset") {
    features_.insert("daemonset");
  } else {
    text += fmt::format(" replicas={}", between(1, 5));
  }
  if (kind == "job") text += use("job", fmt::format(" completions={}", between(1, 8)));
  // A job whose pods never end is a deployment.
  if (kind == "job" && text.find(" runs=") == std::string::npos) text += fmt::format(" runs={}s", between(2, 30));
  if (kind == "statefulset") {
    features_.insert("statefulset");
    if (one_in(2)) text += " parallel";
    if (themes_.volumes && one_in(2)) text += use("claim templates", " claim-template=data:1Gi:fast");
  }
  if (kind == "deployment" || kind == "replicaset") features_.insert("deployment");
  workloads_.push_back(fmt::format("{} {}", kind, name));
  if (kind != "job" && text.find(" runs=") != std::string::npos) restless_.push_back(workloads_.back());
  return text;
}

// --- Volumes ---------------------------------------------------------------------------------------------------------

std::string Things::volume() {
  ++volumes_;
  std::string text = fmt::format("pv v{} class=local size={}Gi", volumes_, between(1, 3) * 5);
  if (one_in(2)) {
    text += fmt::format(" zone={}", pick(kZones));
  } else if (one_in(2)) {
    text += fmt::format(" node={}", some_node());
  }
  return use("volumes", std::move(text));
}

std::string Things::claim() {
  const std::string name = fmt::format("c{}", claims_.size() + 1);
  claims_.push_back(name);
  const std::string_view storage_class = pick(kClasses);
  std::string text = fmt::format("pvc {} class={} size={}Gi", name, storage_class, between(1, 3) * 4);
  if (one_in(4)) text += use("ReadWriteOncePod", " modes=rwop");
  return text;
}

std::string Things::budget() {
  ++budgets_;
  const std::string_view app = pick(kApps);
  const std::string limit =
      one_in(2) ? fmt::format("min-available={}", between(0, 2)) : fmt::format("max-unavailable={}", between(0, 1));
  return use("budgets", fmt::format("pdb b{} selector=app={} {}", budgets_, app, limit));
}

std::vector<std::string> Things::background() {
  std::vector<std::string> lines;
  if (themes_.namespaces) {
    names_of_namespaces_ = {"default", "default", "team-a", "team-b"};
    lines.emplace_back("namespace team-a label.env=prod");
    lines.emplace_back(use("namespaces", fmt::format("namespace team-b label.env={}", one_in(2) ? "prod" : "dev")));
  }
  if (themes_.priorities) {
    lines.emplace_back("priorityclass high value=1000");
    lines.emplace_back(fmt::format("priorityclass low value=10{}", one_in(3) ? " preemption=never" : ""));
    if (one_in(2)) lines.push_back(budget());
  }
  if (themes_.volumes) {
    if (!one_in(6)) lines.emplace_back(fmt::format("storageclass fast wait{}", one_in(4) ? " zones=z1,z2" : ""));
    lines.emplace_back("storageclass slow immediate");
    lines.emplace_back("storageclass local wait provisioner=none");
    for (std::int64_t n = between(0, 3); n > 0; --n) lines.push_back(volume());
    for (std::int64_t n = between(1, 5); n > 0; --n) lines.push_back(claim());
    if (one_in(4) && !nodes_.empty()) {
      lines.push_back(use("volume limits", fmt::format("csinode n1 driver={}:{}", kDriver, between(1, 2))));
    }
  }
  return lines;
}

// --- What was named --------------------------------------------------------------------------------------------------

std::string Things::some_node() {
  return nodes_.empty() ? std::string() : pick(nodes_);
}
std::string Things::some_pod() {
  return pods_.empty() ? std::string() : pick(pods_);
}
std::string Things::some_pod_without_claims() {
  return without_claims_.empty() ? std::string() : pick(without_claims_);
}
std::string Things::some_gated_pod() {
  return gated_.empty() ? std::string() : pick(gated_);
}
std::string Things::some_claim() {
  return claims_.empty() ? std::string() : pick(claims_);
}
std::string Things::some_workload() {
  return workloads_.empty() ? std::string() : pick(workloads_);
}
std::string Things::some_namespace() {
  return pick(names_of_namespaces_);
}

}  // namespace berth::fuzz
