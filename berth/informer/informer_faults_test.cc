// The promise of this folder: after any sequence of faults the view equals the API server's, and no object is ever seen
// to go back. Checked with random faults, changes and servers; a failure prints the seed, which reproduces it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "berth/informer/informers.h"
#include "berth/informer/testing.h"

namespace berth::informer {
namespace {

using testing::node;
using testing::pod;
using Texts = std::vector<std::string>;

constexpr std::string_view kRunning = "status.phase!=Succeeded,status.phase!=Failed";

// Checks every state that it hears against the server's history.
class Witness final : public Sink {
 public:
  explicit Witness(const FakeApiServer& server) : server_(server) {}

  void observe_list(const api::ObjectKind& kind, std::vector<api::AnyObject> objects) override {
    for (const api::AnyObject& object : objects) hear(object, /*may_repeat=*/true);
    store.observe_list(kind, std::move(objects));
  }
  void observe(api::AnyObject object) override {
    hear(object, /*may_repeat=*/false);
    store.observe(std::move(object));
  }
  void observe_deleted(api::AnyObject object) override {
    hear(object, /*may_repeat=*/false);
    store.observe_deleted(std::move(object));
  }

  ObjectStore store;
  Texts complaints;

 private:
  void hear(const api::AnyObject& object, bool may_repeat) {
    const std::string& text = object.metadata().resource_version;
    const std::uint64_t version = std::stoull(text);
    const std::string name = fmt::format("{} {}", object.kind().resource, api::full_name(object.metadata()));
    std::uint64_t& last = last_version_[name];
    if (version < last || (version == last && !may_repeat)) {
      complaints.push_back(fmt::format("{} went from {} to {}", name, last, version));
    }
    last = std::max(last, version);
    const auto& changes = server_.changes();
    const auto change = std::ranges::lower_bound(changes, version, {}, &FakeApiServer::Change::version);
    if (change == changes.end() || !is_same(change->object, object)) {
      complaints.push_back(fmt::format("{} was never as it was heard of at {}", name, version));
    }
  }

  const FakeApiServer& server_;
  std::map<std::string, std::uint64_t> last_version_;
};

// A cluster whose API server and network are as bad as the seed says.
class BadCluster {
 public:
  explicit BadCluster(std::uint64_t seed)
      : rng_(Rng(seed).fork(1)), server_(loop_, Rng(seed).fork(2)), witness_(server_) {
    draw_server();
    Informers::Options options;
    options.kinds = {{.kind = &api::kind_of<api::Node>()},
                     {.kind = &api::kind_of<api::ResourceClaim>(), .is_optional = true},
                     {.kind = &api::kind_of<api::Pod>(), .field_selector = std::string(kRunning)}};
    options.reflector.page_size = static_cast<int>(rng_.in_range(1, 8));
    options.reflector.pool = &pool_;
    informers_ = std::make_unique<Informers>(loop_, server_, witness_, Rng(seed).fork(3), std::move(options));
  }

  void suffer(std::int64_t minutes) {
    informers_->start();
    const Instant end = loop_.now() + Duration::minutes(minutes);
    while (loop_.now() < end) {
      loop_.advance(Duration::milliseconds(rng_.in_range(1, 3000)));
      change_something();
      if (rng_.chance(1, 20)) misfortune();
    }
  }

  void recover() {
    server_.faults = {};
    server_.behaviour.is_up = true;
    server_.behaviour.not_served.clear();
    requests_while_bad_ = server_.log().size();
    loop_.advance(Duration::minutes(20));
  }

  Texts differences() const {
    Texts all = witness_.store.differences(api::kind_of<api::Node>(), server_.list(api::kind_of<api::Node>()));
    for (const auto& [kind, selector] : {std::pair(&api::kind_of<api::ResourceClaim>(), std::string_view()),
                                         std::pair(&api::kind_of<api::Pod>(), kRunning)}) {
      const auto truth = server_.list(*kind, selector);
      std::ranges::copy(witness_.store.differences(*kind, truth), std::back_inserter(all));
    }
    return all;
  }
  const Texts& complaints() const { return witness_.complaints; }
  bool all_synced() const { return informers_->all_synced(); }
  std::size_t requests_while_bad() const { return requests_while_bad_; }
  void add_to(ReflectorStats& sums) const {
    for (const auto& reflector : informers_->reflectors()) {
      const ReflectorStats& stats = reflector->stats();
      sums.lists += stats.lists;
      sums.watch_lists += stats.watch_lists;
      sums.watches += stats.watches;
      sums.relists += stats.relists;
      sums.events += stats.events;
      sums.bookmarks += stats.bookmarks;
      sums.stale_events += stats.stale_events;
      sums.errors += stats.errors;
    }
  }

 private:
  void draw_server() {
    ApiBehaviour& behaviour = server_.behaviour;
    behaviour.watch_lists = static_cast<ApiBehaviour::WatchLists>(rng_.below(3));
    behaviour.history_window = 1 + rng_.below(40);
    behaviour.bookmark_period = Duration::seconds(rng_.in_range(5, 70));
    ApiFaults& faults = server_.faults;
    for (int* rate : {&faults.refused, &faults.lost_requests, &faults.lost_answers, &faults.too_many_requests,
                      &faults.internal_errors, &faults.expired, &faults.unreadable_answers, &faults.repeated_events,
                      &faults.cut_streams, &faults.truncated_streams, &faults.half_open_streams, &faults.garbage}) {
      if (rng_.chance(1, 2)) *rate = static_cast<int>(rng_.below(200));
    }
    if (rng_.chance(1, 2)) faults.longest_delay = Duration::milliseconds(rng_.in_range(1, 5000));
  }

