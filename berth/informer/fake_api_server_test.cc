// The server that other tests trust.
#include "berth/informer/fake_api_server.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/codec/json.h"
#include "berth/codec/protobuf.h"
#include "berth/informer/testing.h"

namespace berth::informer {
namespace {

using client::Method;
using client::Request;
using client::Response;
using testing::node;
using testing::pod;

constexpr std::string_view kStrategicMerge = "application/strategic-merge-patch+json";

class FakeApiServerTest : public ::testing::Test {
 protected:
  Response ask(Method method, std::string path, std::string body = {},
               std::string_view content_type = "application/json") {
    Request request;
    request.method = method;
    request.path = std::move(path);
    request.body = std::move(body);
    request.content_type = content_type;
    request.accept = "application/json";
    std::optional<Response> answer;
    server.start(std::move(request), [&](Response response) { answer = std::move(response); });
    loop.advance(Duration::milliseconds(500));
    EXPECT_TRUE(answer.has_value());
    return answer.value_or(Response());
  }
  Response bind(const std::string& name, const std::string& to, const std::string& uid = {}) {
    api::Binding binding;
    binding.metadata.name = name;
    binding.metadata.uid = uid;
    binding.target.kind = Symbol("Node");
    binding.target.name = to;
    return ask(Method::kPost, "/api/v1/namespaces/shop/pods/" + name + "/binding", codec::to_json(binding));
  }

