#include "berth/codec/json.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/codec/json_text.h"
#include "berth/codec/test_types.h"

namespace berth::codec {
namespace {

using testing::Inner;
using testing::Sample;

std::string error_of(std::string_view json) {
  const auto read = from_json<Sample>(json);
  return read ? "no error" : read.error().message();
}

constexpr std::string_view kPodText = R"({
  "kind": "Pod",
  "apiVersion": "v1",
  "metadata": {"name": "web-1", "namespace": "default", "labels": {"app": "web"},
               "creationTimestamp": "2026-01-02T03:04:05Z"},
  "spec": {
    "nodeName": "node-1",
    "containers": [{"name": "c", "image": "app:1", "resources": {"requests": {"cpu": "250m", "memory": 1024}}}],
    "priority": 7,
    "tolerations": [{"key": "k", "operator": "Exists", "tolerationSeconds": 300}]
  },
  "status": {"phase": "Running"}
})";

TEST(JsonReader, ReadsEveryKindOfField) {
  const auto read = from_json<Sample>(R"({
      "flag": true, "small": -2147483648, "large": 9223372036854775807, "ratio": 2.5, "text": "a\u00e9\n",
      "symbol": "s",
      "quantity": "250m", "time": "2026-01-02T03:04:05+01:00", "microTime": "2026-01-02T03:04:05.000006Z",
      "duration": "1m30s", "port": "http", "raw": {"a": [1, 2.50, 1.0, null]}, "inner": {"name": "i", "weight": 3},
      "list": [{"name": "x"}, null], "requiredList": ["p", "q"], "map": {"k": "v", "n": null}, "optional": 0,
      "optionalList": [], "box": {"name": "b"}, "labels": {"b": "2", "a": "1"}, "path": "/p", "nested": {"name": "n"},
      "tags": ["t1", "t2"]})");
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_TRUE(read->flag);
  EXPECT_EQ(read->small, std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(read->large, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(read->ratio, 2.5);
  EXPECT_EQ(read->text, "aé\n");
  EXPECT_EQ(read->symbol, "s");
  EXPECT_EQ(read->quantity.milli_value(), 250);
  EXPECT_EQ(read->time.rfc3339(), "2026-01-02T02:04:05Z");
  EXPECT_EQ(read->micro_time.at.rfc3339_micro(), "2026-01-02T03:04:05.000006Z");
  EXPECT_EQ(read->duration, Duration::seconds(90));
  EXPECT_EQ(read->port.text, "http");
  EXPECT_EQ(read->raw.text, R"({"a":[1,2.5,1.0,null]})");
  EXPECT_EQ(read->inner, (Inner{"i", 3}));
  EXPECT_EQ(read->list, (std::vector<Inner>{{"x", 0}, {}}));
  EXPECT_EQ(read->required_list, (std::vector<Symbol>{Symbol("p"), Symbol("q")}));
  EXPECT_EQ(read->map, (FlatMap<std::string>{{"k", "v"}, {"n", ""}}));
  EXPECT_EQ(read->optional, 0);
  EXPECT_TRUE(read->optional_list.has_value());
  EXPECT_EQ(read->box->name, "b");
  EXPECT_EQ(*read->labels, (api::Labels{{"a", Symbol("1")}, {"b", Symbol("2")}}));
  EXPECT_EQ(read->source.path, "/p");
  EXPECT_EQ(read->source.nested->name, "n");
  EXPECT_EQ(read->shared->tags.size(), 2u);
}

TEST(JsonReader, NormalizesAnObjectAfterItsLastField) {
  EXPECT_EQ(from_json<Sample>(R"({"tags": ["a", "b"], "count": 99})")->shared->count, 2);
}

TEST(JsonReader, SharesEqualPartsThroughThePool) {
  InternPool pool;
  DecodeOptions options;
  options.pool = &pool;
  const auto a = from_json<Sample>(R"({"tags": ["x"], "labels": {"a": "b"}})", options);
  const auto b = from_json<Sample>(R"({"labels": {"a": "b"}, "tags": ["x"], "small": 1})", options);
  const auto c = from_json<Sample>(R"({"tags": ["y"]})", options);
  EXPECT_TRUE(a->shared.same_as(b->shared));
  EXPECT_TRUE(a->labels.same_as(b->labels));
  EXPECT_FALSE(a->shared.same_as(c->shared));
}

TEST(JsonReader, LeavesFieldsThatAreNullOrUnknownAlone) {
  const auto read = from_json<Sample>(
      R"({"flag": null, "small": null, "text": null, "inner": null, "list": null, "map": null, "optional": null,
          "box": null, "labels": null, "tags": null, "quantity": null, "time": null, "raw": null, "port": null,
          "other": {"deep": [1, {"x": "y"}]}, "Flag": true, "kind": "Sample", "apiVersion": "v1"})");
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(*read, Sample());
}

