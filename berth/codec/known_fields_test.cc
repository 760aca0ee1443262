#include "berth/codec/known_fields.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "berth/api/kinds.h"
#include "berth/codec/documents.h"

namespace berth::codec {
namespace {

using Texts = std::vector<std::string>;

Texts strict_errors(const std::string& text) {
  DecodeOptions options;
  options.strict = true;
  Documents documents;
  read_documents(text, "f", options, documents);
  Texts texts;
  for (const Error& error : documents.errors) texts.push_back(error.message());
  return texts;
}

// Each field of a schema table is one of Kubernetes', or nobody could write it, and has its number in protobuf.
void expect_known(const api::Type& type, const KnownType& known, std::size_t depth) {
  if (depth == 0) return;
  const api::Type* inner = &type;
  while (inner->element != nullptr) inner = inner->element;
  if (inner->kind != api::Kind::kObject) return;
  for (const api::Field& field : inner->schema().fields()) {
    if (field.json_name.empty()) {
      expect_known(*field.type, known, depth - 1);
      continue;
    }
    // Berth has one type for two that differ in this.
    if (known.name == "TypedLocalObjectReference" && field.json_name == "namespace") continue;
    const KnownField* found = known.find(field.json_name);
    EXPECT_NE(found, nullptr) << known.name << "." << field.json_name;
    if (found != nullptr) EXPECT_EQ(field.number, found->number) << known.name << "." << field.json_name;
    if (found != nullptr && found->type != nullptr) expect_known(*field.type, *found->type, depth - 1);
  }
}

TEST(KnownFields, HoldAllThatBerthReads) {
  for (const api::ObjectKind& kind : api::all_kinds()) {
    // Custom resources: the Go types of their operators are not Kubernetes'.
    const std::string_view group = kind.api_version.substr(0, kind.api_version.find('/'));
    const bool is_custom =
        group.find('.') != std::string_view::npos && (!group.ends_with(".k8s.io") || group == "cluster.x-k8s.io");
    if (is_custom) continue;
    const KnownType* known = known_type(kind.api_version, kind.kind);
    ASSERT_NE(known, nullptr) << kind.kind;
    expect_known(*kind.type, *known, 10);
  }
}

TEST(KnownFields, TellWhatAMisspeltFieldWasMeantToBe) {
  EXPECT_EQ(
      strict_errors("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: a\n    image: x\n"
                    "    resources:\n      request:\n        cpu: 100\n"),
      (Texts{R"(f:9: unknown field "spec.containers[0].resources.request" (did you mean "requests"?))"}));
  EXPECT_EQ(
      strict_errors("apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - livenessProbe:\n      httpget: {}\n"
                    "      periodSeconds: \"5\"\n    env:\n    - name: A\n      value: 8080\n"),
      (Texts{R"(f:6: unknown field "spec.containers[0].livenessProbe.httpget" (did you mean "httpGet"?))",
             R"(f:7: spec.containers[0].livenessProbe.periodSeconds: expected an integer, got "5" (without quotes))",
             R"(f:10: spec.containers[0].env[0].value: expected a string, got 8080 (quote the value))"}));
}

TEST(KnownFields, TellWhereAMisplacedFieldBelongs) {
  EXPECT_EQ(strict_errors("apiVersion: apps/v1\nkind: Deployment\nspec:\n  nodeSelector: {a: b}\n"),
            (Texts{R"(f:4: unknown field "spec.nodeSelector" (did you mean spec.template.spec.nodeSelector? Check the )"
                   R"(indentation))"}));
  EXPECT_EQ(strict_errors("apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: a\n    tolerations: []\n"),
            (Texts{R"(f:6: unknown field "spec.containers[0].tolerations" (did you mean spec.tolerations? Check the )"
                   R"(indentation))"}));
  EXPECT_EQ(strict_errors("apiVersion: apps/v1\nkind: Deployment\nspec:\n  selector: {app: web}\n"),
            (Texts{R"(f:4: unknown field "spec.selector.app" (there are matchExpressions, matchLabels))"}));
}

TEST(KnownFields, HaveLinesInJsonToo) {
  EXPECT_EQ(strict_errors(
                "{\n \"apiVersion\": \"v1\",\n \"kind\": \"Pod\",\n \"spec\": {\n  \"nodeNme\": \"x\", \"nodeName\": "
                "\"a\",\n  \"nodeName\": \"b\"\n }\n}\n"),
            (Texts{R"(f:6: key "nodeName" already set in map)", R"(f:5: unknown field "spec.nodeNme" (did you mean )"
                                                                R"("nodeName"?))"}));
}

TEST(KnownFields, DoNotApplyToCustomResources) {
  EXPECT_EQ(strict_errors("apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: a}\nspec: {strange: 1}\n"),
            Texts{});
}

TEST(KnownFields, AcceptWhatKubectlPrints) {
  EXPECT_EQ(strict_errors(
                "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  managedFields:\n  - manager: k\n    fieldsV1: "
                "{'f:metadata': {}}\nspec:\n  securityContext: {runAsUser: 5, fsGroup: 1}\n  containers:\n  - {name: "
                "a, image: x, imagePullPolicy: Always, terminationMessagePath: /dev/x, volumeMounts: [{mountPath: "
                "/a, name: v}]}\n  volumes: [{name: v, configMap: {name: c, defaultMode: 420}}]\nstatus: {qosClass: "
                "BestEffort, podIPs: [{ip: 1.2.3.4}], hostIP: 1.2.3.4}\n"),
            Texts{});
}

TEST(Documents, TellAMisspeltKind) {
  EXPECT_EQ(strict_errors("apiVersion: apps/v1\nkind: Deploymnet\n"),
            (Texts{"f:1: unknown kind apps/v1 Deploymnet (did you mean Deployment?)"}));
  EXPECT_EQ(strict_errors("apiVersion: v1\nkind: Deployment\n"),
            (Texts{"f:1: unknown kind v1 Deployment (did you mean apiVersion apps/v1?)"}));
  EXPECT_EQ(strict_errors("apiVersion: v1\nkind: pod\n"), (Texts{"f:1: unknown kind v1 pod (did you mean Pod?)"}));
  EXPECT_EQ(strict_errors("apiVersion: batch/v1\nkind: CronJob\n---\napiVersion: v1\nkind: Secret\n---\napiVersion: "
                          "serving.knative.dev/v1\nkind: Service\n"),
            Texts{});
}

}  // namespace
}  // namespace berth::codec
