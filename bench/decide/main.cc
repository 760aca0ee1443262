// bench-decide [--nodes N]... [--kinds K]... [--plain] [--quick]: how many pods a second Berth decides about, for
// comparison with kube-scheduler's own framework (tests/oracle/decidebench), which decides about the same pods in the
// same clusters. bench/decide/run runs both. bench-decide --memory: what a cluster takes.
//
// Timed: finding the pod's class, the decision, copying the pod and assuming it on its node, which the next decision
// sees. After a round its pods are taken off again; the next round has to catch up with that. A class that was never
// seen is compiled, too.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "bench/decide/memory.h"
#include "bench/decide/speed.h"

int main(int argc, char** argv) {
  using namespace berth::bench;
  std::vector<std::size_t> sizes = {100, 1'000, 5'000, 20'000};
  std::vector<std::string> kinds;
  for (const PodKind kind : kPodKinds) kinds.emplace_back(to_string(kind));
  bool plain = false;
  bool quick = false;
  bool memory = false;
  CLI::App app("How fast pods are decided about");
  app.add_option("--nodes", sizes, "sizes of clusters, by commas")->delimiter(',')->capture_default_str();
  app.add_option("--kinds", kinds, "kinds of pods, by commas")
      ->delimiter(',')
      ->check(CLI::IsMember(kinds))
      ->capture_default_str();
  app.add_flag("--plain", plain, "ask all plugins about all nodes for every pod; remember nothing");
  app.add_flag("--quick", quick, "repeat less");
  app.add_flag("--memory", memory, "tell what 5,000 nodes with 150,000 pods take in memory, and nothing else");
  CLI11_PARSE(app, argc, argv);

  Effort effort;
  effort.way = plain ? Way::kPlain : Way::kRemembered;
  if (quick || plain) effort.rounds = 3;
  if (memory) {
    measure_memory(effort.way, 5'000, 30);
    return 0;
  }
  for (const std::size_t nodes : sizes) {
    for (const PodKind kind : kPodKinds) {
      if (std::find(kinds.begin(), kinds.end(), to_string(kind)) != kinds.end()) measure_speed(nodes, kind, effort);
    }
  }
  return 0;
}