  client::FakeLoop loop;
  FakeApiServer server{loop, Rng(1)};
};

TEST_F(FakeApiServerTest, BindsAPodOnce) {
  server.create(pod("a"));
  EXPECT_EQ(bind("a", "n1").status, 201);
  const auto bound = server.get<api::Pod>("shop/a");
  EXPECT_EQ(bound->spec.node_name, "n1");
  ASSERT_NE(api::find_condition(*bound, Symbol("PodScheduled")), nullptr);
  const Response again = bind("a", "n2");
  EXPECT_EQ(again.status, 409);
  EXPECT_NE(again.body.find("already assigned to node \\\"n1\\\""), std::string::npos) << again.body;
  EXPECT_EQ(bind("b", "n1").status, 404);
}

TEST_F(FakeApiServerTest, BindsOnlyThePodOfTheGivenUid) {
  server.create(pod("a"));
  EXPECT_EQ(bind("a", "n1", "another").status, 409);
  EXPECT_EQ(bind("a", "n1", server.get<api::Pod>("shop/a")->metadata.uid).status, 201);
}

TEST_F(FakeApiServerTest, TakesABindingInProtobuf) {
  server.create(pod("a"));
  api::Binding binding;
  binding.metadata.name = "a";
  binding.target.name = "n1";
  const std::string body = codec::object_to_protobuf(api::AnyObject(std::make_shared<const api::Binding>(binding)));
  const Response answer =
      ask(Method::kPost, "/api/v1/namespaces/shop/pods/a/binding", body, "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(answer.status, 201);
}

TEST_F(FakeApiServerTest, MergesConditionsByTypeAndClearsANomination) {
  const std::string path = "/api/v1/namespaces/shop/pods/a/status";
  server.create(pod("a"));
  const auto patch = [&](const std::string& status) {
    return ask(Method::kPatch, path, R"({"status":)" + status + "}", kStrategicMerge).status;
  };
  EXPECT_EQ(patch(R"({"conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable",)"
                  R"("message":"no","lastProbeTime":null}],"nominatedNodeName":"n1"})"),
            200);
  EXPECT_EQ(patch(R"({"$setElementOrder/conditions":[{"type":"PodScheduled"}],)"
                  R"("conditions":[{"message":"still no","type":"PodScheduled"}]})"),
            200);
  auto patched = server.get<api::Pod>("shop/a");
  const api::PodCondition* condition = api::find_condition(*patched, Symbol("PodScheduled"));
  ASSERT_NE(condition, nullptr);
  EXPECT_EQ(condition->message, "still no");
  EXPECT_EQ(condition->reason, "Unschedulable");
  EXPECT_EQ(patched->status.nominated_node_name, "n1");
  EXPECT_EQ(patch(R"({"nominatedNodeName":null})"), 200);
  EXPECT_TRUE(server.get<api::Pod>("shop/a")->status.nominated_node_name.empty());
  const std::uint64_t version = server.version();
  EXPECT_EQ(patch(R"({"nominatedNodeName":null})"), 200);
  EXPECT_EQ(server.version(), version) << "nothing changed";
  EXPECT_EQ(ask(Method::kPatch, path, "{}").status, 415);
  EXPECT_EQ(ask(Method::kPatch, "/api/v1/namespaces/shop/pods/b/status", "{}", kStrategicMerge).status, 404);
}

TEST_F(FakeApiServerTest, DeletesARunningPodInTwoSteps) {
  const std::string path = "/api/v1/namespaces/shop/pods/a";
  server.create(pod("a"));
  bind("a", "n1");
  EXPECT_EQ(ask(Method::kDelete, path, R"({"preconditions":{"uid":"another"}})").status, 409);
  EXPECT_EQ(ask(Method::kDelete, path).status, 200);
  ASSERT_NE(server.get<api::Pod>("shop/a"), nullptr);
  EXPECT_TRUE(server.get<api::Pod>("shop/a")->metadata.deletion_timestamp.is_set());
  loop.advance(Duration::seconds(2));
  EXPECT_EQ(server.get<api::Pod>("shop/a"), nullptr);
  EXPECT_EQ(ask(Method::kDelete, path).status, 404);
}

TEST_F(FakeApiServerTest, DeletesAPendingPodAtOnce) {
  server.create(pod("a"));
  EXPECT_EQ(ask(Method::kDelete, "/api/v1/namespaces/shop/pods/a").status, 200);
  EXPECT_EQ(server.get<api::Pod>("shop/a"), nullptr);
  EXPECT_EQ(ask(Method::kGet, "/api/v1/namespaces/shop/pods/a").status, 404);
}

TEST_F(FakeApiServerTest, RefusesALeaseThatWasChangedInBetween) {
  const std::string all = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
  const std::string one = all + "/kube-scheduler";
  EXPECT_EQ(ask(Method::kGet, one).status, 404);
  const std::string body = R"({"metadata":{"name":"kube-scheduler"},"spec":{"holderIdentity":"a"}})";
  EXPECT_EQ(ask(Method::kPost, all, body).status, 201);
  EXPECT_EQ(ask(Method::kPost, all, body).status, 409);
  const Response read = ask(Method::kGet, one);
  ASSERT_EQ(read.status, 200);
  auto lease = codec::from_json<api::Lease>(read.body);
  ASSERT_TRUE(lease.has_value());
  lease->spec.holder_identity = "b";
  EXPECT_EQ(ask(Method::kPut, one, codec::to_json(*lease)).status, 200);
  EXPECT_EQ(ask(Method::kPut, one, codec::to_json(*lease)).status, 409) << "its resource version is old";
  EXPECT_EQ(server.get<api::Lease>("kube-system/kube-scheduler")->spec.holder_identity, "b");
}

TEST_F(FakeApiServerTest, KeepsEventsAndTheirSeries) {
  const std::string all = "/apis/events.k8s.io/v1/namespaces/shop/events";
  EXPECT_EQ(ask(Method::kPost, all, R"({"metadata":{"name":"a.1"},"reason":"FailedScheduling","note":"no"})").status,
            201);
  const std::string series = R"({"series":{"count":2,"lastObservedTime":"2026-01-02T03:04:05.000006Z"}})";
  EXPECT_EQ(ask(Method::kPatch, all + "/a.1", series, kStrategicMerge).status, 200);
  EXPECT_EQ(server.get<api::Event>("shop/a.1")->series->count, 2);
  EXPECT_EQ(ask(Method::kPatch, all + "/a.2", series, kStrategicMerge).status, 404);
}

TEST_F(FakeApiServerTest, DoesWhatIsAskedAlsoWhereTheAnswerIsLost) {
  server.create(pod("a"));
  server.faults.lost_answers = 1000;
  const Response answer = bind("a", "n1");
  EXPECT_EQ(answer.transfer, Response::Transfer::kBroken);
  EXPECT_EQ(server.get<api::Pod>("shop/a")->spec.node_name, "n1");
}

TEST_F(FakeApiServerTest, LetsTheTestAnswerFirst) {
  server.intercept = [](const Request& request) -> std::optional<Response> {
    if (request.path != "/apis/authentication.k8s.io/v1/tokenreviews") return std::nullopt;
    Response response;
    response.status = 201;
    return response;
  };
  EXPECT_EQ(ask(Method::kPost, "/apis/authentication.k8s.io/v1/tokenreviews", "{}").status, 201);
  EXPECT_EQ(ask(Method::kPost, "/apis/authorization.k8s.io/v1/subjectaccessreviews", "{}").status, 404);
}

TEST_F(FakeApiServerTest, ListsOneNamespace) {
  server.create(pod("a"));
  server.create(pod("b", "bank"));
  const Response answer = ask(Method::kGet, "/api/v1/namespaces/bank/pods");
  const auto list = codec::list_from_json(answer.body);
  ASSERT_TRUE(list.has_value());
  ASSERT_EQ(list->items.size(), 1u);
  EXPECT_EQ(list->items[0].metadata().name, "b");
}

TEST_F(FakeApiServerTest, IsTheSameForTheSameSeed) {
  const auto run = [](std::uint64_t seed) {
    client::FakeLoop own_loop;
    FakeApiServer own(own_loop, Rng(seed));
    own.faults.internal_errors = 300;
    own.faults.too_many_requests = 300;
    std::vector<int> statuses;
    for (int i = 0; i < 50; ++i) {
      Request request;
      request.path = "/api/v1/nodes";
      own.start(std::move(request), [&](const Response& response) { statuses.push_back(response.status); });
      own_loop.advance(Duration::seconds(1));
    }
    return statuses;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

}  // namespace
}  // namespace berth::informer