TEST(JsonReader, TakesTheLastOfAFieldGivenTwice) {
  EXPECT_EQ(from_json<Sample>(R"({"small": 1, "small": 2})")->small, 2);
  EXPECT_EQ(from_json<Sample>(R"({"map": {"k": "1", "k": "2"}})")->map, (FlatMap<std::string>{{"k", "2"}}));
  EXPECT_EQ(error_of(R"({"list": [{}], "list": [{}]})"), "list: the list is given twice");
}

TEST(JsonReader, NamesPathAndReasonOfAWrongValue) {
  const std::vector<std::pair<std::string_view, std::string_view>> cases = {
      {R"({"flag": "yes"})", R"(flag: expected true or false, got "yes")"},
      {R"({"flag": 1})", "flag: expected true or false, got 1"},
      {R"({"small": "high"})", R"(small: expected an integer, got "high")"},
      {R"({"small": 1.5})", "small: expected an integer, got 1.5"},
      {R"({"small": 1.0})", "small: expected an integer, got 1.0"},
      {R"({"small": 1e3})", "small: expected an integer, got 1000.0"},
      {R"({"small": 2147483648})", "small: 2147483648 does not fit a 32-bit integer"},
      {R"({"large": 9223372036854775808})", "large: 9223372036854775808 does not fit a 64-bit integer"},
      {R"({"large": true})", "large: expected an integer, got true"},
      {R"({"ratio": "1"})", R"(ratio: expected a number, got "1")"},
      {R"({"text": 8080})", "text: expected a string, got 8080 (quote the value)"},
      {R"({"text": ["a"]})", "text: expected a string, got a list"},
      {R"({"symbol": false})", "symbol: expected a string, got false (quote the value)"},
      {R"({"quantity": true})", R"(quantity: expected a quantity such as "250m", got true)"},
      {R"({"time": 5})", R"(time: expected a time such as "2026-01-02T03:04:05Z", got 5)"},
      {R"({"duration": "5"})", R"(duration: time: missing unit in duration "5")"},
      {R"({"port": 70000000000})", "port: 70000000000 does not fit a 32-bit integer"},
      {R"({"port": 1.5})", "port: expected an integer or a string, got 1.5"},
      {R"({"inner": []})", "inner: expected an object, got a list"},
      {R"({"inner": {"weight": {}}})", "inner.weight: expected an integer, got an object"},
      {R"({"list": {"name": "x"}})", "list: expected a list, got an object"},
      {R"({"list": [{}, {"name": 1}]})", "list[1].name: expected a string, got 1 (quote the value)"},
      {R"({"map": {"a.b/c": 1}})", "map.a.b/c: expected a string, got 1 (quote the value)"},
      {R"({"nested": {"weight": "x"}})", R"(nested.weight: expected an integer, got "x")"},
      {R"({"tags": [1]})", "tags[0]: expected a string, got 1 (quote the value)"},
      {R"([])", "expected an object, got a list"},
      {R"("x")", R"(expected an object, got "x")"},
  };
  for (const auto& [json, message] : cases) EXPECT_EQ(error_of(json), message) << json;
  EXPECT_TRUE(
      error_of(R"({"quantity": "1 Gi"})").starts_with("quantity: quantities must match the regular expression"));
}

