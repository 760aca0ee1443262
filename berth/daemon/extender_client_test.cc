#include "berth/daemon/extender_client.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace berth::daemon {
namespace {

using client::Response;
using engine::CallExtender;
using engine::ExtenderVerb;
using Kind = engine::Outcome::Kind;

config::Extender extender() {
  config::Extender result;
  result.url_prefix = "http://extender.test:8888/scheduler//";
  result.filter_verb = "filter";
  result.prioritize_verb = "prioritize";
  result.preempt_verb = "preempt";
  result.bind_verb = "bind";
  result.http_timeout = Duration::seconds(7);
  return result;
}

config::Extender with_node_cache() {
  config::Extender result = extender();
  result.node_cache_capable = true;
  return result;
}

api::PodPtr pod(std::string_view name) {
  auto result = std::make_shared<api::Pod>();
  result->metadata.name = name;
  result->metadata.name_space = Symbol("shop");
  result->metadata.uid = std::string("uid-") + std::string(name);
  return result;
}

api::NodePtr node(std::string_view name) {
  auto result = std::make_shared<api::Node>();
  result->metadata.name = name;
  return result;
}

CallExtender ask(ExtenderVerb verb = ExtenderVerb::kFilter) {
  return {.extender = 0, .verb = verb, .request = engine::ExtenderNodes{pod("web"), {node("n1"), node("n2")}}};
}

CallExtender preempt() {
  std::vector<engine::ExtenderVictims> candidates = {{Symbol("n2"), {pod("b"), pod("c")}, 1},
                                                     {Symbol("n1"), {pod("a")}, 0}};
  return {.extender = 0,
          .verb = ExtenderVerb::kPreempt,
          .request = engine::ExtenderPreempt{pod("web"), std::move(candidates)}};
}

CallExtender bind() {
  return {.extender = 0, .verb = ExtenderVerb::kBind, .request = engine::ExtenderBind{pod("web"), Symbol("n1")}};
}

Response answer(std::string body, int status = 200) {
  Response response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

Response broken(Response::Transfer how) {
  Response response;
  response.transfer = how;
  response.error = "connection reset by peer";
  return response;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

TEST(ExtenderRequest, IsPostedToTheVerbBehindThePrefix) {
  const client::Request request = extender_request(extender(), ask());
  EXPECT_EQ(request.method, client::Method::kPost);
  EXPECT_EQ(request.path, "/filter");
  EXPECT_EQ(request.content_type, "application/json");
  EXPECT_EQ(request.timeout, Duration::seconds(7));
  EXPECT_EQ(extender_endpoint(extender())->server, "http://extender.test:8888/scheduler");
}

TEST(ExtenderRequest, HasFiveSecondsIfTheConfigurationSaysNothing) {
  config::Extender silent = extender();
  silent.http_timeout = Duration();
  EXPECT_EQ(extender_request(silent, ask()).timeout, Duration::seconds(5));
}

TEST(ExtenderRequest, BringsTheNodes) {
  const std::string body = extender_request(extender(), ask()).body;
  EXPECT_TRUE(body.starts_with(R"({"Pod":{"metadata":{"name":"web",)")) << body;
  EXPECT_TRUE(contains(body, R"("Nodes":{"metadata":{},"items":[{"metadata":{"name":"n1")")) << body;
  EXPECT_TRUE(body.ends_with(R"(]},"NodeNames":null})")) << body;
}

TEST(ExtenderRequest, BringsNamesToAnExtenderThatKnowsTheNodes) {
  const std::string body = extender_request(with_node_cache(), ask(ExtenderVerb::kPrioritize)).body;
  EXPECT_TRUE(body.ends_with(R"(,"Nodes":null,"NodeNames":["n1","n2"]})")) << body;
}

TEST(ExtenderRequest, BringsVictimsSortedByNode) {
  const std::string body = extender_request(extender(), preempt()).body;
  EXPECT_TRUE(contains(body, R"("NodeNameToVictims":{"n1":{"Pods":[{"metadata":{"name":"a")")) << body;
  EXPECT_TRUE(contains(body, R"("NumPDBViolations":0},"n2":{"Pods":[{)")) << body;
  EXPECT_TRUE(body.ends_with(R"("NumPDBViolations":1}},"NodeNameToMetaVictims":null})")) << body;
}

TEST(ExtenderRequest, BringsUidsOfVictimsToAnExtenderThatKnowsTheNodes) {
  const std::string body = extender_request(with_node_cache(), preempt()).body;
  EXPECT_TRUE(body.ends_with(
      R"("NodeNameToVictims":null,"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"uid-a"}],"NumPDBViolations":0},)"
      R"("n2":{"Pods":[{"UID":"uid-b"},{"UID":"uid-c"}],"NumPDBViolations":1}}})"))
      << body;
}

