#include "berth/daemon/dispatcher_calls.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/codec/json.h"
#include "berth/codec/protobuf.h"

namespace berth::daemon {
namespace {

using client::Method;
using client::Request;
using client::Response;
using Kind = engine::Outcome::Kind;
using Transfer = Response::Transfer;

constexpr Duration kTimeout = Duration::seconds(9);

engine::PodRef web() {
  engine::PodRef ref;
  ref.name_space = Symbol("shop");
  ref.name = "web-1";
  ref.uid = "u1";
  return ref;
}

api::PodPtr pod() {
  auto result = std::make_shared<api::Pod>();
  result->metadata.name = "web-1";
  result->metadata.name_space = Symbol("shop");
  result->metadata.uid = "u1";
  result->spec.node_name = Symbol("n1");
  return result;
}

Work bind() {
  api::Binding binding;
  binding.metadata.name_space = Symbol("shop");
  binding.metadata.name = "web-1";
  binding.metadata.uid = "u1";
  binding.target.kind = Symbol("Node");
  binding.target.name = "n1";
  return engine::BindPod{std::make_shared<const api::Binding>(binding)};
}

Work patch(std::string_view type = "PodScheduled") {
  api::PodCondition condition;
  condition.type = Symbol(type);
  condition.status = Symbol("False");
  return engine::PatchPodStatus{.base = pod(), .condition = condition, .nominated_node_name = {}};
}

Work nominate() {
  return engine::PatchPodStatus{.base = pod(), .condition = {}, .nominated_node_name = Symbol("n1")};
}

std::shared_ptr<api::PersistentVolume> volume() {
  auto result = std::make_shared<api::PersistentVolume>();
  result->metadata.name = "disk-7";
  result->metadata.uid = "v7";
  result->metadata.resource_version = "41";
  result->metadata.annotations = api::Annotations{{"pv.kubernetes.io/bound-by-controller", "yes"}, {"other", "x"}};
  result->spec.claim_ref = api::ObjectReference{.kind = Symbol("PersistentVolumeClaim"),
                                                .name_space = Symbol("shop"),
                                                .name = "cart",
                                                .uid = "c1",
                                                .api_version = Symbol("v1"),
                                                .resource_version = "40",
                                                .field_path = {}};
  return result;
}

template <typename T>
Work update(std::shared_ptr<T> object) {
  return engine::UpdateObject{api::AnyObject(std::shared_ptr<const T>(std::move(object)))};
}

Request request(const Work& work) {
  const auto made = request_for(work, {}, kTimeout);
  EXPECT_TRUE(made.has_value() && made->has_value());
  return made && *made ? **made : Request{};
}

Response answer(int status, std::string body = {}, std::vector<client::Header> headers = {}) {
  Response response;
  response.status = status;
  response.body = std::move(body);
  response.headers = std::move(headers);
  return response;
}

Response broken(Transfer how) {
  Response response;
  response.transfer = how;
  response.error = "connection reset by peer";
  return response;
}

std::string status(int code, std::string_view reason, std::string_view message) {
  api::Status said;
  said.status = Symbol("Failure");
  said.reason = Symbol(reason);
  said.message = message;
  said.code = code;
  return codec::object_to_json(api::AnyObject(std::make_shared<const api::Status>(said)));
}

// --- Requests --------------------------------------------------------------------------------------------------------

TEST(BindRequest, PostsABindingInProtobuf) {
  const Request sent = request(bind());
  EXPECT_EQ(sent.method, Method::kPost);
  EXPECT_EQ(sent.path, "/api/v1/namespaces/shop/pods/web-1/binding");
  EXPECT_EQ(sent.content_type, "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(sent.accept, "application/vnd.kubernetes.protobuf,application/json");
  EXPECT_EQ(sent.timeout, kTimeout);
  const auto object = codec::object_from_protobuf(sent.body);
  ASSERT_TRUE(object.has_value()) << object.error().message();
  const auto binding = object->as<api::Binding>();
  ASSERT_NE(binding, nullptr);
  EXPECT_EQ(*binding, *std::get<engine::BindPod>(bind()).binding);
}

TEST(ReadRequest, GetsThePodPastAllCaches) {
  const Request sent = request(engine::ReadPod{web()});
  EXPECT_EQ(sent.method, Method::kGet);
  EXPECT_EQ(sent.path, "/api/v1/namespaces/shop/pods/web-1");
  EXPECT_EQ(sent.body, "");
}

TEST(DeleteRequest, HasTheUidAsPrecondition) {
  const Request sent = request(engine::DeletePod{web()});
  EXPECT_EQ(sent.method, Method::kDelete);
  EXPECT_EQ(sent.path, "/api/v1/namespaces/shop/pods/web-1");
  EXPECT_EQ(sent.content_type, "application/json");
  EXPECT_EQ(sent.body, R"({"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"u1"}})");
}

TEST(StatusRequest, PatchesTheStatus) {
  const Request sent = request(nominate());
  EXPECT_EQ(sent.method, Method::kPatch);
  EXPECT_EQ(sent.path, "/api/v1/namespaces/shop/pods/web-1/status");
  EXPECT_EQ(sent.content_type, "application/strategic-merge-patch+json");
  EXPECT_EQ(sent.body, R"({"status":{"nominatedNodeName":"n1"}})");
}

TEST(StatusRequest, IsNotMadeIfNothingChanges) {
  const auto made =
      request_for(engine::PatchPodStatus{.base = pod(), .condition = {}, .nominated_node_name = {}}, {}, kTimeout);
  ASSERT_TRUE(made.has_value());
  EXPECT_FALSE(made->has_value());
}

TEST(VolumeRequest, SetsTheClaimOfThatVersion) {
  const Request sent = request(update(volume()));
  EXPECT_EQ(sent.method, Method::kPatch);
  EXPECT_EQ(sent.path, "/api/v1/persistentvolumes/disk-7");
  EXPECT_EQ(sent.content_type, "application/merge-patch+json");
  EXPECT_EQ(sent.body,
            R"({"metadata":{"annotations":{"pv.kubernetes.io/bound-by-controller":"yes"},"resourceVersion":"41"},)"
            R"("spec":{"claimRef":{"kind":"PersistentVolumeClaim","namespace":"shop","name":"cart","uid":"c1",)"
            R"("apiVersion":"v1","resourceVersion":"40"}}})");
}

TEST(VolumeRequest, LeavesTheAnnotationAloneThatTheVolumeDoesNotHave) {
  auto reserved = volume();
  reserved->metadata.annotations = api::Annotations{};
  EXPECT_TRUE(request(update(reserved)).body.starts_with(R"({"metadata":{"resourceVersion":"41"},"spec":)"));
}

TEST(ClaimRequest, NamesTheNodeThatWasSelected) {
  auto claim = std::make_shared<api::PersistentVolumeClaim>();
  claim->metadata.name = "cart";
  claim->metadata.name_space = Symbol("shop");
  claim->metadata.resource_version = "40";
  claim->metadata.annotations = api::Annotations{{"volume.kubernetes.io/selected-node", "n1"}, {"other", "x"}};
  const Request sent = request(update(claim));
  EXPECT_EQ(sent.path, "/api/v1/namespaces/shop/persistentvolumeclaims/cart");
  EXPECT_EQ(sent.body,
            R"({"metadata":{"annotations":{"volume.kubernetes.io/selected-node":"n1"},"resourceVersion":"40"}})");
}

TEST(UpdateRequest, IsNotMadeForKindsThatNobodyUpdates) {
  auto node = std::make_shared<api::Node>();
  node->metadata.name = "n1";
  EXPECT_FALSE(request_for(update(node), {}, kTimeout).has_value());
}

TEST(Lanes, SortWorkByWhoWaitsForIt) {
  EXPECT_EQ(lane_of(bind()), Lane::kBind);
  EXPECT_EQ(lane_of(engine::ReadPod{web()}), Lane::kBind);
  EXPECT_EQ(lane_of(nominate()), Lane::kNomination);
  EXPECT_EQ(lane_of(patch("DisruptionTarget")), Lane::kEviction);
  EXPECT_EQ(lane_of(engine::DeletePod{web()}), Lane::kEviction);
  EXPECT_EQ(lane_of(update(volume())), Lane::kVolume);
  EXPECT_EQ(lane_of(patch()), Lane::kStatus);
  EXPECT_EQ(lane_of(engine::CallExtender{}), Lane::kExtender);
  EXPECT_EQ(to_string(Lane::kStatus), "status");
}

TEST(Objects, AreTheSameForAllWorkAboutAPod) {
  const std::string object = object_of(bind());
  EXPECT_EQ(object, "pods/shop/web-1");
  EXPECT_EQ(object_of(patch()), object);
  EXPECT_EQ(object_of(engine::DeletePod{web()}), object);
  EXPECT_EQ(object_of(engine::ReadPod{web()}), object);
  EXPECT_EQ(object_of(update(volume())), "persistentvolumes/disk-7");
  EXPECT_EQ(object_of(engine::CallExtender{}), "");
}

// --- Answers ---------------------------------------------------------------------------------------------------------

struct Case {
  std::string_view what;
  Response response;
  Kind kind;
  Retry retry = Retry::kNo;
};

void expect(const Work& work, const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    const Reading reading = read_answer(work, each.response);
    EXPECT_EQ(reading.outcome.kind, each.kind) << each.what;
    EXPECT_EQ(reading.retry, each.retry) << each.what;
    EXPECT_EQ(reading.outcome.is_done(), reading.outcome.message.empty()) << each.what;
  }
}