TEST(JsonReader, NamesLineAndColumnOfASyntaxError) {
  const std::vector<std::pair<std::string, std::string_view>> cases = {
      {"", "line 1, column 1: the text is empty"},
      {"  \n ", "line 2, column 2: the text is empty"},
      {"{\"flag\": true", "line 1, column 14: expected ',' or '}', got the end of the text"},
      {"{\"flag\": true,}", "line 1, column 15: expected a field name in quotes, got '}'"},
      {"{\n  \"flag\" true\n}", "line 2, column 10: expected ':' after the field name, got 't'"},
      {"{\"list\": [{} {}]}", "line 1, column 14: expected ',' or ']', got '{'"},
      {"{\"flag\": tru}", "line 1, column 10: expected true, got something like it"},
      {"{\"flag\": True}", "line 1, column 10: expected a value, got 'T'"},
      {"{\"text\": \"a", "line 1, column 10: the string that begins here has no end"},
      {"{\"text\": \"a\\q\"}", "line 1, column 12: unknown escape in a string"},
      {"{\"text\": \"a\\u12\"}", "line 1, column 12: expected four hexadecimal digits after \\u"},
      {"{\"text\": \"\\ud800x\"}", "line 1, column 11: half of a surrogate pair in a string"},
      {"{\"text\": \"a\nb\"}", "line 1, column 12: a string may not hold byte 0x0a; escape it"},
      {"{\"é\": x}", "line 1, column 7: expected a value, got 'x'"},
      {"{\"text\": \"\xff\"}", "line 1, column 11: byte 0xff is not UTF-8"},
      {"{\"small\": 01}", "line 1, column 11: a number may not begin with 0"},
      {"{\"small\": 1.}", "line 1, column 13: expected a digit after the decimal point, got '}'"},
      {"{\"small\": -}", "line 1, column 12: expected a digit, got '}'"},
      {"{\n\"ratio\": 1e400}", "line 2, column 10: the number 1e400 is out of range"},
      {"{\"large\": 99999999999999999999}", "line 1, column 11: the number 99999999999999999999 is out of range"},
      {"{} {}", "line 1, column 4: expected the end after the value, got '{'"},
      {std::string("{\"a\": \0}", 8), "line 1, column 7: expected a value, got byte 0x00"},
  };
  for (const auto& [json, message] : cases) EXPECT_EQ(error_of(json), message) << json;
}

TEST(JsonReader, ReportsUnknownAndDuplicateFieldsInStrictMode) {
  std::vector<std::string> reported;
  DecodeOptions options;
  options.strict = true;
  options.report = [&reported](const Error& error) { reported.push_back(error.message()); };
  const auto read = from_json<Sample>(
      R"({"kind": "Sample", "apiVersion": "v1", "list": [{"name": "a"}, {"foo": 1, "foo": 2, "kind": "x"}], "small": 1,
          "small": 2, "map": {"k": "1", "k": "2"}, "inner": {"name": "a", "name": "b"}, "Small": 3, "metadata": {}})",
      options);
  const std::vector<std::string> expected = {
      R"(unknown field "list[1].foo")", R"(unknown field "list[1].kind")", R"(duplicate field "small")",
      R"(duplicate field "map.k")",     R"(duplicate field "inner.name")", R"(unknown field "Small")",
      R"(unknown field "metadata")",
  };
  EXPECT_EQ(reported, expected);
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().what(), R"(unknown field "list[1].foo")");
  EXPECT_TRUE(from_json<Sample>(R"({"small": 1, "kind": "Sample"})", options).has_value());
}