TEST(ExtenderRequest, BindsAPod) {
  EXPECT_EQ(extender_request(extender(), bind()).body,
            R"({"PodName":"web","PodNamespace":"shop","PodUID":"uid-web","Node":"n1"})");
}

TEST(ExtenderAnswer, KeepsNodes) {
  const auto outcome = extender_outcome(
      extender(), ask(),
      answer(
          R"({"Nodes":{"metadata":{},"items":[{"metadata":{"name":"n2"}}]},"NodeNames":["n1"],)"
          R"("FailedNodes":{"n1":"too far","n0":"too old"},"FailedAndUnresolvableNodes":{"n3":"gone"},"Error":""})"));
  ASSERT_TRUE(outcome.is_done()) << outcome.message;
  const auto& filtered = std::get<engine::ExtenderFiltered>(outcome.extender_reply);
  EXPECT_EQ(filtered.nodes, std::vector{Symbol("n2")}) << "names count only if the extender has a cache of nodes";
  using Failed = std::vector<std::pair<Symbol, std::string>>;
  EXPECT_EQ(filtered.failed, (Failed{{Symbol("n1"), "too far"}, {Symbol("n0"), "too old"}}));
  EXPECT_EQ(filtered.failed_and_unresolvable, (Failed{{Symbol("n3"), "gone"}}));
  EXPECT_EQ(filtered.error, "");
}

TEST(ExtenderAnswer, KeepsNames) {
  const auto outcome = extender_outcome(with_node_cache(), ask(), answer(R"({"NodeNames":["n2","n1"]})"));
  EXPECT_EQ(std::get<engine::ExtenderFiltered>(outcome.extender_reply).nodes,
            (std::vector{Symbol("n2"), Symbol("n1")}));
}

TEST(ExtenderAnswer, MayGiveNodesWhereNamesAreNull) {
  const auto outcome = extender_outcome(with_node_cache(), ask(),
                                        answer(R"({"NodeNames":null,"Nodes":{"items":[{"metadata":{"name":"n1"}}]}})"));
  EXPECT_EQ(std::get<engine::ExtenderFiltered>(outcome.extender_reply).nodes, std::vector{Symbol("n1")});
}

TEST(ExtenderAnswer, IsReadInAnyCase) {
  const auto outcome =
      extender_outcome(with_node_cache(), ask(), answer(R"({"nodenames":["n1"],"failedNodes":{"n2":"no"}})"));
  const auto& filtered = std::get<engine::ExtenderFiltered>(outcome.extender_reply);
  EXPECT_EQ(filtered.nodes, std::vector{Symbol("n1")});
  ASSERT_EQ(filtered.failed.size(), 1u);
  EXPECT_EQ(filtered.failed[0].second, "no");
}

TEST(ExtenderAnswer, MayBeAnError) {
  const auto outcome = extender_outcome(extender(), ask(), answer(R"({"Error":"out of order"})"));
  EXPECT_EQ(std::get<engine::ExtenderFiltered>(outcome.extender_reply).error, "out of order");
}

TEST(ExtenderAnswer, ScoresHosts) {
  const auto outcome = extender_outcome(extender(), ask(ExtenderVerb::kPrioritize),
                                        answer("[{\"Host\":\"n1\",\"Score\":10},{\"host\":\"n2\",\"score\":3}]\n"));
  using Scores = std::vector<std::pair<Symbol, std::int64_t>>;
  EXPECT_EQ(std::get<engine::ExtenderPrioritized>(outcome.extender_reply).scores,
            (Scores{{Symbol("n1"), 10}, {Symbol("n2"), 3}}));
}

TEST(ExtenderAnswer, MayBeNull) {
  const auto outcome = extender_outcome(extender(), ask(ExtenderVerb::kPrioritize), answer("null"));
  EXPECT_TRUE(std::get<engine::ExtenderPrioritized>(outcome.extender_reply).scores.empty());
}

TEST(ExtenderAnswer, ChoosesVictims) {
  const auto outcome = extender_outcome(
      extender(), preempt(),
      answer(R"({"NodeNameToMetaVictims":{"n2":{"Pods":[{"UID":"uid-b"}],"NumPDBViolations":2},"n1":null}})"));
  const auto& candidates = std::get<engine::ExtenderPreempted>(outcome.extender_reply).candidates;
  ASSERT_EQ(candidates.size(), 2u);
  EXPECT_EQ(candidates[0].node_name, Symbol("n2"));
  EXPECT_EQ(candidates[0].uids, std::vector<std::string>{"uid-b"});
  EXPECT_EQ(candidates[0].pdb_violations, 2);
  EXPECT_TRUE(candidates[1].uids.empty());
}

TEST(ExtenderAnswer, SaysThatAPodIsBound) {
  const auto outcome = extender_outcome(extender(), bind(), answer("{}"));
  EXPECT_TRUE(outcome.is_done());
  EXPECT_EQ(std::get<engine::ExtenderBound>(outcome.extender_reply).error, "");
}

