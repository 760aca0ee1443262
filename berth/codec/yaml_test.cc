#include "berth/codec/yaml.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/codec/json.h"
#include "berth/codec/test_types.h"
#include "berth/codec/yaml_parser.h"
#include "berth/codec/yaml_scalar.h"
#include "berth/codec/yaml_tree.h"

namespace berth::codec {
namespace {

using testing::Sample;

// What sigs.k8s.io/yaml's YAMLToJSON gives for the first document, or "error: ...".
std::string json_of(std::string_view yaml) {
  YamlDocuments documents(yaml, {.sort_keys = true});
  YamlTree tree;
  switch (documents.next(tree)) {
    case YamlDocuments::Next::kEnd: return "null";
    case YamlDocuments::Next::kError: return "error: " + placed(documents.take_problem()).message();
    case YamlDocuments::Next::kDocument: break;
  }
  std::string json;
  YamlNode(tree, tree.root).append_json(json);
  return json;
}

std::string error_of(std::string_view yaml) {
  const auto read = from_yaml<Sample>(yaml);
  return read ? "no error" : read.error().message();
}

std::string yaml_of(std::string json) {
  return to_yaml(api::RawJson{std::move(json)});
}

struct Case {
  std::string_view yaml;
  std::string_view json;
};

// The expected values were printed by sigs.k8s.io/yaml v1.6.0.
TEST(YamlScalars, MeanWhatTheyMeanToKubernetes) {
  const std::vector<Case> cases = {
      {"text", R"("text")"},
      {"true", "true"},
      {"True", "true"},
      {"yes", "true"},
      {"y", "true"},
      {"On", "true"},
      {"off", "false"},
      {"N", "false"},
      {"tRue", R"("tRue")"},
      {"~", "null"},
      {"Null", "null"},
      {"nUll", R"("nUll")"},
      {"1", "1"},
      {"-1", "-1"},
      {"+1", "1"},
      {"0x1F", "31"},
      {"0o17", "15"},
      {"017", "15"},
      {"08", "8"},
      {"0b101", "5"},
      {"-0b1", "-1"},
      {"1_000", "1000"},
      {"_1", R"("_1")"},
      {"0x", R"("0x")"},
      {"1.5", "1.5"},
      {"1.", "1"},
      {".5", "0.5"},
      {"-.5", "-0.5"},
      {"1e3", "1000"},
      {"1e-7", "1e-7"},
      {"1e21", "1e+21"},
      {"1e400", R"("1e400")"},
      {"100m", R"("100m")"},
      {"1Gi", R"("1Gi")"},
      {"1.2.3", R"("1.2.3")"},
      {"9223372036854775807", "9223372036854775807"},
      {"18446744073709551615", "18446744073709551615"},
      {"99999999999999999999", "100000000000000000000"},
      {"2001-01-01", R"("2001-01-01")"},
      {"12:30:45", R"("12:30:45")"},
      {"'1'", R"("1")"},
      {"\"true\"", R"("true")"},
      {"!!str 1", R"("1")"},
      {"!!int '2'", "2"},
      {"!!float 1", "1"},
      {"!custom 1", R"("1")"},
      {"!!str", R"("")"},
  };
  for (const Case& c : cases) EXPECT_EQ(json_of(c.yaml), c.json) << c.yaml;
}

TEST(YamlScalars, KnowWhichTextsGoyamlQuotes) {
  for (const std::string_view quoted : {"", "y", "no", "null", "~", "1", "0x1F", "1e3", ".5", "-.inf", "2001-01-01",
                                        "2001-1-1 1:2:3", "2001-01-01T01:02:03Z", "12:30:45", "1_000", "08"}) {
    EXPECT_TRUE(needs_yaml_quotes(quoted)) << quoted;
  }
  for (const std::string_view plain : {"a", "1Gi", "100m", "2001-13-01", "2001-02-30", "12:60", "1e400", "yess", "0x",
                                       "v1", "1.2.3", "_1", "<<", "2001-01-01T01:02:03"}) {
    EXPECT_FALSE(needs_yaml_quotes(plain)) << plain;
  }
}

// The expected values were printed by sigs.k8s.io/yaml v1.6.0.
TEST(YamlParser, ReadsBlocksAsGoyamlDoes) {
  const std::vector<Case> cases = {
      {"a: 1\nb:\n  c: x\n  d:\n  - 1\n  - y2: 2\n    z: 3\n", R"({"a":1,"b":{"c":"x","d":[1,{"y2":2,"z":3}]}})"},
      {"- a\n- - b\n  - c\n- k: v\n", R"(["a",["b","c"],{"k":"v"}])"},
      {"a:\n- 1\n- 2\nb:\n - 3\n", R"({"a":[1,2],"b":[3]})"},
      {"a:\n  - b:\n    - c\n    d: e\n  -\n    f: g\n  - \n", R"({"a":[{"b":["c"],"d":"e"},{"f":"g"},null]})"},
      {"? k1\n: v1\n? k2\n", R"({"k1":"v1","k2":null})"},
      {"# c\na: b # c\n# c\n\n# d\nc: d#e\n", R"({"a":"b","c":"d#e"})"},
      {"1: a\ntrue: b\n1.5: c\n0x10: d\n", R"({"1":"a","1.5":"c","16":"d","true":"b"})"},
      {"m: multi\n  line\n  plain\n\n  text\n", R"({"m":"multi line plain\ntext"})"},
      {"url: http://x.y/z?q=1\nt: a:b\n", R"({"t":"a:b","url":"http://x.y/z?q=1"})"},
      {"a: b\r\nc: d\r\n", R"({"a":"b","c":"d"})"},
      {"\xEF\xBB\xBF"
       "a: b\n",
       R"({"a":"b"})"},
      {"--- \na: b\n...\n", R"({"a":"b"})"},
      {"%YAML 1.1\n---\na: b\n", R"({"a":"b"})"},
      {"", "null"},
      {"# only a comment\n", "null"},
      {"a:\nb: \n", R"({"a":null,"b":null})"},
  };
  for (const Case& c : cases) EXPECT_EQ(json_of(c.yaml), c.json) << c.yaml;
}

TEST(YamlParser, ReadsFlowStyleAsGoyamlDoes) {
  const std::vector<Case> cases = {
      {"f: [a, b: c, {d: e, f}, \"g\": h]\ng: {a: [1, 2], \"b\":3, c: , d}\n",
       R"({"f":["a",{"b":"c"},{"d":"e","f":null},{"g":"h"}],"g":{"a":[1,2],"b":3,"c":null,"d":null}})"},
      {"a: {x: 1,\n  z: 2}\nb: [1,\n2,\n]\n", R"({"a":{"x":1,"z":2},"b":[1,2]})"},
      {"{\"a\": {\"b\": [1, 2.5, null, true, \"\\u00e9\\ud83d\\ude00\"]}}", R"({"a":{"b":[1,2.5,null,true,"é😀"]}})"},
      {"[a:1, {b:2}]", R"(["a:1",{"b:2":null}])"},
      {"[]", "[]"},
      {"a: {}", R"({"a":{}})"},
  };
  for (const Case& c : cases) EXPECT_EQ(json_of(c.yaml), c.json) << c.yaml;
}

TEST(YamlParser, ReadsTextBlocksAndQuotesAsGoyamlDoes) {
  const std::vector<Case> cases = {
      {"s: |\n  l1\n   l2\n\n  l3\nt: >-\n  f1\n  f2\n\n  f3\n   more\n  f4\n",
       R"({"s":"l1\n l2\n\nl3\n","t":"f1 f2\nf3\n more\nf4"})"},
      {"s: |+\n  a\n\nt: |-\n  b\n\n", R"({"s":"a\n\n","t":"b"})"},
      {"s: |2\n    a\n   b\n", R"({"s":"  a\n b\n"})"},
      {"s: |\n  a", R"({"s":"a"})"},
      {"q: \"dq\n  cont\\\n  inued \\\n  x\"\nr: 'sq\n\n  it''s'\n", R"({"q":"dq continued x","r":"sq\nit's"})"},
      {"k: \"a\\tb\\x41\\u00e9\\0\\e\\N\\_\\/\"\n", "{\"k\":\"a\\tbAé\\u0000\\u001b\xC2\x85\xC2\xA0/\"}"},
      {"k: ''\nl: \"\"\n", R"({"k":"","l":""})"},
  };
  for (const Case& c : cases) EXPECT_EQ(json_of(c.yaml), c.json) << c.yaml;
}

TEST(YamlParser, FollowsAliasesAndMergesMaps) {
  const std::vector<Case> cases = {
      {"a: &x\n  k: v\n  l: w\nb: *x\nc:\n  <<: *x\n  l: z\n",
       R"({"a":{"k":"v","l":"w"},"b":{"k":"v","l":"w"},"c":{"k":"v","l":"z"}})"},
      {"- &a [1, 2]\n- *a\n- {x: *a}\n", R"([[1,2],[1,2],{"x":[1,2]}])"},
      {"a: &n 5\nb: *n\n", R"({"a":5,"b":5})"},
      {"- &a {k: 1, l: 1}\n- &b {k: 2}\n- <<: [*a, *b]\n", R"([{"k":1,"l":1},{"k":2},{"k":1,"l":1}])"},
      {"a: &x {k: 1}\nb:\n  k: 2\n  <<: *x\n", R"({"a":{"k":1},"b":{"k":1}})"},
      {"&k key: v\nl: *k\n", R"({"key":"v","l":"key"})"},
      {"&a\nk: v\n", R"({"k":"v"})"},
      {"\"<<\": x\n", R"({"\u003c\u003c":"x"})"},
      {"a: *x\n", "error: line 1, column 4: unknown anchor 'x' referenced"},
      {"a: &x [*x]\n", "error: line 1, column 8: anchor 'x' value contains itself"},
      {"<<: 5\n", "error: line 2, column 1: map merge requires map or sequence of maps as the value"},
  };
  for (const Case& c : cases) EXPECT_EQ(json_of(c.yaml), c.json) << c.yaml;
}

TEST(YamlParser, NamesLineAndColumnOfASyntaxError) {
  const std::vector<Case> cases = {
      {"a: b\n  c: d\n", "error: line 2, column 4: expected the end of the line, got ':'"},
      {"a:\n    b: 1\n  c: 2\n", "error: line 3, column 3: expected column 1, as the entries before, or less"},
      {"a: b: c\n",
       "error: line 1, column 5: a map may not begin here: \"key: value\" within a value has to be quoted"},
      {"a:\n\t- b\n", "error: line 2, column 1: a tab may not be used for indentation"},
      {"a: [1, 2\n", "error: line 2, column 1: expected ']' or '}', got the end of the text"},
      {"a: [1, 2}\n", "error: line 1, column 9: expected ',' or ']', got '}'"},
      {"a: [1,,2]\n", "error: line 1, column 7: expected a value, got ','"},
      {"a: \"x\n", "error: line 2, column 1: the string that begins on line 1 has no end"},
      {"a: 'x", "error: line 1, column 4: the string that begins here has no end"},
      {"a: \"\\q\"\n", "error: line 1, column 5: found unknown escape character"},
      {"a: @x\n", "error: line 1, column 4: a value may not begin with '@'; quote it"},
      {"a\nb: c\n", "error: line 2, column 2: expected the end of the document, got ':'"},
      {"a: 1\nb\n", "error: line 2, column 2: expected ':' after the key"},
      {"- a\nb: c\n", "error: line 2, column 1: expected the end of the document, got 'b'"},
      {"a: 1\n- b\n", "error: line 2, column 1: expected a key, got a list entry"},
      {"a: - b\n", "error: line 1, column 4: a list may not begin on the line of its key"},
      {"[a]: b\n", "error: line 1, column 4: a list or an object cannot be a key"},
      {"~: b\n", "error: line 1, column 2: this cannot be a key; quote it"},
      {"a: |x\n", "error: line 1, column 5: expected the end of the line after '|' or '>', got 'x'"},
      {"a: !!int x\n", "error: line 1, column 11: cannot read `x` as !!int"},
      {"a: .inf\n", "error: line 1, column 8: the number .inf cannot be used: JSON has no such value"},
      {"a: \xff\n", "error: line 1, column 4: byte 0xff is not UTF-8"},
      {"a: b\n\x01\n", "error: line 2, column 1: the control character 0x01 is not allowed"},
      {"%TAG ! x\n---\na: b\n", "error: line 1, column 1: %TAG is not supported"},
  };
  for (const Case& c : cases) EXPECT_EQ(json_of(c.yaml), c.json) << c.yaml;
}

TEST(YamlParser, RefusesDocumentsThatExplode) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) bomb += "*a" + std::to_string(i - 1) + (k < 9 ? ", " : "]\n");
  }
  EXPECT_EQ(json_of(bomb), "error: line 6, column 10: document contains excessive aliasing");
  // Ordinary use of an anchor is fine.
  std::string many = "base: &b {cpu: 1, memory: 2}\nitems:\n";
  for (int i = 0; i < 10'000; ++i) many += "- *b\n";
  EXPECT_TRUE(json_of(many).starts_with(R"({"base":{"cpu":1,"memory":2},"items":[{"cpu":1,)"));
}

TEST(YamlParser, RefusesDeepNestingWithoutCrashing) {
  EXPECT_EQ(json_of(std::string(100'000, '[')), "error: line 1, column 201: nested deeper than 200 levels");
  EXPECT_EQ(json_of(std::string(kMaxDepth, '[') + std::string(kMaxDepth, ']')),
            std::string(kMaxDepth, '[') + std::string(kMaxDepth, ']'));
  std::string dashes;
  for (int i = 0; i < 100'000; ++i) dashes += "- ";
  EXPECT_EQ(json_of(dashes), "error: line 1, column 401: nested deeper than 200 levels");
  std::string maps;
  for (int i = 0; i < 1000; ++i) maps += std::string(i, ' ') + "a:\n";
  EXPECT_EQ(json_of(maps), "error: line 201, column 202: nested deeper than 200 levels");
  // A chain of aliases nests as deep as what it stands for.
  std::string chain = "- &a0 [x]\n";
  for (int i = 1; i < 1000; ++i) chain += "- &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  EXPECT_EQ(json_of(chain), "error: line 200, column 10: nested deeper than 200 levels");
}

TEST(YamlReader, NamesLineAndPathOfAWrongValue) {
  const std::vector<std::pair<std::string_view, std::string_view>> cases = {
      {"flag: true\nsmall: high\n", R"(line 2: small: expected an integer, got "high")"},
      {"text: 8080\n", "line 1: text: expected a string, got 8080 (quote the value)"},
      {"text: yes\n", "line 1: text: expected a string, got true (quote the value)"},
      {"list:\n- name: a\n- name: 1.5\n", "line 3: list[1].name: expected a string, got 1.5 (quote the value)"},
      {"labels:\n  a: on\n", "line 2: labels.a: expected a string, got true (quote the value)"},
      {"small: 1.5\n", "line 1: small: expected an integer, got 1.5"},
      {"large: 1e30\n", "line 1: large: expected an integer, got 1e+30"},
      {"inner:\n- 1\n", "line 2: inner: expected an object, got a list"},
      {"duration: 5\n", R"(line 1: duration: expected a duration such as "1m30s", got 5)"},
      {"", "the text is empty"},
      {"flag: true\n---\nflag: false\n", "line 3: expected one document, got several"},
      {"flag: true\n---\n[\n", "line 4, column 1: expected ']' or '}', got the end of the text"},
      {"just a text", R"(line 1: expected an object, got "just a text")"},
  };
  for (const auto& [yaml, message] : cases) EXPECT_EQ(error_of(yaml), message) << yaml;
}

TEST(YamlReader, ReadsNumbersWhereNumbersAreExpected) {
  const auto read =
      from_yaml<Sample>("small: 1.0\nlarge: 1e3\nquantity: 0x10\nport: 8_080\nratio: 3\nraw: {b: 1.0, a: [x]}\n");
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(read->small, 1);
  EXPECT_EQ(read->large, 1000);
  EXPECT_EQ(read->quantity.value(), 16);
  EXPECT_EQ(read->port.number, 8080);
  EXPECT_EQ(read->ratio, 3);
  EXPECT_EQ(read->raw.text, R"({"b":1,"a":["x"]})");
  EXPECT_EQ(from_yaml<Sample>("quantity: 1.50\n")->quantity.str(), "1500m");
}

TEST(YamlReader, ReportsUnknownAndDuplicateFieldsInStrictMode) {
  std::vector<std::string> reported;
  DecodeOptions options;
  options.strict = true;
  options.report = [&reported](const Error& error) { reported.push_back(error.message()); };
  const auto read =
      from_yaml<Sample>("kind: Sample\nzoo: 1\nsmall: 1\nsmall: 2\nlist:\n- name: a\n  foo: b\nbar: c\n", options);
  const std::vector<std::string> expected = {
      R"(line 4: key "small" already set in map)",
      R"(line 8: unknown field "bar")",
      R"(line 7: unknown field "list[0].foo")",
      R"(line 2: unknown field "zoo")",
  };
  EXPECT_EQ(reported, expected);
  EXPECT_EQ(read.error().what(), R"(key "small" already set in map)");
  EXPECT_EQ(from_yaml<Sample>("small: 1\nsmall: 2\nlist: [{}]\nlist: []\n")->small, 2);
}

TEST(YamlReader, RefusesOrReadsEveryTruncationOfAnObject) {
  const std::string text =
      "apiVersion: v1\nkind: Pod\nmetadata:\n  name: \"web\\n\"\n  labels: {app: 'it''s', tier: [x]}\n"
      "spec:\n  containers: # c\n  - &c name: c\n    command: |2-\n      a\n    image: >+\n     x\n\n  - *c\n"
      "  priority: !!int 7\n  <<: {nodeName: n}\n...\n";
  std::size_t readable = 0;
  for (std::size_t length = 0; length <= text.size(); ++length) {
    const std::string cut = text.substr(0, length);
    const auto read = object_from_yaml(cut);
    if (read) {
      ++readable;
    } else {
      EXPECT_FALSE(read.error().what().empty());
    }
  }
  EXPECT_GT(readable, 0u);
}

// The expected values were printed by sigs.k8s.io/yaml v1.6.0's JSONToYAML.
TEST(YamlWriter, WritesWhatKubernetesWrites) {
  const std::string words = "lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"b":1,"a":{"d":[1,"x",{"k":"v","l":[]}],"c":null},"e":{}})",
       "a:\n  c: null\n  d:\n  - 1\n  - x\n  - k: v\n    l: []\nb: 1\ne: {}\n"},
      {R"([["a","b"],[],[[1]]])", "- - a\n  - b\n- []\n- - - 1\n"},
      {R"({"a10":1,"a2":2,"a":3,"B":4,"_x":5,"9":6,"a-b":7})", "_x: 5\n\"9\": 6\nB: 4\na: 3\na-b: 7\na2: 2\na10: 1\n"},
      {R"({"a":"","b":"true","c":"1","d":"1Gi","e":"2001-01-01","f":"12:30:45","g":"null","h":"x: y"})",
       "a: \"\"\nb: \"true\"\nc: \"1\"\nd: 1Gi\ne: \"2001-01-01\"\nf: \"12:30:45\"\ng: \"null\"\nh: 'x: y'\n"},
      {R"({"a":"- x","b":"it's","c":"#x","d":"a #b","e":" x","f":"'q'","g":"a\tb","h":"\u00e9","i":"😀","j":"{x"})",
       "a: '- x'\nb: it's\nc: '#x'\nd: 'a #b'\ne: ' x'\nf: '''q'''\ng: \"a\\tb\"\nh: é\ni: \"\\U0001F600\"\nj: '{x'\n"},
      {R"({"a":"l1\nl2\n","b":"l1\nl2","c":"l1\n\n","d":" l1\nl2","e":"l1 \nl2"})",
       "a: |\n  l1\n  l2\nb: |-\n  l1\n  l2\nc: |+\n  l1\n\nd: |2-\n   l1\n  l2\ne: \"l1 \\nl2\"\n"},
      {"{\"a\":\"" + words + "\"}",
       "a: lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor\n  incididunt\n"},
      {R"({"a":1.5,"b":1e+20,"c":1234567.5,"d":1e-7,"e":18446744073709551615,"f":-3})",
       "a: 1.5\nb: 1e+20\nc: 1.2345675e+06\nd: 1e-07\ne: 18446744073709551615\nf: -3\n"},
      {R"("text")", "text\n"},
      {"null", "null\n"},
  };
  for (const auto& [json, yaml] : cases) EXPECT_EQ(yaml_of(json), yaml) << json;
  const std::string long_key(130, 'k');
  EXPECT_EQ(yaml_of("{\"" + long_key + "\":1}"), "? " + long_key + "\n: 1\n");
}

TEST(YamlRoundTrip, KeepsRandomSamples) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Rng rng(seed);
    Sample sample;
    testing::fill_randomly(rng, api::type_of<Sample>(), &sample);
    // Normalized, and what JSON keeps of it.
    sample = *from_json<Sample>(to_json(sample));
    sample.raw.text.clear();
    const std::string yaml = to_yaml(sample);
    const auto read = from_yaml<Sample>(yaml);
    ASSERT_TRUE(read.has_value()) << read.error().message() << "\n" << yaml;
    EXPECT_EQ(*read, sample) << "seed " << seed << "\n" << yaml;
  }
}

TEST(YamlRoundTrip, KeepsRandomObjectsOfEveryKind) {
  for (const api::ObjectKind& kind : api::all_kinds()) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Rng rng(seed);
      const std::shared_ptr<void> object = kind.make();
      testing::fill_randomly(rng, *kind.type, object.get());
      const auto first = object_from_json(object_to_json(api::AnyObject(kind, object)));
      ASSERT_TRUE(first.has_value()) << first.error().message();
      const auto second = object_from_yaml(object_to_yaml(*first));
      ASSERT_TRUE(second.has_value()) << kind.kind << ": " << second.error().message();
      EXPECT_EQ(object_to_yaml(*first), object_to_yaml(*second));
    }
  }
}

}  // namespace
}  // namespace berth::codec
