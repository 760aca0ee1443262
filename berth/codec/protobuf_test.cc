#include "berth/codec/protobuf.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/base/rng.h"
#include "berth/codec/protobuf_reader.h"

namespace berth::codec {
namespace {

using api::AnyObject;
using api::IntOrString;
using api::MicroTime;
using api::Quantity;

// One member of every kind, with the containers that occur.
struct Sample {
  bool flag = false;
  std::int32_t small = 0;
  std::int64_t large = 0;
  double ratio = 0;
  std::string text;
  Symbol symbol;
  Quantity quantity;
  Instant time;
  MicroTime micro_time;
  Duration duration;
  IntOrString either;
  api::RawJson raw;
  api::ListMeta inner;
  std::vector<std::int32_t> numbers;
  std::vector<double> ratios;
  std::vector<std::string> texts;
  FlatMap<Quantity> quantities;
  FlatMap<api::ListMeta> inner_by_name;
  std::optional<bool> maybe_flag;
  std::optional<std::int64_t> maybe_number;
  Box<Sample> child;
  std::vector<Sample> children;
  Interned<FlatMap<Symbol>> labels;
  bool operator==(const Sample&) const = default;
};

// A type with a part that lies inline and is shared, and that is normalized when read.
struct Common {
  std::vector<Symbol> names;
  Interned<std::vector<Symbol>> tags;
  std::int32_t normalized = 0;
  bool operator==(const Common&) const = default;
};
struct Holder {
  std::string own;
  Interned<Common> common;
  bool operator==(const Holder&) const = default;
};
struct Outer {
  Holder holder;
  bool operator==(const Outer&) const = default;
};

std::string bytes_of(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1])));
  }
  return bytes;
}

// Puts a message into the field `number` of another. For messages below 128 bytes and numbers below 16.
std::string in_field(unsigned number, std::string_view message) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(message.size())} + std::string(message);
}

}  // namespace
}  // namespace berth::codec

namespace berth::api {

template <>
const Schema& schema_of<codec::Sample>() {
  using codec::Sample;
  static const Schema schema("Sample", {
                                           field<&Sample::flag>("flag", 1),
                                           field<&Sample::small>("small", 2),
                                           field<&Sample::large>("large", 3),
                                           field<&Sample::ratio>("ratio", 4),
                                           field<&Sample::text>("text", 5),
                                           field<&Sample::symbol>("symbol", 6),
                                           field<&Sample::quantity>("quantity", 7),
                                           field<&Sample::time>("time", 8),
                                           field<&Sample::micro_time>("microTime", 9),
                                           field<&Sample::duration>("duration", 10),
                                           field<&Sample::either>("either", 11),
                                           field<&Sample::raw>("raw", 12),
                                           field<&Sample::inner>("inner", 13),
                                           field<&Sample::numbers>("numbers", 14),
                                           field<&Sample::ratios>("ratios", 15),
                                           field<&Sample::texts>("texts", 16),
                                           field<&Sample::quantities>("quantities", 17),
                                           field<&Sample::inner_by_name>("innerByName", 18),
                                           field<&Sample::maybe_flag>("maybeFlag", 19),
                                           field<&Sample::maybe_number>("maybeNumber", 20),
                                           field<&Sample::child>("child", 21),
                                           field<&Sample::children>("children", 22),
                                           field<&Sample::labels>("labels", 23),
                                       });
  return schema;
}

template <>
const Schema& schema_of<codec::Common>() {
  using codec::Common;
  static const Schema schema("Common",
                             {
                                 field<&Common::names>("names", 2),
                                 field<&Common::tags>("tags", 3),
                                 field<&Common::normalized>("normalized", 0),
                             },
                             [](void* object) {
                               auto& common = *static_cast<Common*>(object);
                               ++common.normalized;
                               if (common.tags->size() == 2) common.names.push_back(Symbol("two tags"));
                             });
  return schema;
}

template <>
const Schema& schema_of<codec::Holder>() {
  using codec::Holder;
  static const Schema schema("Holder", {field<&Holder::own>("own", 1), shared_part<&Holder::common>()});
  return schema;
}

template <>
const Schema& schema_of<codec::Outer>() {
  using codec::Outer;
  static const Schema schema("Outer", {field<&Outer::holder>("holder", 1)});
  return schema;
}

}  // namespace berth::api