const Response kTimedOut = answer(500, status(500, "InternalError", "etcdserver: request timed out"));
const Response kBusy = answer(429, "Too many requests", {{"Retry-After", "3"}});

TEST(BindAnswer, IsSettledOrLeftOpenButNeverSentAgainBlindly) {
  expect(bind(), {
                     {"created", answer(201), Kind::kDone},
                     {"done", answer(200), Kind::kDone},
                     {"no such pod", answer(404, status(404, "NotFound", "pods \"web-1\" not found")), Kind::kNotFound},
                     {"has a node", answer(409, status(409, "Conflict", "already assigned")), Kind::kConflict},
                     {"forbidden", answer(403, status(403, "Forbidden", "no")), Kind::kRefused},
                     {"invalid", answer(422), Kind::kRefused},
                     {"etcd is slow", kTimedOut, Kind::kUnknown},
                     {"a gateway's", answer(502, "<html>"), Kind::kUnknown},
                     {"unavailable", answer(503), Kind::kUnknown},
                     {"timeout", answer(504, status(504, "Timeout", "slow")), Kind::kUnknown},
                     {"broken", broken(Transfer::kBroken), Kind::kUnknown},
                     {"not sent", broken(Transfer::kNotSent), Kind::kRefused, Retry::kSoon},
                     {"busy", kBusy, Kind::kRefused, Retry::kWhenTold},
                 });
}

