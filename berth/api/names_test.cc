#include "berth/api/names.h"

#include <gtest/gtest.h>

namespace berth::api {
namespace {

constexpr const char* kNameRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

TEST(Names, AcceptsQualifiedNames) {
  for (const std::string& name :
       {std::string("simple"), std::string("now-with-dashes"), std::string("1234"), std::string("a"),
        std::string("Uppercase_Is.OK-1"), std::string("example.com/Uppercase"), std::string("1.2.3.4/5678"),
        std::string(63, 'a'), std::string(253, 'a') + "/" + std::string(63, 'b')}) {
    EXPECT_TRUE(qualified_name_errors(name).empty()) << name;
    EXPECT_TRUE(is_qualified_name(name)) << name;
  }
}

TEST(Names, SaysWhatIsWrongWithAQualifiedName) {
  using Errors = std::vector<std::string>;
  const std::string name_rule = std::string("name part ") + kNameRule;
  const std::string prefix_rule =
      "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and "
      "must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
      "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
  const struct {
    std::string name;
    Errors errors;
  } cases[] = {
      {"", {"name part must be non-empty", name_rule}},
      {"-a", {name_rule}},
      {"a-", {name_rule}},
      {"a b", {name_rule}},
      {"h\xc3\xa9", {name_rule}},
      {std::string(64, 'a'), {"name part must be no more than 63 bytes"}},
      {std::string(64, '-'), {"name part must be no more than 63 bytes", name_rule}},
      {"/a", {"prefix part must be non-empty"}},
      {"example.com/", {"name part must be non-empty", name_rule}},
      {"Example.com/a", {prefix_rule}},
      {"a..b/c", {prefix_rule}},
      {"a_b/-", {prefix_rule, name_rule}},
      {std::string(254, 'a') + "/a", {"prefix part must be no more than 253 bytes"}},
      {"a/b/c",
       {std::string("a valid label key ") + kNameRule +
        " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"}},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(qualified_name_errors(c.name), c.errors) << c.name;
    EXPECT_FALSE(is_qualified_name(c.name)) << c.name;
  }
}

TEST(Names, ChecksLabelValues) {
  const std::string rule =
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start "
      "and "
      "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
      "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
  for (const std::string& value : {std::string(), std::string("a"), std::string("A_b.c-1"), std::string(63, 'x')}) {
    EXPECT_TRUE(label_value_errors(value).empty()) << value;
    EXPECT_TRUE(is_label_value(value)) << value;
  }
  EXPECT_EQ(label_value_errors("-a"), std::vector<std::string>{rule});
  EXPECT_EQ(label_value_errors("a/b"), std::vector<std::string>{rule});
  EXPECT_EQ(label_value_errors(std::string(64, 'x')), std::vector<std::string>{"must be no more than 63 bytes"});
  EXPECT_FALSE(is_label_value("a/b"));
  EXPECT_FALSE(is_label_value(std::string(64, 'x')));
}

TEST(Names, ChecksDnsNames) {
  EXPECT_TRUE(dns_label_errors("my-name").empty());
  EXPECT_TRUE(dns_subdomain_errors("my-name.example.com").empty());
  EXPECT_EQ(dns_label_errors("a.b"), std::vector<std::string>{"must not contain dots"});
  EXPECT_EQ(dns_label_errors("A").size(), 1u);
  EXPECT_TRUE(dns_label_errors("A")[0].ends_with(
      "(e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"));
  EXPECT_EQ(dns_subdomain_errors("a.").size(), 1u);
  EXPECT_EQ(dns_subdomain_errors("").size(), 1u);
  EXPECT_EQ(dns_subdomain_errors(std::string(254, 'a')), std::vector<std::string>{"must be no more than 253 bytes"});
}

TEST(Names, ParsesIntegersAsGo) {
  const struct {
    const char* text;
    std::optional<std::int64_t> value;
    bool canonical;
  } cases[] = {
      {"0", 0, true},
      {"7", 7, true},
      {"-7", -7, true},
      {"9223372036854775807", INT64_MAX, true},
      {"-9223372036854775808", INT64_MIN, true},
      {"+7", 7, false},
      {"07", 7, false},
      {"-0", 0, false},
      {"9223372036854775808", std::nullopt, false},
      {"", std::nullopt, false},
      {"-", std::nullopt, false},
      {"+", std::nullopt, false},
      {"+-7", std::nullopt, false},
      {" 7", std::nullopt, false},
      {"7 ", std::nullopt, false},
      {"0x7", std::nullopt, false},
      {"1_000", std::nullopt, false},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(parse_integer(c.text), c.value) << c.text;
    EXPECT_EQ(parse_canonical_integer(c.text), c.canonical ? c.value : std::nullopt) << c.text;
  }
}

TEST(Names, PrintsErrorsAsUpstream) {
  EXPECT_EQ(quoted("a\"b\\\n\x01\x7f"), "\"a\\\"b\\\\\\n\\x01\\x7f\"");
  EXPECT_EQ(quoted("h\xc3\xa9\xff"), "\"h\xc3\xa9\\xff\"");
  EXPECT_EQ(invalid_value("key", "a b", "wrong"), "key: Invalid value: \"a b\": wrong");
  const std::vector<std::string_view> two = {"a", "b"};
  EXPECT_EQ(invalid_values("values", two, "wrong"), "values: Invalid value: [\"a\",\"b\"]: wrong");
  EXPECT_EQ(invalid_values("values", {}, "wrong"), "values: Invalid value: null: wrong");
  EXPECT_EQ(unsupported_value("op", "X", two), "op: Unsupported value: \"X\": supported values: \"a\", \"b\"");
  EXPECT_EQ(aggregate_errors(std::vector<std::string>{"a"}), "a");
  EXPECT_EQ(aggregate_errors(std::vector<std::string>{"a", "a"}), "a");
  EXPECT_EQ(aggregate_errors(std::vector<std::string>{"a", "b", "a"}), "[a, b]");
}

}  // namespace
}  // namespace berth::api
