#include "berth/codec/documents.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "berth/api/kinds.h"

namespace berth::codec {
namespace {

Documents read(std::string_view text, const DecodeOptions& options = {}) {
  Documents documents;
  read_documents(text, "file", options, documents);
  return documents;
}

std::vector<std::string> messages(const Documents& documents) {
  std::vector<std::string> all;
  for (const Error& error : documents.errors) all.push_back(error.message());
  return all;
}

std::vector<std::string> names(const Documents& documents) {
  std::vector<std::string> all;
  for (const api::AnyObject& object : documents.objects) {
    all.push_back(std::string(object.kind().kind) + " " + api::full_name(object.metadata()));
  }
  return all;
}

using Texts = std::vector<std::string>;

TEST(Documents, ReadSeveralYamlDocuments) {
  const Documents documents = read(
      "# a comment\n---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n---\n---\n# nothing\n---\n"
      "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n...\n---\n{\"apiVersion\": \"v1\", \"kind\": \"Pod\"}\n");
  EXPECT_EQ(names(documents), (Texts{"Pod a", "Node n1", "Pod "}));
  EXPECT_EQ(messages(documents), Texts());
}

TEST(Documents, ReadSeveralJsonValues) {
  const Documents documents = read(
      "\xEF\xBB\xBF {\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a}{\\\"\"}}\r\n"
      "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n\"}}{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}"
      "\n\n");
  EXPECT_EQ(names(documents), (Texts{"Pod a}{\"", "Node n", "Pod "}));
  EXPECT_EQ(messages(documents), Texts());
}

TEST(Documents, AreEmptyWithoutAnErrorIfTheTextIs) {
  for (const std::string_view text : {"", "\n\n", "---\n---\n", "# nothing here\n", "\xEF\xBB\xBF", "~\n"}) {
    const Documents documents = read(text);
    EXPECT_TRUE(documents.objects.empty() && documents.errors.empty()) << text;
  }
}

TEST(Documents, ReadListsOfAllKinds) {
  const std::string_view yaml =
      "apiVersion: v1\nkind: List\nmetadata: {}\nitems:\n"
      "- apiVersion: v1\n  kind: Pod\n  metadata: {name: a}\n"
      "- apiVersion: v1\n  kind: PodList\n  items:\n  - metadata: {name: b}\n"
      "- apiVersion: apps/v1\n  kind: ControllerRevision\n"
      "- apiVersion: apps/v1\n  kind: ControllerRevision\n"
      "- apiVersion: example.com/v1\n  kind: Thing\n";
  const Documents documents = read(yaml);
  EXPECT_EQ(names(documents), (Texts{"Pod a", "Pod b"}));
  const std::vector<std::pair<std::string, std::size_t>> unknown = {{"apps/v1 ControllerRevision", 2},
                                                                    {"example.com/v1 Thing", 1}};
  EXPECT_EQ(documents.unknown_kinds, unknown);
  EXPECT_EQ(messages(documents), Texts());
}

TEST(Documents, SkipWhatCannotBeReadAndSayWhy) {
  const Documents documents = read(
      "apiVersion: v1\nkind: Pod\nspec:\n  priority: high\n"
      "---\n- a\n"
      "---\nkind: Pod\n"
      "---\nfoo: bar\n"
      "---\na: [\n"
      "---\napiVersion: v1\nkind: Pod\nmetadata: {name: good}\n"
      "---\napiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: b}\n- spec: {containers: 5}\n- metadata: {name: "
      "c}\n");
  EXPECT_EQ(names(documents), (Texts{"Pod good", "Pod b", "Pod c"}));
  const Texts expected = {
      R"(file:4: spec.priority: expected an integer, got "high")",
      "file:6: expected a Kubernetes object, got a list",
      "file:8: no apiVersion: is this a Kubernetes object?",
      "file:10: no kind: is this a Kubernetes object?",
      "file:13:1: expected ']' or '}', got the end of the document",
      "file:22: items[1].spec.containers: expected a list, got 5",
  };
  EXPECT_EQ(messages(documents), expected);
}

TEST(Documents, SayWhereJsonIsWrong) {
  EXPECT_EQ(messages(read(R"({"apiVersion":"v1","kind":"Pod","spec":{"priority":"high"}})")),
            (Texts{R"(file: spec.priority: expected an integer, got "high")"}));
  EXPECT_EQ(messages(read("{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}\n{\"kind\":\"Pod\"}\n{\n\"kind\": x}\n[]\n{")),
            (Texts{"file:2: no apiVersion: is this a Kubernetes object?", "file:4:9: expected a value, got 'x'",
                   "file:5: expected a Kubernetes object, got a list",
                   "file:6:2: expected a field name in quotes, got the end of the text"}));
}

TEST(Documents, ReportStrictErrorsWithFileAndLine) {
  DecodeOptions options;
  options.strict = true;
  const Documents documents =
      read("apiVersion: v1\nkind: Pod\nspec:\n  nodeNames: x\n---\napiVersion: v1\nkind: Node\nkind: Node\n", options);
  EXPECT_EQ(messages(documents),
            (Texts{R"(file:4: unknown field "spec.nodeNames")", R"(file:8: key "kind" already set in map)"}));
  EXPECT_EQ(names(documents), (Texts{"Node "}));
}

TEST(Documents, ShareEqualPartsThroughThePool) {
  InternPool pool;
  DecodeOptions options;
  options.pool = &pool;
  std::string text = R"({"apiVersion":"v1","kind":"PodList","items":[)";
  for (int i = 0; i < 2000; ++i) {
    text += (i == 0 ? "" : ",");
    text += R"({"metadata":{"name":"web-)" + std::to_string(i) +
            R"(","labels":{"app":"web"}},"spec":{"nodeName":"n","containers":[{"name":"c"}]}})";
  }
  const Documents documents = read(text + "]}", options);
  ASSERT_EQ(documents.objects.size(), 2000u);
  const auto first = documents.objects.front().as<api::Pod>();
  const auto last = documents.objects.back().as<api::Pod>();
  EXPECT_TRUE(first->spec.shared.same_as(last->spec.shared));
  EXPECT_TRUE(first->metadata.labels.same_as(last->metadata.labels));
  EXPECT_LT(pool.size(), 10u);
}

}  // namespace
}  // namespace berth::codec
