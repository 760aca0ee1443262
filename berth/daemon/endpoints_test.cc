#include "berth/daemon/endpoints.h"

#include <gtest/gtest.h>

#include "berth/codec/json.h"
#include "berth/daemon/endpoints_resources.h"
#include "berth/engine/testing.h"

namespace berth::daemon {

namespace {

using engine::testing::node;
using engine::testing::pod;
using engine::testing::World;

class Endpoints : public ::testing::Test {
 protected:
  Endpoints() {
    engine::Options options;
    options.metrics = &metrics_;
    world_ = std::make_unique<World>(std::move(options));
  }

  // The endpoints of a daemon whose engine is this test's world.
  void make(EndpointOptions options = {}) {
    options.ask = [this](const std::function<void(engine::Scheduler&)>& question) {
      if (!is_running_) return false;
      question(world_->scheduler());
      return true;
    };
    options.metrics = &metrics_;
    options.now = [this] { return world_->now(); };
    options.started_at = world_->now() - Duration::seconds(3723);
    routes_ = make_endpoints(std::move(options));
  }
  serve::Reply get(std::string path, std::string_view query = "", std::string accept = "") {
    serve::Call call;
    call.method = "GET";
    call.path = std::move(path);
    call.query = serve::parse_query(query);
    if (!accept.empty()) call.headers.push_back({"Accept", std::move(accept)});
    return routes_(call);
  }
  static bool has(const serve::Reply& reply, std::string_view text) {
    return reply.body.find(text) != std::string::npos;
  }

