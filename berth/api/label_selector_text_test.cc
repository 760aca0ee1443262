#include "berth/api/label_selector_text.h"

#include <gtest/gtest.h>

namespace berth::api {
namespace {

Labels labels_of(std::initializer_list<std::pair<const char*, const char*>> entries) {
  Labels labels;
  for (const auto& [key, value] : entries) labels[Symbol(key)] = Symbol(value);
  return labels;
}

TEST(LabelSelectorText, MatchesAsKubectlDoes) {
  const Labels web = labels_of({{"app", "web"}, {"tier", "a"}, {"empty", ""}});
  const struct {
    const char* text;
    bool matches;
  } cases[] = {
      {"", true},
      {"  ", true},
      {"app=web", true},
      {"app==web", true},
      {" app = web , tier = a ", true},
      {"app=api", false},
      {"app!=api", true},
      {"app!=web", false},
      {"missing!=x", true},
      {"app", true},
      {"missing", false},
      {"!missing", true},
      {"! app", false},
      {"tier in (a, b)", true},
      {"tier in (b)", false},
      {"tier notin (b,c),app=web", true},
      {"tier notin (a)", false},
      {"empty=", true},
      {"app=", false},
      {"app=web,tier in (b)", false},
  };
  for (const auto& each : cases) {
    const auto matcher = parse_label_selector(each.text);
    ASSERT_TRUE(matcher) << each.text << ": " << matcher.error().message();
    EXPECT_EQ(matcher->matches(web), each.matches) << each.text;
  }
}

TEST(LabelSelectorText, NamesWhatIsWrongAndWhere) {
  for (const char* text : {"=web", "app=web,", "tier in a", "tier in (a", "app web", "app=we b", "app=web)", "in in in",
                           "app=web!", "-app=x", "app=we/b"}) {
    const auto matcher = parse_label_selector(text);
    ASSERT_FALSE(matcher) << text;
    EXPECT_NE(matcher.error().message().find("label selector"), std::string::npos) << matcher.error().message();
  }
  EXPECT_EQ(parse_label_selector("app web").error().message(),
            "label selector \"app web\": expected =, ==, !=, in, notin or ',', found \"web\" (the form is "
            "app=web,tier in (a, b),!canary)");
}

}  // namespace
}  // namespace berth::api