TEST(BindAnswer, IsToldInTheWordsOfTheServer) {
  const Reading reading =
      read_answer(bind(), answer(409, status(409, "Conflict", "pod web-1 is already assigned to node \"n2\"")));
  EXPECT_EQ(reading.outcome.message, "pod web-1 is already assigned to node \"n2\"");
}

TEST(BindAnswer, SaysWhenToComeBack) {
  EXPECT_EQ(read_answer(bind(), kBusy).retry_after, Duration::seconds(3));
}

TEST(StatusAnswer, IsTriedAgainAsKubeSchedulerDoesAndThroughOutages) {
  expect(patch(), {
                      {"done", answer(200), Kind::kDone},
                      {"no such pod", answer(404), Kind::kNotFound},
                      {"changed", answer(409, status(409, "Conflict", "modified")), Kind::kConflict, Retry::kSoon},
                      {"another pod",
                       answer(422, status(422, "Invalid",
                                          "Pod \"web-1\" is invalid: metadata.uid: Invalid value: \"u1\": field is "
                                          "immutable")),
                       Kind::kNotFound},
                      {"etcd is slow", kTimedOut, Kind::kUnknown, Retry::kSoon},
                      {"unavailable", answer(503), Kind::kUnknown, Retry::kSoon},
                      {"invalid", answer(422), Kind::kRefused},
                      {"forbidden", answer(403), Kind::kRefused},
                      {"broken", broken(Transfer::kBroken), Kind::kUnknown, Retry::kThroughOutage},
                      {"not sent", broken(Transfer::kNotSent), Kind::kRefused, Retry::kThroughOutage},
                      {"busy", kBusy, Kind::kRefused, Retry::kWhenTold},
                  });
}