  engine::SchedulerMetrics metrics_;
  std::unique_ptr<World> world_;
  serve::Routes routes_;
  bool is_running_ = true;
};

TEST_F(Endpoints, ShowMetricsOfTheEngineAndTheProcess) {
  EndpointOptions options;
  options.component_metrics = std::make_shared<ComponentMetrics>();
  options.component_metrics->add(leader_metrics("kube-scheduler", [] { return true; }, [] { return 3u; }));
  options.component_metrics->add(build_metrics("v1.36.3"));
  options.component_metrics->add(feature_metrics({}));
  options.component_metrics->add(process_metrics());
  make(std::move(options));
  world_->add(node("n1", "4"));
  world_->add(pod("a", "1").build());
  world_->answer_all();
  const serve::Reply reply = get("/metrics");
  EXPECT_EQ(reply.content_type, "text/plain; version=0.0.4; charset=utf-8");
  for (const std::string_view line :
       {"scheduler_schedule_attempts_total{profile=\"default-scheduler\",result=\"scheduled\"} 1\n",
        "# TYPE leader_election_master_status gauge\nleader_election_master_status{name=\"kube-scheduler\"} 1\n",
        "# TYPE leader_election_slowpath_total counter\nleader_election_slowpath_total{name=\"kube-scheduler\"} 3\n",
        "git_version=\"v1.36.3\",go_version=\"\",major=\"1\",minor=\"36\"",
        "kubernetes_feature_enabled{name=\"SchedulerQueueingHints\",stage=\"\"} 1\n", "process_resident_memory_bytes ",
        "# HELP process_cpu_seconds_total Total user and system CPU time spent in seconds.\n"}) {
    EXPECT_TRUE(has(reply, line)) << line;
  }
}

TEST_F(Endpoints, CountHealthChecks) {
  EndpointOptions options;
  options.readyz = {{"sched-handler-sync", [] { return std::optional<std::string>("not yet"); }}};
  make(std::move(options));
  const serve::Reply before = get("/metrics/slis");
  EXPECT_FALSE(has(before, "kubernetes_healthcheck"));
  EXPECT_TRUE(has(before, "# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds "));
  EXPECT_EQ(get("/healthz").body, "ok");
  EXPECT_EQ(get("/readyz").status, 500);
  const serve::Reply slis = get("/metrics/slis");
  EXPECT_TRUE(has(slis, "kubernetes_healthcheck{name=\"ping\",type=\"healthz\"} 1\n")) << slis.body;
  EXPECT_TRUE(has(slis, "kubernetes_healthcheck{name=\"sched-handler-sync\",type=\"readyz\"} 0\n"));
  EXPECT_TRUE(
      has(slis, "kubernetes_healthchecks_total{name=\"sched-handler-sync\",status=\"error\",type=\"readyz\"} 1\n"));
}

TEST_F(Endpoints, ShowWhatPodsAskForWhileLeading) {
  bool is_leader = false;
  EndpointOptions options;
  options.is_leader = [&is_leader] { return is_leader; };
  make(std::move(options));
  world_->add(node("n1", "4"));
  world_->add(pod("a", "1500m").build());
  world_->answer_all();
  EXPECT_EQ(get("/metrics/resources").body, "");
  is_leader = true;
  EXPECT_TRUE(
      has(get("/metrics/resources"),
          "kube_pod_resource_request{namespace=\"default\",node=\"n1\",pod=\"a\",priority=\"\",resource=\"cpu\","
          "scheduler=\"default-scheduler\",unit=\"cores\"} 1.5\n"))
      << get("/metrics/resources").body;
}

TEST_F(Endpoints, ShowTheConfiguration) {
  make();
  const serve::Reply reply = get("/configz");
  EXPECT_EQ(reply.content_type, "application/json");
  EXPECT_TRUE(reply.body.starts_with("{\"componentconfig\":{")) << reply.body.substr(0, 200);
  EXPECT_TRUE(has(reply, "\"kind\":\"KubeSchedulerConfiguration\""));
  EXPECT_TRUE(has(reply, "\"schedulerName\":\"default-scheduler\""));
  EXPECT_TRUE(has(reply, "\"kind\":\"NodeResourcesFitArgs\""));
}

TEST_F(Endpoints, ShowFlagsAndStatus) {
  EndpointOptions options;
  options.flags = {{"v", "2"}, {"config", "/etc/x.yaml"}};
  make(std::move(options));
  EXPECT_EQ(get("/flagz").body,
            "\nkube-scheduler flagz\nWarning: This endpoint is not meant to be machine parseable, has no formatting "
            "compatibility guarantees and is for debugging purposes only.\nconfig: /etc/x.yaml\nv: 2\n");
  EXPECT_EQ(get("/flagz", "", "application/json;g=config.k8s.io;v=v1beta1;as=Flagz").body,
            "{\"kind\":\"Flagz\",\"apiVersion\":\"config.k8s.io/v1beta1\",\"metadata\":{\"name\":\"kube-scheduler\"},"
            "\"flags\":{\"config\":\"/etc/x.yaml\",\"v\":\"2\"}}\n");
  EXPECT_EQ(get("/flagz", "", "application/json").status, 406);
  const serve::Reply status = get("/statusz");
  EXPECT_TRUE(has(status, "\nStarted: Mon Jan 12 12:44:37 UTC 1970\nUp: 1 hr 02 min 03 sec\n")) << status.body;
  EXPECT_TRUE(has(status, "\nPaths: /configz /flagz /healthz /livez /metrics /readyz\n")) << status.body;
}

TEST_F(Endpoints, ShowFlagsAndStatusAsCborIfTheGateIsOn) {
  constexpr const char* kFlagz = "application/cbor;g=config.k8s.io;v=v1beta1;as=Flagz";
  EndpointOptions without;
  make(std::move(without));
  EXPECT_EQ(get("/flagz", "", kFlagz).status, 406);

  EndpointOptions options;
  options.flags = {{"v", "2"}, {"config", "/etc/x.yaml"}};
  options.gates = options.gates.with(config::Feature::kCBORServingAndStorage, true);
  make(std::move(options));
  const serve::Reply flags = get("/flagz", "", kFlagz);
  EXPECT_EQ(flags.content_type, kFlagz);
  // The tag, and a map of four whose keys are byte strings: kind, flags, metadata, apiVersion.
  EXPECT_EQ(flags.body,
            "\xd9\xd9\xf7\xa4"
            "\x44kind\x45"
            "Flagz"
            "\x45"
            "flags\xa2\x41v\x41"
            "2\x46"
            "config\x4b/etc/x.yaml"
            "\x48metadata\xa1\x44name\x4ekube-scheduler"
            "\x4a"
            "apiVersion\x55"
            "config.k8s.io/v1beta1");
  const serve::Reply status = get("/statusz", "", "application/cbor;g=config.k8s.io;v=v1beta1;as=Statusz");
  EXPECT_TRUE(status.body.starts_with("\xd9\xd9\xf7"));
  EXPECT_TRUE(has(status, "\x4duptimeSeconds\x19\x0e\x8b")) << "3723 seconds";
  EXPECT_TRUE(
      has(get("/flagz", "", "application/cbor"), "application/json, application/yaml, text/plain, application/cbor"));
}

TEST_F(Endpoints, SetTheVerbosity) {
  int level = 0;
  EndpointOptions options;
  options.set_verbosity = [&level](int wanted) { level = wanted; };
  make(std::move(options));
  serve::Call call;
  call.method = "PUT";
  call.path = "/debug/flags/v";
  call.body = "5";
  EXPECT_EQ(routes_(call).body, "successfully set klog.logging.verbosity to 5\n");
  EXPECT_EQ(level, 5);
  for (const char* wrong : {"x", "", "-1", "5 ", "4294967296"}) {
    call.body = wrong;
    EXPECT_EQ(routes_(call).status, 400) << wrong;
  }
  EXPECT_EQ(routes_(call).body, "strconv.ParseUint: parsing \"4294967296\": value out of range\n");
  EXPECT_EQ(get("/debug/flags/v").status, 406);
}

TEST_F(Endpoints, ExplainAPodThatFitsNowhere) {
  make();
  world_->add(node("n1", "1"));
  world_->add(pod("big", "4").build());
  world_->answer_all();
  const serve::Reply reply = get("/berth/v1/pods/default/big");
  ASSERT_EQ(reply.status, 200);
  for (const std::string_view text :
       {R"("pod": "default/big")", R"("place": "unschedulable")", R"("rejectedBy": [)", R"("NodeResourcesFit")",
        R"("event": "NodeAdd")", R"("result": "unschedulable")", R"("reason": "Insufficient cpu")",
        R"("answer": "Unschedulable")", R"("wakeUps": [)", R"(In this scheduler: unschedulable, 1 attempt so far)"}) {
    EXPECT_TRUE(has(reply, text)) << text << "\n" << reply.body;
  }
  EXPECT_FALSE(has(get("/berth/v1/pods/default/big", "explain=false"), R"("explanation")"));
}

TEST_F(Endpoints, TellWhereABoundPodIs) {
  make();
  world_->add(node("n1", "4"));
  world_->add(pod("a", "1").build());
  world_->run();
  EXPECT_TRUE(has(get("/berth/v1/pods/default/a"), R"("sentence": "default/a is being bound to n1.")"));
  world_->answer_all();
  const serve::Reply reply = get("/berth/v1/pods/default/a");
  EXPECT_TRUE(has(reply, R"("place": "bound")"));
  EXPECT_TRUE(has(reply, R"("sentence": "default/a is on n1.")")) << reply.body;
}

TEST_F(Endpoints, SayThatThereIsNoSuchThing) {
  make();
  EXPECT_EQ(get("/berth/v1/pods/default/none").status, 404);
  EXPECT_EQ(get("/berth/v1/pods/default/none").body,
            "{\"error\":\"pod default/none not found, or it has terminated\"}\n");
  EXPECT_EQ(get("/berth/v1/pods/default").status, 400);
  EXPECT_EQ(get("/berth/v1/nodes/none").status, 404);
  EXPECT_EQ(get("/berth/v1/queue", "limit=0").status, 400);
  EXPECT_EQ(get("/berth/v1/queue", "limit=x").status, 400);
}

TEST_F(Endpoints, ListPendingPodsByCause) {
  make();
  world_->add(node("n1", "1"));
  for (const char* name : {"a", "b", "c"}) world_->add(pod(name, "4").build());
  auto gated = pod("gated", "1");
  gated.spec().scheduling_gates = {api::PodSchedulingGate{Symbol("wait")}};
  world_->add(gated.build());
  world_->answer_all();
  const serve::Reply reply = get("/berth/v1/pending");
  EXPECT_EQ(reply.status, 200);
  EXPECT_TRUE(has(reply, R"("sentence": "4 pods are pending, for 2 causes.")")) << reply.body;
  EXPECT_TRUE(has(reply, R"("cause": "nodes too small in cpu")")) << reply.body;
  EXPECT_TRUE(has(reply, R"("cause": "the scheduling gate wait")"));
  EXPECT_TRUE(has(get("/berth/v1/pending", "namespace=none"), R"("pods": 0)"));
  EXPECT_TRUE(has(get("/berth/v1/pending", "labelSelector=app%3Dnone"), R"("pods": 0)"));
  EXPECT_EQ(get("/berth/v1/pending", "labelSelector=%3D").status, 400);
}

TEST_F(Endpoints, ShowTheHeadsOfTheQueue) {
  make();
  world_->add(node("n1", "1"));
  for (const char* name : {"a", "b", "c"}) world_->add(pod(name, "4").build());
  auto gated = pod("gated", "1");
  gated.spec().scheduling_gates = {api::PodSchedulingGate{Symbol("wait")}};
  world_->add(gated.build());
  world_->answer_all();
  const serve::Reply reply = get("/berth/v1/queue", "limit=2");
  EXPECT_TRUE(has(reply, R"("unschedulable": 3)")) << reply.body;
  EXPECT_TRUE(has(reply, R"("gated": 1)"));
  EXPECT_TRUE(has(reply, R"("pod": "default/a")"));
  EXPECT_TRUE(has(reply, R"("pod": "default/b")"));
  EXPECT_FALSE(has(reply, R"("pod": "default/c")"));
  EXPECT_TRUE(has(reply, R"("gatedBy": "SchedulingGates")"));
}

TEST_F(Endpoints, ShowANodeWithItsPods) {
  make();
  world_->add(node("n1", "4"));
  world_->add(pod("a", "1500m").build());
  world_->run();
  const serve::Reply assumed = get("/berth/v1/nodes/n1");
  EXPECT_TRUE(has(assumed, R"("assumed": true)")) << assumed.body;
  world_->answer_all();
  const serve::Reply reply = get("/berth/v1/nodes/n1");
  EXPECT_FALSE(has(reply, R"("assumed")"));
  EXPECT_TRUE(has(reply, R"("cpu": "1500m")")) << reply.body;
  EXPECT_TRUE(has(reply, R"("cpu": "4")"));
  EXPECT_TRUE(has(reply, R"("pod": "default/a")"));
}

TEST_F(Endpoints, AnswerWhenTheEngineHasStopped) {
  make();
  is_running_ = false;
  EXPECT_EQ(get("/berth/v1/queue").status, 503);
  EXPECT_EQ(get("/berth/v1/pending").status, 503);
  EXPECT_EQ(get("/berth/v1/pods/default/a").status, 503);
  EXPECT_EQ(get("/livez").status, 200);
  EXPECT_EQ(get("/metrics").status, 200);
}

TEST(PodLimits, CountSidecarsInitContainersAndOverhead) {
  const auto container = [](const char* cpu, bool sidecar) {
    api::Container result;
    result.resources.limits[Symbol("cpu")] = api::Quantity::parse(cpu).value();
    if (sidecar) result.restart_policy = Symbol("Always");
    return result;
  };
  api::PodTemplate pod;
  pod.containers = {container("1", false), container("500m", false)};
  pod.init_containers = {container("1", true), container("4", false)};
  pod.overhead[Symbol("cpu")] = api::Quantity::parse("100m").value();
  pod.overhead[Symbol("memory")] = api::Quantity::parse("1Mi").value();
  const api::ResourceList limits = pod_limits(pod);
  EXPECT_EQ(limits.find(Symbol("cpu"))->str(), "5100m") << "the init container beside the sidecar, and the overhead";
  EXPECT_EQ(limits.find(Symbol("memory")), nullptr) << "no limit, so no overhead on it";
}

}  // namespace

}  // namespace berth::daemon
