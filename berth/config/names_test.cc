#include "berth/config/names.h"

#include <gtest/gtest.h>

#include <string>

namespace berth::config {
namespace {

const std::string kNameRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

TEST(LabelKey, AcceptsNamesWithAndWithoutPrefix) {
  for (const char* key : {"a", "a-b_c.D", "example.com/name", "1/2"}) EXPECT_TRUE(check_label_key(key).empty()) << key;
}

TEST(LabelKey, SaysWhatIsWrong) {
  using Problems = std::vector<std::string>;
  EXPECT_EQ(check_label_key(""), (Problems{"name part must be non-empty", "name part " + kNameRule}));
  EXPECT_EQ(check_label_key("/x"), Problems{"prefix part must be non-empty"});
  EXPECT_EQ(check_label_key(std::string(64, 'a')), Problems{"name part must be no more than 63 bytes"});
  EXPECT_EQ(check_label_key("a/b/c"),
            Problems{"a valid label key " + kNameRule +
                     " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"});
  EXPECT_EQ(
      check_label_key("Bad/x"),
      Problems{"prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' "
               "or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for "
               "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"});
  EXPECT_EQ(check_label_key(std::string(254, 'a') + "/x"), Problems{"prefix part must be no more than 253 bytes"});
}

TEST(LabelValue, MayBeEmpty) {
  EXPECT_TRUE(check_label_value("").empty());
  EXPECT_TRUE(check_label_value("a.b").empty());
  EXPECT_EQ(check_label_value("-a").size(), 1u);
  EXPECT_EQ(check_label_value(std::string(64, 'a')).front(), "must be no more than 63 bytes");
}

TEST(ExtendedResource, IsOutsideOfKubernetes) {
  EXPECT_TRUE(is_extended_resource_name("example.com/gpu"));
  for (const char* name : {"cpu", "kubernetes.io/x", "requests.example.com/gpu"}) {
    EXPECT_FALSE(is_extended_resource_name(name)) << name;
  }
  EXPECT_FALSE(is_extended_resource_name(std::string(250, 'a') + "/x"));  // too long as a quota's name
}

}  // namespace
}  // namespace berth::config