TEST(ExtenderAnswer, OfAnotherStatusIsAnError) {
  const auto outcome = extender_outcome(extender(), ask(), answer("{}", 404));
  EXPECT_EQ(outcome.kind, Kind::kRefused);
  EXPECT_EQ(outcome.message, "failed filter with extender at URL http://extender.test:8888/scheduler/filter, code 404");
}

TEST(ExtenderAnswer, ThatCannotBeReadIsAnError) {
  const struct {
    std::string_view body;
    std::string_view says;
  } cases[] = {
      {"", "invalid response"},
      {"<html>", "invalid response"},
      {R"({"Error":)", "invalid response"},
      {R"({"Error":5})", "Error: expected a string"},
      {R"([])", "the answer: expected an object"},
      {R"({"Nodes":{"items":{}}})", "items: expected a list"},
      {R"({"FailedNodes":{"n1":[]}})", "n1: expected a string"},
  };
  for (const auto& [body, says] : cases) {
    const auto outcome = extender_outcome(extender(), ask(), answer(std::string(body)));
    EXPECT_EQ(outcome.kind, Kind::kRefused) << body;
    EXPECT_TRUE(contains(outcome.message, says)) << outcome.message;
    EXPECT_TRUE(std::holds_alternative<std::monostate>(outcome.extender_reply)) << body;
  }
}

TEST(ExtenderAnswer, WithAFractionAsScoreIsAnError) {
  const auto outcome = extender_outcome(extender(), ask(ExtenderVerb::kPrioritize), answer(R"([{"Score":1.5}])"));
  EXPECT_TRUE(contains(outcome.message, "Score: expected an integer")) << outcome.message;
}

TEST(ExtenderAnswer, ThatNeverCameIsAnError) {
  const auto outcome = extender_outcome(extender(), ask(), broken(Response::Transfer::kBroken));
  EXPECT_EQ(outcome.kind, Kind::kRefused);
  EXPECT_EQ(outcome.message, "Post \"http://extender.test:8888/scheduler/filter\": connection reset by peer");
}

// The engine reads the pod then; a second bind could be one too many.
TEST(ExtenderAnswer, LeavesABindOpenIfItMayHaveBeenMade) {
  EXPECT_EQ(extender_outcome(extender(), bind(), broken(Response::Transfer::kBroken)).kind, Kind::kUnknown);
  EXPECT_EQ(extender_outcome(extender(), bind(), answer("", 502)).kind, Kind::kUnknown);
  EXPECT_EQ(extender_outcome(extender(), bind(), answer("ok")).kind, Kind::kUnknown);
  EXPECT_EQ(extender_outcome(extender(), bind(), broken(Response::Transfer::kNotSent)).kind, Kind::kRefused);
  EXPECT_EQ(extender_outcome(extender(), bind(), answer("", 400)).kind, Kind::kRefused);
}

TEST(ExtenderEndpoint, ChecksNothingOverHttpsWithoutACa) {
  config::Extender over_https = extender();
  EXPECT_FALSE(extender_endpoint(over_https)->tls.insecure_skip_verify);
  over_https.enable_https = true;
  EXPECT_TRUE(extender_endpoint(over_https)->tls.insecure_skip_verify);
  over_https.tls_config = config::ExtenderTls{};
  over_https.tls_config->ca_file = "/etc/ca.pem";
  EXPECT_FALSE(extender_endpoint(over_https)->tls.insecure_skip_verify);
}

TEST(ExtenderEndpoint, HasTheCertificatesOfTheConfiguration) {
  config::Extender over_https = extender();
  over_https.tls_config = config::ExtenderTls{};
  over_https.tls_config->ca_data = "Q0E=";
  over_https.tls_config->cert_file = "/etc/client.pem";
  over_https.tls_config->key_data = "S0VZ";
  over_https.tls_config->server_name = "extender";
  const auto endpoint = extender_endpoint(over_https);
  ASSERT_TRUE(endpoint.has_value());
  EXPECT_EQ(endpoint->tls.ca.text, "CA");
  EXPECT_EQ(endpoint->tls.client_certificate.file, "/etc/client.pem");
  EXPECT_EQ(endpoint->tls.client_key.text, "KEY");
  EXPECT_EQ(endpoint->tls.server_name, "extender");
}

TEST(ExtenderEndpoint, RefusesDataThatIsNotBase64) {
  config::Extender over_https = extender();
  over_https.tls_config = config::ExtenderTls{};
  over_https.tls_config->ca_data = "not base64!";
  const auto endpoint = extender_endpoint(over_https);
  ASSERT_FALSE(endpoint.has_value());
  EXPECT_TRUE(contains(endpoint.error().message(), "tlsConfig.caData")) << endpoint.error().message();
}

}  // namespace
}  // namespace berth::daemon