TEST(DeleteAnswer, TakesAnotherPodOfThatNameForGone) {
  const std::string another =
      "Operation cannot be fulfilled on Pod \"web-1\": the UID in the precondition (u1) does not match the UID in "
      "record (u2). The object might have been deleted and then recreated";
  expect(engine::DeletePod{web()},
         {
             {"done", answer(200), Kind::kDone},
             {"accepted", answer(202), Kind::kDone},
             {"gone", answer(404), Kind::kNotFound},
             {"another pod", answer(409, status(409, "Conflict", another)), Kind::kNotFound},
             {"changed", answer(409, status(409, "Conflict", "modified")), Kind::kConflict, Retry::kSoon},
             {"etcd is slow", kTimedOut, Kind::kUnknown, Retry::kSoon},
             {"forbidden", answer(403), Kind::kRefused},
             {"broken", broken(Transfer::kBroken), Kind::kUnknown, Retry::kThroughOutage},
             {"not sent", broken(Transfer::kNotSent), Kind::kRefused, Retry::kThroughOutage},
             {"busy", kBusy, Kind::kRefused, Retry::kWhenTold},
         });
}

TEST(ReadAnswer, BringsThePodInEitherEncoding) {
  const api::AnyObject as_is(pod());
  for (const std::string& body : {codec::object_to_protobuf(as_is), codec::object_to_json(as_is)}) {
    const Reading reading = read_answer(engine::ReadPod{web()}, answer(200, body));
    ASSERT_TRUE(reading.outcome.is_done()) << reading.outcome.message;
    EXPECT_EQ(reading.outcome.object.as<api::Pod>()->spec.node_name, Symbol("n1"));
  }
}

TEST(ReadAnswer, IsAskedForUntilItSaysSomething) {
  expect(engine::ReadPod{web()}, {
                                     {"gone", answer(404), Kind::kNotFound},
                                     {"forbidden", answer(403), Kind::kRefused},
                                     {"garbage", answer(200, "garbage"), Kind::kRefused, Retry::kThroughOutage},
                                     {"cut off", answer(200, "k8s"), Kind::kRefused, Retry::kThroughOutage},
                                     {"etcd is slow", kTimedOut, Kind::kUnknown, Retry::kThroughOutage},
                                     {"broken", broken(Transfer::kBroken), Kind::kUnknown, Retry::kThroughOutage},
                                     {"not sent", broken(Transfer::kNotSent), Kind::kRefused, Retry::kThroughOutage},
                                     {"busy", kBusy, Kind::kRefused, Retry::kWhenTold},
                                 });
}

TEST(UpdateAnswer, BringsTheObjectAsItIsNow) {
  auto written = volume();
  written->metadata.resource_version = "42";
  const api::AnyObject object{std::shared_ptr<const api::PersistentVolume>(written)};
  const Reading reading = read_answer(update(volume()), answer(200, codec::object_to_protobuf(object)));
  ASSERT_TRUE(reading.outcome.is_done());
  EXPECT_EQ(reading.outcome.object.metadata().resource_version, "42");
}

TEST(UpdateAnswer, IsNotTriedAgainIfItMayHaveBeenMade) {
  expect(update(volume()), {
                               {"changed", answer(409), Kind::kConflict},
                               {"gone", answer(404), Kind::kNotFound},
                               {"etcd is slow", kTimedOut, Kind::kUnknown},
                               {"broken", broken(Transfer::kBroken), Kind::kUnknown},
                               {"not sent", broken(Transfer::kNotSent), Kind::kRefused, Retry::kSoon},
                               {"busy", kBusy, Kind::kRefused, Retry::kWhenTold},
                           });
}

}  // namespace
}  // namespace berth::daemon