  void misfortune() {
    switch (rng_.below(6)) {
      case 0: server_.break_streams(); return;
      case 1: server_.freeze_streams(); return;
      case 2: server_.forget_history(); return;
      case 3: server_.behaviour.is_up = !server_.behaviour.is_up; return;
      case 4:
        if (server_.behaviour.not_served.empty()) {
          server_.behaviour.not_served.insert(&api::kind_of<api::ResourceClaim>());
        } else {
          server_.behaviour.not_served.clear();
        }
        return;
      case 5: server_.inject(api::kind_of<api::Pod>(), "garbage"); return;
    }
  }

  void change_something() {
    const std::string name = fmt::format("x{}", rng_.below(12));
    switch (rng_.below(3)) {
      case 0: return change(node(name), name);
      case 1: return change(claim(name), "shop/" + name);
      case 2: {
        api::Pod changed = pod(name);
        if (rng_.chance(1, 4)) changed.status.phase = Symbol("Succeeded");
        changed.status.reason = Symbol(fmt::format("r{}", rng_.below(1000)));
        return change(std::move(changed), "shop/" + name);
      }
    }
  }

  template <typename T>
  void change(T object, const std::string& full_name) {
    if (server_.get<T>(full_name) == nullptr) {
      server_.create(std::move(object));
    } else if (rng_.chance(1, 3)) {
      server_.remove<T>(full_name);
    } else {
      server_.update(std::move(object));
    }
  }

  static api::ResourceClaim claim(const std::string& name) {
    api::ResourceClaim claim;
    claim.metadata.name = name;
    claim.metadata.name_space = Symbol("shop");
    return claim;
  }

  Rng rng_;
  client::FakeLoop loop_;
  FakeApiServer server_;
  InternPool pool_;
  Witness witness_;
  std::unique_ptr<Informers> informers_;
  std::size_t requests_while_bad_ = 0;
};

class InformerFaults : public ::testing::TestWithParam<int> {};

// Several programs of seeds, so that they run side by side.
constexpr int kPrograms = 8;
constexpr int kSeedsPerProgram = 50;
constexpr std::int64_t kBadMinutes = 10;
// Three kinds; a watch that breaks with every event is resumed at once.
constexpr std::size_t kMaxRequestsPerSecond = 3;

TEST_P(InformerFaults, EndWithTheViewOfTheServerAndNoObjectGoesBack) {
  ReflectorStats sums;
  for (int i = 0; i < kSeedsPerProgram; ++i) {
    const auto seed = static_cast<std::uint64_t>(GetParam() * kSeedsPerProgram + i);
    SCOPED_TRACE(fmt::format("seed {}", seed));
    BadCluster cluster(seed);
    cluster.suffer(kBadMinutes);
    cluster.recover();
    EXPECT_TRUE(cluster.all_synced());
    EXPECT_EQ(cluster.differences(), Texts());
    EXPECT_EQ(cluster.complaints(), Texts());
    EXPECT_LT(cluster.requests_while_bad(), kBadMinutes * 60 * kMaxRequestsPerSecond) << "hardly ever a pause";
    cluster.add_to(sums);
    if (HasFailure()) return;
  }
  // Faults that were too mild would show nothing.
  EXPECT_GT(sums.lists, 200u);
  EXPECT_GT(sums.watch_lists, 200u);
  EXPECT_GT(sums.watches, 1000u);
  EXPECT_GT(sums.relists, 200u);
  EXPECT_GT(sums.events, 1000u);
  EXPECT_GT(sums.bookmarks, 100u);
  EXPECT_GT(sums.stale_events, 10u);
  EXPECT_GT(sums.errors, 1000u);
}

// The checks themselves.
TEST(Witness, ComplainsOfStatesThatNeverWereOrComeAfterNewerOnes) {
  client::FakeLoop loop;
  FakeApiServer server(loop, Rng(1));
  Witness witness(server);
  const api::AnyObject first(server.create(pod("a")));
  const api::AnyObject second(server.update(pod("a")));
  witness.observe(first);
  witness.observe(second);
  EXPECT_EQ(witness.complaints, Texts());
  witness.observe_list(first.kind(), {second});
  EXPECT_EQ(witness.complaints, Texts());
  witness.observe(first);
  EXPECT_EQ(witness.complaints, Texts({"pods shop/a went from 3 to 2"}));
  api::Pod other = *second.as<api::Pod>();
  other.status.phase = Symbol("Failed");
  witness.complaints.clear();
  witness.observe_list(first.kind(), {api::AnyObject(std::make_shared<const api::Pod>(other))});
  EXPECT_EQ(witness.complaints, Texts({"pods shop/a was never as it was heard of at 3"}));
}

INSTANTIATE_TEST_SUITE_P(Seeds, InformerFaults, ::testing::Range(0, kPrograms));

}  // namespace
}  // namespace berth::informer
