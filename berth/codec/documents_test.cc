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
      "file:6: [0]: expected a Kubernetes object, got \"a\"",
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
                   "file:6:2: expected a field name in quotes, got the end of the text"}));
}

TEST(Documents, ReportStrictErrorsWithFileAndLine) {
  DecodeOptions options;
  options.strict = true;
  const Documents documents =
      read("apiVersion: v1\nkind: Pod\nspec:\n  nodeNames: x\n---\napiVersion: v1\nkind: Node\nkind: Node\n", options);
  EXPECT_EQ(messages(documents), (Texts{R"(file:4: unknown field "spec.nodeNames" (did you mean "nodeName"?))",
                                        R"(file:8: key "kind" already set in map)"}));
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

TEST(Documents, MayBeArraysAndMixedWithComments) {
  const std::string pod = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")";
  EXPECT_EQ(names(read("[" + pod + "a\"}}, " + pod + "b\"}}]")), (Texts{"Pod a", "Pod b"}));
  EXPECT_EQ(names(read("# a dump\r\n---\r\n" + pod + "a\"}}\r\n# more\r\n---\r\n" + pod +
                       "b\"}}\n---\napiVersion: "
                       "v1\nkind: Node\nmetadata: {name: n1}\n")),
            (Texts{"Pod a", "Pod b", "Node n1"}));
  EXPECT_EQ(names(read("# nothing\n---\n# but\n---\napiVersion: v1\nkind: Node\nmetadata:\n  name: n1\n...\n")),
            (Texts{"Node n1"}));
  EXPECT_EQ(messages(read(pod + "a\"}}\n---\napiVersion: v1\nkind: Pod\nspec: {priority: high}\n")),
            (Texts{R"(file:5: spec.priority: expected an integer, got "high")"}));
}

TEST(Documents, TellWhatATextIsThatHasNoObjects) {
  const auto first = [](const std::string& text) {
    const Texts all = messages(read(text));
    return all.size() == 1 ? all[0] : std::to_string(all.size());
  };
  EXPECT_EQ(
      first("apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Release.Name }}-a\n  labels:\n    {{- include \"x\" . | "
            "nindent 4 }}\n"),
      "file: this looks like an unrendered Helm template (run helm template first, and give what it prints)");
  EXPECT_EQ(first("{{- if .Values.enabled }}\napiVersion: v1\nkind: Pod\n{{- end }}\n"),
            "file: this looks like an unrendered Helm template (run helm template first, and give what it prints)");
  EXPECT_EQ(first("{% for n in nodes %}\nkind: Pod\n{% endfor %}\n"),
            "file: this looks like an unrendered Jinja template (render it first, and give what comes out)");
  EXPECT_EQ(first("services:\n  web:\n    image: nginx\n"),
            "file: this looks like a Docker Compose file, not Kubernetes objects (kompose convert makes Kubernetes "
            "objects of "
            "it)");
  EXPECT_EQ(
      first("<!DOCTYPE html>\n<html><body>Sign in</body></html>\n"),
      "file: this is a web page, not Kubernetes objects (perhaps a login page answered: log in, and dump again with "
      "kubectl get -o yaml)");
  EXPECT_EQ(first("error: You must be logged in to the server (Unauthorized)\n"),
            "file: this is an error message of kubectl, not objects: error: You must be logged in to the server "
            "(Unauthorized) (put that right, and dump again)");
  EXPECT_EQ(first("NAME   READY   STATUS    RESTARTS   AGE\nweb    1/1     Running   0          5d\n"),
            "file: this is a table that kubectl prints for people (add -o yaml to kubectl get)");
  EXPECT_EQ(first("resources:\n- deployment.yaml\n- service.yaml\n"),
            "file: this is a Kustomization, which kustomize turns into objects (run kubectl kustomize first, and give "
            "what it "
            "prints)");
  EXPECT_EQ(first("apiVersion: v1\nkind: Config\nclusters: []\n"),
            "file:1: this is a kubeconfig, not a cluster's objects (give it with --kubeconfig)");
  EXPECT_EQ(first(R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"Unauthorized","code":401})"),
            "file: this is an error of the API server, not objects: Unauthorized (put that right, and dump again)");
  EXPECT_EQ(first("just some words\n"), "file:1: expected a Kubernetes object, got \"just some words\"");
}

}  // namespace
}  // namespace berth::codec