TEST(JsonReader, RefusesDeepNestingWithoutCrashing) {
  const auto nested = [](std::size_t depth) {
    return "{\"raw\": " + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  EXPECT_TRUE(from_json<Sample>(nested(kMaxDepth - 1)).has_value()) << error_of(nested(kMaxDepth - 1));
  EXPECT_EQ(error_of(nested(kMaxDepth)), "line 1, column 208: nested deeper than 200 levels");
  EXPECT_EQ(error_of(std::string(100'000, '[')), "line 1, column 201: nested deeper than 200 levels");
  EXPECT_EQ(error_of(nested(100'000)), "line 1, column 208: nested deeper than 200 levels");
}

TEST(JsonReader, RefusesEveryTruncationOfAnObject) {
  ASSERT_TRUE(object_from_json(kPodText).has_value());
  for (std::size_t length = 0; length < kPodText.size(); ++length) {
    // A copy of exactly this size, so that the address sanitizer sees reads beyond it.
    const std::string cut(kPodText.substr(0, length));
    const auto read = object_from_json(cut);
    ASSERT_FALSE(read.has_value()) << cut;
    EXPECT_TRUE(read.error().where().starts_with("line ")) << read.error().message();
  }
}

TEST(JsonReader, SurvivesEveryBrokenByte) {
  std::size_t readable = 0;
  for (std::size_t at = 0; at < kPodText.size(); ++at) {
    for (const char c : {'\0', '"', '{', ']', '\\', '9', '\xff'}) {
      std::string broken(kPodText);
      broken[at] = c;
      const auto read = object_from_json(broken);
      if (read) ++readable;
      ASSERT_FALSE(c == '\xff' && read.has_value());
    }
  }
  EXPECT_GT(readable, 0u);
}

TEST(JsonObjects, ReadAPod) {
  const auto object = object_from_json(kPodText);
  ASSERT_TRUE(object.has_value()) << object.error().message();
  const auto pod = object->as<api::Pod>();
  ASSERT_NE(pod, nullptr);
  EXPECT_EQ(pod->metadata.name, "web-1");
  EXPECT_EQ(pod->spec.node_name, "node-1");
  EXPECT_EQ(pod->spec->priority, 7);
  EXPECT_EQ(pod->spec->containers[0].resources.requests.find(Symbol("memory"))->value(), 1024);
  EXPECT_EQ(pod->status.phase, "Running");
}

TEST(JsonObjects, SayWhatIsWrong) {
  const std::vector<std::pair<std::string_view, std::string_view>> cases = {
      {"[]", "expected a Kubernetes object, got a list"},
      {"{}", "no kind: is this a Kubernetes object?"},
      {R"({"kind": "Pod"})", "no apiVersion: is this a Kubernetes object?"},
      {R"({"kind": 1})", "kind: expected a string, got 1"},
      {R"({"kind": "Foo", "apiVersion": "v1"})", "unknown kind v1 Foo"},
      {R"({"kind": "PodList", "apiVersion": "v1"})", "expected one object, got v1 PodList"},
      {R"({"kind": "Pod", "apiVersion": "v1", "spec": {"priority": "high"}})",
       R"(spec.priority: expected an integer, got "high")"},
      {R"({"kind": "Pod", "apiVersion": "v1", "spec": {"containers": [{"resources": {"requests": {"cpu": "x"}}}]}})",
       "spec.containers[0].resources.requests.cpu: quantities must match the regular expression "
       "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
  };
  for (const auto& [json, message] : cases) {
    const auto read = object_from_json(json);
    ASSERT_FALSE(read.has_value()) << json;
    EXPECT_EQ(read.error().message(), message);
  }
}

TEST(JsonLists, ReadTypedAndMixedLists) {
  const auto pods = list_from_json(
      R"({"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "5", "continue": "c"},
          "items": [{"metadata": {"name": "a"}}, {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "b"}}]})");
  ASSERT_TRUE(pods.has_value()) << pods.error().message();
  EXPECT_EQ(pods->metadata.resource_version, "5");
  EXPECT_EQ(pods->metadata.continue_token, "c");
  ASSERT_EQ(pods->items.size(), 2u);
  EXPECT_EQ(pods->items[1].metadata().name, "b");

  const auto mixed = list_from_json(
      R"({"kind": "List", "apiVersion": "v1",
          "items": [{"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n"}}]})");
  ASSERT_TRUE(mixed.has_value()) << mixed.error().message();
  EXPECT_NE(mixed->items[0].as<api::Node>(), nullptr);

  const auto empty = list_from_json(R"({"kind": "NodeList", "apiVersion": "v1", "items": null})");
  ASSERT_TRUE(empty.has_value());
  EXPECT_TRUE(empty->items.empty());
}

TEST(JsonLists, NameTheItemThatIsWrong) {
  const auto error = [](std::string_view json) { return list_from_json(json).error().message(); };
  EXPECT_EQ(error(R"({"kind": "PodList", "apiVersion": "v1", "items": [{}, {"spec": {"priority": []}}]})"),
            "items[1].spec.priority: expected an integer, got a list");
  EXPECT_EQ(error(R"({"kind": "List", "apiVersion": "v1", "items": [{}]})"),
            "items[0]: no kind: is this a Kubernetes object?");
  EXPECT_EQ(error(R"({"kind": "Pod", "apiVersion": "v1"})"), "expected a list of a known kind, got v1 Pod");
  EXPECT_EQ(error(R"({"kind": "PodList", "apiVersion": "v1", "items": {}})"), "items: expected a list, got an object");
}

TEST(JsonWatch, ReadsEvents) {
  const auto added = watch_event_from_json(R"({"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1"}})");
  ASSERT_TRUE(added.has_value()) << added.error().message();
  EXPECT_EQ(added->type, WatchEvent::Type::kAdded);
  EXPECT_NE(added->object.as<api::Pod>(), nullptr);
  const auto bookmark = watch_event_from_json(
      R"({"type":"BOOKMARK","object":{"kind":"Node","apiVersion":"v1","metadata":{"resourceVersion":"9"}}})");
  EXPECT_EQ(bookmark->object.metadata().resource_version, "9");
  const auto error =
      watch_event_from_json(R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","code":410}})");
  EXPECT_EQ(error->type, WatchEvent::Type::kError);
  EXPECT_NE(error->object.as<api::Status>(), nullptr);
  EXPECT_EQ(watch_event_from_json(R"({"type":"GONE","object":{}})").error().message(),
            R"(type: expected the type of a watch event, got "GONE")");
  EXPECT_EQ(watch_event_from_json(R"({"type":"ADDED"})").error().message(), "a watch event without an object");
  EXPECT_EQ(watch_event_from_json("[]").error().message(), "expected a watch event, got a list");
}

TEST(JsonWriter, LeavesOutWhatGoLeavesOut) {
  EXPECT_EQ(to_json(Sample()), R"({"requiredList":null})");
  Sample sample;
  sample.optional = 0;
  sample.optional_list.emplace();
  sample.box.emplace();
  sample.source.path = "/p";
  sample.shared = testing::Shared{{Symbol("t")}, 1};
  sample.raw.text = R"({"b":1,"a":2})";
  sample.map = {{"b", "1"}, {"a", ""}};
  EXPECT_EQ(to_json(sample),
            R"({"raw":{"b":1,"a":2},"requiredList":null,"map":{"a":"","b":"1"},"optional":0,"optionalList":[],)"
            R"("box":{"name":""},"path":"/p","tags":["t"],"count":1})");
}

TEST(JsonWriter, EscapesAsGoDoes) {
  const std::vector<std::pair<std::string, std::string_view>> cases = {
      {"plain é", R"("plain é")"},          {"\"\\/", R"("\"\\/")"},
      {"<a>&", R"("\u003ca\u003e\u0026")"}, {std::string("\0\x01\x1f\x7f", 4), "\"\\u0000\\u0001\\u001f\x7f\""},
      {"\b\f\n\r\t", R"("\b\f\n\r\t")"},    {"\xE2\x80\xA8\xE2\x80\xA9\xE2\x80\xAA", "\"\\u2028\\u2029\xE2\x80\xAA\""},
  };
  for (const auto& [text, json] : cases) {
    std::string out;
    append_json_string(out, text);
    EXPECT_EQ(out, json);
  }
}

TEST(JsonWriter, PrintsNumbersAsGoDoes) {
  const std::vector<std::pair<double, std::string_view>> cases = {
      {0, "0"},
      {-0.0, "-0"},
      {1, "1"},
      {-2.5, "-2.5"},
      {0.1, "0.1"},
      {1e20, "100000000000000000000"},
      {1e21, "1e+21"},
      {1e-6, "0.000001"},
      {1e-7, "1e-7"},
      {1.5e-10, "1.5e-10"},
      {123456789.25, "123456789.25"},
      {1.2345678901234567e20, "123456789012345670000"},
      {5e-324, "5e-324"},
      {1.7976931348623157e308, "1.7976931348623157e+308"},
  };
  for (const auto& [value, text] : cases) {
    std::string out;
    append_json_number(out, value);
    EXPECT_EQ(out, text);
  }
}

TEST(JsonWriter, IndentsAsGoDoes) {
  Sample sample;
  sample.required_list = {Symbol("a,{"), Symbol("b")};
  sample.inner.weight = 1;
  sample.raw.text = R"({"x":[],"y":{}})";
  EXPECT_EQ(to_json(sample, 2), R"({
  "raw": {
    "x": [],
    "y": {}
  },
  "inner": {
    "name": "",
    "weight": 1
  },
  "requiredList": [
    "a,{",
    "b"
  ]
})");
}

TEST(JsonWriter, PutsKindInFrontOfObjectsAndLists) {
  const auto pod = object_from_json(R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}})");
  ASSERT_TRUE(pod.has_value());
  const std::string text = object_to_json(*pod);
  EXPECT_TRUE(text.starts_with(R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a")")) << text;
  api::ObjectList list;
  list.metadata.resource_version = "3";
  list.items = {*pod};
  const std::string list_text = list_to_json(api::kind_of<api::Pod>(), list);
  EXPECT_TRUE(list_text.starts_with(
      R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"3"},"items":[{"metadata")"))
      << list_text;
  EXPECT_EQ(list_from_json(list_text)->items.size(), 1u);
}

TEST(JsonRoundTrip, KeepsRandomSamples) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Rng rng(seed);
    Sample sample;
    testing::fill_randomly(rng, api::type_of<Sample>(), &sample);
    auto shared = *sample.shared;
    shared.count = static_cast<std::int64_t>(shared.tags.size());
    sample.shared = shared;
    for (const int indent : {0, 2}) {
      const auto read = from_json<Sample>(to_json(sample, indent));
      ASSERT_TRUE(read.has_value()) << read.error().message();
      EXPECT_EQ(*read, sample) << "seed " << seed << "\n" << to_json(sample, 2);
    }
  }
}

TEST(JsonRoundTrip, KeepsRandomObjectsOfEveryKind) {
  for (const api::ObjectKind& kind : api::all_kinds()) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      Rng rng(seed);
      const std::shared_ptr<void> object = kind.make();
      testing::fill_randomly(rng, *kind.type, object.get());
      // The first reading brings the object into the form that Berth keeps; that form has to stay.
      const auto first = object_from_json(object_to_json(api::AnyObject(kind, object)));
      ASSERT_TRUE(first.has_value()) << kind.kind << " seed " << seed << ": " << first.error().message();
      const auto second = object_from_json(object_to_json(*first, 2));
      ASSERT_TRUE(second.has_value()) << kind.kind << ": " << second.error().message();
      EXPECT_EQ(object_to_json(*first), object_to_json(*second));
      EXPECT_EQ(api::hash_value(*kind.type, first->get()), api::hash_value(*kind.type, second->get()));
    }
  }
}

}  // namespace
}  // namespace berth::codec