namespace berth::codec {
namespace {

Symbol operator""_s(const char* text, std::size_t size) {
  return Symbol(std::string_view(text, size));
}

DecodeOptions sharing(InternPool& pool) {
  DecodeOptions options;
  options.pool = &pool;
  return options;
}

template <typename T>
T read_or_die(std::string_view bytes, InternPool* pool = nullptr) {
  DecodeOptions options;
  options.pool = pool;
  auto value = from_protobuf<T>(bytes, options);
  EXPECT_TRUE(value.has_value()) << value.error().message();
  return value.has_value() ? *std::move(value) : T{};
}

std::string error_of(std::string_view bytes) {
  auto value = from_protobuf<Sample>(bytes);
  return value.has_value() ? "no error" : value.error().message();
}

TEST(Protobuf, ReadsTheSmallMessagesOfGo) {
  struct Case {
    const char* name;
    std::string wire;
    Sample expected;
  };
  const auto with = [](auto set) {
    Sample sample;
    set(sample);
    return sample;
  };
  const Instant second = Instant::from_unix_seconds(1'700'000'000);
  // Each written by Go's own Marshal of the type.
  const Case cases[] = {
      {"time", in_field(8, bytes_of("0880e2cfaa061000")), with([&](Sample& s) { s.time = second; })},
      {"zero time", in_field(8, ""), {}},
      {"epoch", in_field(8, bytes_of("08001000")), with([](Sample& s) { s.time = Instant::from_unix_seconds(0); })},
      {"micro time", in_field(9, bytes_of("0880e2cfaa06108094ef3a")),
       with([&](Sample& s) { s.micro_time.at = second + Duration::microseconds(123456); })},
      {"duration", in_field(10, bytes_of("0880dea0cb05")),
       with([](Sample& s) { s.duration = Duration::milliseconds(1500); })},
      {"quantity", in_field(7, bytes_of("0a05313530306d")),
       with([](Sample& s) { s.quantity = Quantity::from_milli(1500); })},
      {"int", in_field(11, bytes_of("080010fbffffffffffffffff011a00")), with([](Sample& s) { s.either.number = -5; })},
      {"string", in_field(11, bytes_of("080110001a03353025")), with([](Sample& s) { s.either.text = "50%"; })},
      {"raw", in_field(12, bytes_of("0a077b2261223a317d")), with([](Sample& s) { s.raw.text = "{\"a\":1}"; })},
      {"list metadata", in_field(13, bytes_of("0a001201371a03746f6b200c")),
       with([](Sample& s) { s.inner = {"7", "tok", 12}; })},
  };
  for (const Case& c : cases) EXPECT_EQ(read_or_die<Sample>(c.wire), c.expected) << c.name;
}

TEST(Protobuf, IgnoresTheNanosecondsOfATimeAsGoDoes) {
  EXPECT_EQ(read_or_die<Sample>(in_field(8, bytes_of("080510ff93ebdc03"))).time, Instant::from_unix_seconds(5));
  EXPECT_FALSE(read_or_die<Sample>(in_field(8, bytes_of("088092b8c398feffffff01"))).time.is_set());
}

TEST(Protobuf, ReadsTheMetadataOfGo) {
  const std::string wire = bytes_of(
      "0a057765622d3112047765622d1a0473686f7022002a03752d3132023432380342080880e2cfaa0610004a080880e2cfaa06"
      "1000501e5a0a0a0361707012037765625a0d0a0474696572120566726f6e74620e0a046e6f746512066772c3bcc39f6a230a"
      "0a5265706c6963615365741a037765622203752d302a07617070732f763130013800720d6578616d706c652e636f6d2f7872"
      "008a012f0a076b75626563746c12065570646174651a0022080880e2cfaa06100032003a0c0a0a7b22663a78223a7b7d7d42"
      "00");
  api::ObjectMeta expected;
  expected.name = "web-1";
  expected.generate_name = "web-"_s;
  expected.name_space = "shop"_s;
  expected.uid = "u-1";
  expected.resource_version = "42";
  expected.generation = 3;
  expected.creation_timestamp = Instant::from_unix_seconds(1'700'000'000);
  expected.deletion_timestamp = expected.creation_timestamp;
  expected.deletion_grace_period_seconds = 30;
  expected.labels = api::Labels{{"app", "web"_s}, {"tier", "front"_s}};
  expected.annotations = api::Annotations{{"note", "grüß"}};
  expected.owner_references = std::vector{api::OwnerReference{"apps/v1"_s, "ReplicaSet"_s, "web", "u-0", true, false}};
  expected.finalizers = std::vector{"example.com/x"_s, Symbol()};
  EXPECT_EQ(read_or_die<api::ObjectMeta>(wire), expected);
  EXPECT_EQ(read_or_die<api::ObjectMeta>(to_protobuf(expected)), expected);
  EXPECT_EQ(read_or_die<api::ObjectMeta>(bytes_of("0a0012001a0022002a00320038004200")), api::ObjectMeta{});
}

const std::string& pod_of_go() {
  static const std::string bytes = bytes_of(
      "6b3873000a090a0276311203506f6412aa020a130a016112001a016e22002a017532003800420012cb010a100a0176120b52"
      "090a05636c61696d10010a180a116b7562652d6170692d6163636573732d781203d20100124c0a01631203693a312a00320e"
      "0a00105018903f22035443502a004220120d0a0363707512060a043235306d120f0a066d656d6f727912050a033147696a00"
      "7200800100880100900100a201001a00320042004a0052066e6f64652d315800600068008201008a010092010c1a0a0a080a"
      "001a047a6f6e659a0100b201110a016b12064578697374731a0022002800c20100c801f6ffffffffffffffff011a450a0752"
      "756e6e696e67121f0a0552656164791204547275651a0022080880e2cfaa0610002a00320038001a0022002a0032003a0808"
      "80e2cfaa0610004a005a0072008801001a002200");
  return bytes;
}

TEST(Protobuf, ReadsAPodOfGo) {
  InternPool pool;
  const auto object = object_from_protobuf(pod_of_go(), sharing(pool));
  ASSERT_TRUE(object.has_value()) << object.error().message();
  const auto pod = object->as<api::Pod>();
  ASSERT_NE(pod, nullptr);
  EXPECT_EQ(api::full_name(pod->metadata), "n/a");
  EXPECT_EQ(pod->spec.node_name, "node-1");
  EXPECT_EQ(pod->spec->priority, -10);
  ASSERT_EQ(pod->spec->containers.size(), 1u);
  const api::Container& container = pod->spec->containers[0];
  EXPECT_EQ(container.image, "i:1");
  ASSERT_EQ(container.ports.size(), 1u);
  EXPECT_EQ(container.ports[0].host_port, 80);
  EXPECT_EQ(container.resources.requests,
            (api::ResourceList{{"cpu", Quantity::from_milli(250)}, {"memory", Quantity::from_units(1 << 30)}}));
  // The volume of a service account's token is not kept.
  ASSERT_EQ(pod->spec->volumes.size(), 1u);
  ASSERT_TRUE(pod->spec->volumes[0].source.persistent_volume_claim.has_value());
  EXPECT_EQ(pod->spec->volumes[0].source.persistent_volume_claim->claim_name, "claim");
  ASSERT_EQ(pod->spec->tolerations.size(), 1u);
  EXPECT_EQ(pod->spec->tolerations[0].toleration_seconds, 0);
  const auto& terms = pod->spec->affinity->pod_anti_affinity->required;
  ASSERT_EQ(terms.size(), 1u);
  EXPECT_EQ(terms[0].label_selector, api::LabelSelector{});
  EXPECT_EQ(terms[0].namespace_selector, std::nullopt);
  EXPECT_EQ(pod->status.phase, "Running");
  ASSERT_EQ(pod->status.conditions.size(), 1u);

  const auto again = object_from_protobuf(object_to_protobuf(*object), sharing(pool));
  ASSERT_TRUE(again.has_value()) << again.error().message();
  EXPECT_EQ(*again->as<api::Pod>(), *pod);
  EXPECT_TRUE(again->as<api::Pod>()->spec.shared.same_as(pod->spec.shared));
}

TEST(Protobuf, SharesTheTemplateOfPodsThatDifferInTheirOwnPartsAndTokenVolumes) {
  InternPool pool;
  std::string other = pod_of_go();
  other.replace(other.find("node-1"), 6, "node-2");
  other.replace(other.find("kube-api-access-x"), 17, "kube-api-access-y");
  const auto a = object_from_protobuf(pod_of_go(), sharing(pool));
  const auto b = object_from_protobuf(other, sharing(pool));
  ASSERT_TRUE(a.has_value() && b.has_value());
  EXPECT_EQ(b->as<api::Pod>()->spec.node_name, "node-2");
  EXPECT_TRUE(a->as<api::Pod>()->spec.shared.same_as(b->as<api::Pod>()->spec.shared));
}

const std::string& pod_list_of_go() {
  static const std::string bytes = bytes_of(
      "6b3873000a0d0a0276311207506f644c6973741299010a070a001201391a0012460a110a016112001a0022002a0032003800"
      "4200121c1a00320042004a0052005800600068008201008a01009a0100c201001a130a001a0022002a0032004a005a007200"
      "88010012460a110a016212001a0022002a00320038004200121c1a00320042004a0052005800600068008201008a01009a01"
      "00c201001a130a001a0022002a0032004a005a0072008801001a002200");
  return bytes;
}

TEST(Protobuf, ReadsAndWritesLists) {
  const auto list = list_from_protobuf(pod_list_of_go());
  ASSERT_TRUE(list.has_value()) << list.error().message();
  EXPECT_EQ(list->metadata.resource_version, "9");
  ASSERT_EQ(list->items.size(), 2u);
  EXPECT_EQ(list->items[1].metadata().name, "b");
  const auto again = list_from_protobuf(list_to_protobuf(api::kind_of<api::Pod>(), *list));
  ASSERT_TRUE(again.has_value()) << again.error().message();
  EXPECT_EQ(again->metadata, list->metadata);
  ASSERT_EQ(again->items.size(), 2u);
  EXPECT_EQ(*again->items[1].as<api::Pod>(), *list->items[1].as<api::Pod>());
  EXPECT_EQ(object_from_protobuf(pod_list_of_go()).error().message(), "unknown kind: v1 PodList");
  EXPECT_EQ(list_from_protobuf(pod_of_go()).error().message(), "unknown kind: v1 Pod");
}

TEST(Protobuf, RefusesWhatIsNotAnEnvelope) {
  EXPECT_EQ(object_from_protobuf("{}").error().message(),
            "not a Kubernetes protobuf message: it must begin with \"k8s\\0\"");
  EXPECT_EQ(object_from_protobuf(std::string_view("k8s\0", 4)).error().message(), "the envelope names no kind");
  EXPECT_EQ(object_from_protobuf(std::string("k8s\0", 4) + in_field(3, "gzip")).error().message(),
            "envelope: encoding \"gzip\" is not supported");
}

TEST(Protobuf, CutsAWatchStreamThatArrivesByteByByte) {
  const std::string stream = bytes_of(
      // ADDED
      "000000670a054144444544125e0a5c6b3873000a090a0276311203506f6412470a120a016112001a016e22002a0032003800"
      "4200121c1a00320042004a0052005800600068008201008a01009a0100c201001a130a001a0022002a0032004a005a007200"
      "8801001a002200"
      // BOOKMARK
      "0000006a0a08424f4f4b4d41524b125e0a5c6b3873000a090a0276311203506f6412470a120a0012001a0022002a00320237"
      "3738004200121c1a00320042004a0052005800600068008201008a01009a0100c201001a130a001a0022002a0032004a005a"
      "0072008801001a002200"
      // ERROR
      "000000490a054552524f5212400a3e6b3873000a0c0a027631120653746174757312260a060a0012001a0012074661696c75"
      "72651a07746f6f206f6c64220745787069726564309a031a002200");
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, stream.size()}) {
    WatchFrames frames(DecodeOptions{});
    std::vector<WatchEvent> events;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      frames.append(std::string_view(stream).substr(at, piece));
      while (true) {
        auto event = frames.next();
        ASSERT_TRUE(event.has_value()) << event.error().message();
        if (!event->has_value()) break;
        events.push_back(std::move(**event));
      }
    }
    ASSERT_EQ(events.size(), 3u);
    EXPECT_EQ(events[0].type, WatchEvent::Type::kAdded);
    EXPECT_EQ(api::full_name(events[0].object.metadata()), "n/a");
    EXPECT_EQ(events[1].type, WatchEvent::Type::kBookmark);
    EXPECT_EQ(events[1].object.metadata().resource_version, "77");
    EXPECT_EQ(events[2].type, WatchEvent::Type::kError);
    EXPECT_EQ(events[2].object.as<api::Status>()->code, 410);
  }
}

TEST(Protobuf, WritesWatchFramesThatItReads) {
  const auto object = object_from_protobuf(pod_of_go());
  ASSERT_TRUE(object.has_value());
  WatchFrames frames(DecodeOptions{});
  frames.append(watch_event_to_protobuf_frame(WatchEvent{WatchEvent::Type::kDeleted, *object}));
  const auto event = frames.next();
  ASSERT_TRUE(event.has_value() && event->has_value());
  EXPECT_EQ((*event)->type, WatchEvent::Type::kDeleted);
  EXPECT_EQ(*(*event)->object.as<api::Pod>(), *object->as<api::Pod>());
}

TEST(Protobuf, RefusesAWatchFrameOverTheLimit) {
  WatchFrames frames(DecodeOptions{});
  frames.append(std::string_view("\xFF\xFF\xFF\xFF", 4));
  EXPECT_EQ(frames.next().error().message(), "a watch frame of 4294967295 bytes is over the limit of 67108864");
}

TEST(Protobuf, MergesAMessageThatOccursTwice) {
  const std::string first = in_field(1, in_field(1, "one") + in_field(2, "a") + in_field(3, "x"));
  const std::string second = in_field(1, in_field(1, "two") + in_field(3, "y") + in_field(2, "b"));
  InternPool pool;
  const auto outer = read_or_die<Outer>(first + second, &pool);
  EXPECT_EQ(outer.holder.own, "two");
  EXPECT_EQ(*outer.holder.common->tags, (std::vector{"x"_s, "y"_s}));
  // Normalized once, when all was there, and before it was shared.
  EXPECT_EQ(outer.holder.common->names, (std::vector{"a"_s, "b"_s, "two tags"_s}));
  EXPECT_EQ(outer.holder.common->normalized, 1);
  EXPECT_TRUE(read_or_die<Outer>(first + second, &pool).holder.common.same_as(outer.holder.common));
  // An optional message is added to as well.
  const auto parent = read_or_die<Sample>(bytes_of("aa01021005aa01020801"));
  EXPECT_EQ(parent.child->small, 5);
  EXPECT_TRUE(parent.child->flag);
}

TEST(Protobuf, LetsTheLastScalarAndMapEntryWin) {
  EXPECT_EQ(read_or_die<Sample>(bytes_of("10051006")).small, 6);
  const std::string annotations =
      in_field(12, in_field(1, "k") + in_field(2, "1")) + in_field(12, in_field(2, "2") + in_field(1, "k")) +
      in_field(12, in_field(1, "gone") + in_field(2, "1")) + in_field(12, in_field(1, "gone"));
  EXPECT_EQ(*read_or_die<api::ObjectMeta>(annotations).annotations, (api::Annotations{{"gone", ""}, {"k", "2"}}));
}

TEST(Protobuf, ReadsNumbersPackedAndNot) {
  EXPECT_EQ(read_or_die<Sample>(bytes_of("7001"
                                         "7203"
                                         "02ac02"
                                         "70ffffffffffffffffff01"))
                .numbers,
            (std::vector<std::int32_t>{1, 2, 300, -1}));
  EXPECT_EQ(read_or_die<Sample>(bytes_of("79000000000000f03f"
                                         "7a080000000000000040"))
                .ratios,
            (std::vector<double>{1, 2}));
}

TEST(Protobuf, SkipsUnknownFieldsOfEveryWireType) {
  const std::string unknown = bytes_of(
      "a80605"                // varint
      "a9060102030405060708"  // fixed64
      "aa0603010203"          // bytes
      "ab06"
      "ab06"
      "0801"
      "ac06"
      "ac06"            // groups
      "ad0601020304");  // fixed32
  EXPECT_EQ(read_or_die<Sample>(unknown + bytes_of("1005")).small, 5);
}

TEST(Protobuf, NamesThePathOfWhatIsWrong) {
  struct Case {
    std::string wire;
    const char* message;
  };
  const Case cases[] = {
      {bytes_of("1201"
                "00"),
       "small: wire type 2 instead of 0"},
      {bytes_of("2805"), "text: wire type 0 instead of 2"},
      {in_field(5, "\xFF"), "text: not valid UTF-8"},
      {in_field(6, "\xC0\x80"), "symbol: not valid UTF-8"},
      {bytes_of("b20100"
                "b20104"
                "6a02"
                "12ff"),
       "children[1].inner.resourceVersion: message ends in the middle of a field"},
      {bytes_of("8a0107"
                "0a0163"
                "12020a00"),
       "quantities.c: quantities must match the regular expression "
       "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
      {bytes_of("8a0103"
                "0a01ff"),
       "quantities: a key is not valid UTF-8"},
      {bytes_of("920103"
                "0a0163"
                "920103"
                "0a0163"),
       "innerByName.c: a key occurs twice"},
      {bytes_of("0c"), "end of a group that did not begin"},
      {bytes_of("00"), "field number out of range"},
      {bytes_of("ffffffffffffffffff01"), "field number out of range"},
      {bytes_of("10ffffffffffffffffffff01"), "small: varint is longer than 10 bytes"},
      {bytes_of("2affffffffffffffffff01"), "text: length goes beyond the end of the message"},
      {bytes_of("2a02"
                "61"),
       "text: length goes beyond the end of the message"},
      {bytes_of("ab06"), "message ends in the middle of a field"},
      {bytes_of("ae06"), "unknown wire type"},
      {bytes_of("420108"), "time: message ends in the middle of a field"},
  };
  for (const Case& c : cases) EXPECT_EQ(error_of(c.wire), c.message);
}

TEST(Protobuf, LimitsTheDepth) {
  const auto nested = [](int levels) {
    std::string message;
    for (int i = 0; i < levels; ++i) {
      std::string length;
      for (std::size_t size = message.size();; size >>= 7) {
        length.push_back(static_cast<char>(size >= 128 ? (size & 0x7F) | 0x80 : size));
        if (size < 128) break;
      }
      message = "\xAA\x01" + length + message;
    }
    return message;
  };
  EXPECT_EQ(error_of(nested(kMaxDepth - 1)), "no error");
  EXPECT_NE(error_of(nested(kMaxDepth)).find("nested too deep"), std::string::npos);
  EXPECT_NE(error_of(nested(20'000)).find("nested too deep"), std::string::npos);
  // Groups that nobody knows are counted, not followed.
  std::string groups;
  for (int i = 0; i < 1'000'000; ++i) groups += "\xAB\x06";
  EXPECT_EQ(error_of(groups), "message ends in the middle of a field");
}

TEST(Protobuf, SurvivesATruncationAtEveryByte) {
  InternPool pool;
  const DecodeOptions options = sharing(pool);
  for (std::size_t size = 0; size < pod_of_go().size(); ++size) {
    const std::string cut = pod_of_go().substr(0, size);  // on the heap, so that a sanitizer sees a read beyond it
    const auto object = object_from_protobuf(cut, options);
    // The last fields of the envelope are optional: with them cut off whole, it is still an object.
    const bool is_whole = size >= pod_of_go().size() - 4 && (pod_of_go().size() - size) % 2 == 0;
    EXPECT_EQ(object.has_value(), is_whole || size == 15) << size;
  }
}

TEST(Protobuf, SurvivesRandomDamage) {
  Rng rng(7);
  InternPool pool;
  const DecodeOptions options = sharing(pool);
  std::size_t readable = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = pod_of_go();
    for (std::uint64_t n = 1 + rng.below(4); n > 0; --n) {
      bytes[rng.below(bytes.size())] = static_cast<char>(rng.below(256));
    }
    const auto object = object_from_protobuf(bytes, options);
    if (object.has_value()) ++readable;
  }
  EXPECT_GT(readable, 0u);
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes(rng.below(64), '\0');
    for (char& c : bytes) c = static_cast<char>(rng.below(256));
    (void)from_protobuf<Sample>(bytes, options);
    (void)from_protobuf<api::Pod>(bytes, options);
  }
}

TEST(ProtobufReader, RemembersTheTemplateOfAPodWithAnotherTokenVolume) {
  InternPool pool;
  ProtobufReader reader(&pool, ProtobufReader::Memory::kRemember);
  const auto first = object_from_protobuf(pod_of_go(), reader);
  ASSERT_TRUE(first.has_value()) << first.error().message();
  std::string other = pod_of_go();
  other.replace(other.find("node-1"), 6, "node-2");
  other.replace(other.find("kube-api-access-x"), 17, "kube-api-access-y");
  const auto second = object_from_protobuf(other, reader);
  ASSERT_TRUE(second.has_value()) << second.error().message();
  EXPECT_EQ(second->as<api::Pod>()->spec.node_name, "node-2");
  EXPECT_TRUE(second->as<api::Pod>()->spec.shared.same_as(first->as<api::Pod>()->spec.shared));
  // What the template knows does make a difference.
  other.replace(other.find("claim"), 5, "other");
  const auto third = object_from_protobuf(other, reader);
  ASSERT_TRUE(third.has_value()) << third.error().message();
  EXPECT_EQ(third->as<api::Pod>()->spec->volumes[0].source.persistent_volume_claim->claim_name, "other");
}

TEST(ProtobufReader, ReadsDamagedPodsAsOneThatDoesNotRemember) {
  Rng rng(11);
  InternPool pool;
  ProtobufReader remembering(&pool, ProtobufReader::Memory::kRemember);
  std::size_t readable = 0;
  std::size_t wrong = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = pod_of_go();
    for (std::uint64_t n = 1 + rng.below(3); n > 0; --n) {
      bytes[rng.below(bytes.size())] = static_cast<char>(rng.chance(1, 2) ? rng.below(256) : 'a' + rng.below(4));
    }
    const auto plain = object_from_protobuf(bytes);
    const auto remembered = object_from_protobuf(bytes, remembering);
    ASSERT_EQ(remembered.has_value(), plain.has_value()) << "round " << round;
    if (!plain.has_value()) {
      ++wrong;
      ASSERT_EQ(remembered.error().message(), plain.error().message()) << "round " << round;
    } else if (const auto pod = plain->as<api::Pod>(); pod != nullptr) {
      ++readable;
      ASSERT_EQ(*remembered->as<api::Pod>(), *pod) << "round " << round;
    }
  }
  EXPECT_GT(readable, 1000u);
  EXPECT_GT(wrong, 1000u);
}

TEST(Protobuf, WritesEmptyMessagesThatMeanSomething) {
  Sample sample;
  sample.child.emplace();
  sample.children.resize(2);
  sample.maybe_flag = false;
  sample.inner_by_name["x"_s] = {};
  EXPECT_EQ(read_or_die<Sample>(to_protobuf(sample)), sample);
  EXPECT_EQ(to_protobuf(Sample{}), "");
}

// A random Sample, at most `depth` deep. Quantities and times are such that the wire keeps them exactly.
Sample random_sample(Rng& rng, int depth) {
  const auto text = [&] {
    constexpr std::string_view kTexts[] = {"", "a", "grüß dich", "a text that does not fit in place", "\x01\x7F"};
    return std::string(kTexts[rng.below(5)]);
  };
  const auto number = [&]() -> std::int64_t {
    switch (rng.below(4)) {
      case 0: return 0;
      case 1: return static_cast<std::int64_t>(rng.below(200)) - 100;
      case 2: return std::numeric_limits<std::int64_t>::min();
      default: return std::numeric_limits<std::int64_t>::max();
    }
  };
  const auto some = [&](auto fill) {
    for (std::uint64_t n = rng.below(4); n > 0; --n) fill();
  };
  const auto quantity = [&] { return Quantity::from_milli(static_cast<std::int64_t>(rng.below(5000))); };
  const auto seconds = [&] { return Instant::from_unix_seconds(rng.in_range(-2'000'000'000, 2'000'000'000)); };
  Sample s;
  s.flag = rng.below(2) == 0;
  s.small = static_cast<std::int32_t>(number());
  s.large = number();
  s.ratio = static_cast<double>(number()) / 3;
  s.text = text();
  s.symbol = Symbol(text());
  s.quantity = quantity();
  if (rng.below(2) == 0) s.time = seconds();
  if (rng.below(2) == 0) s.micro_time.at = seconds() + Duration::microseconds(rng.in_range(0, 999'999));
  s.duration = Duration::nanoseconds(number());
  if (rng.below(2) == 0) {
    s.either.text = text();
  } else {
    s.either.number = static_cast<std::int32_t>(number());
  }
  s.raw.text = text();
  s.inner.continue_token = text();
  some([&] { s.numbers.push_back(static_cast<std::int32_t>(number())); });
  some([&] { s.ratios.push_back(static_cast<double>(number())); });
  some([&] { s.texts.push_back(text()); });
  some([&] { s.quantities[Symbol(text())] = quantity(); });
  some([&] { s.inner_by_name[Symbol(text())].resource_version = text(); });
  if (rng.below(2) == 0) s.maybe_flag = rng.below(2) == 0;
  if (rng.below(2) == 0) s.maybe_number = number();
  if (depth > 0) {
    if (rng.below(2) == 0) s.child = random_sample(rng, depth - 1);
    some([&] { s.children.push_back(random_sample(rng, depth - 1)); });
  }
  FlatMap<Symbol> labels;
  some([&] { labels[Symbol(text())] = Symbol(text()); });
  s.labels = labels;
  return s;
}

TEST(Protobuf, ReadsWhatItWrites) {
  Rng rng(3);
  InternPool pool;
  for (int round = 0; round < 2000; ++round) {
    const Sample sample = random_sample(rng, 3);
    const auto read = from_protobuf<Sample>(to_protobuf(sample), sharing(pool));
    ASSERT_TRUE(read.has_value()) << read.error().message();
    ASSERT_EQ(*read, sample) << "round " << round;
  }
}

}  // namespace
}  // namespace berth::codec
