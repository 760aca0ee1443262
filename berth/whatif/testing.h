// What the tests of this folder share: clusters written as YAML. For tests only; the library must not include it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/api/object.h"
#include "berth/codec/documents.h"

namespace berth::whatif::testing {

inline std::vector<api::AnyObject> objects_in(std::string_view yaml) {
  codec::Documents documents;
  codec::read_documents(yaml, "test", codec::DecodeOptions{}, documents);
  for (const Error& error : documents.errors) ADD_FAILURE() << error.message();
  return std::move(documents.objects);
}

inline std::string node(const std::string& name, const std::string& cpu, const std::string& pool = "general",
                        const std::string& zone = "a") {
  return "---\napiVersion: v1\nkind: Node\nmetadata:\n  name: " + name +
         "\n  labels: {kubernetes.io/hostname: " + name + ", pool: " + pool + ", topology.kubernetes.io/zone: " + zone +
         "}\nstatus:\n  allocatable: {cpu: \"" + cpu + "\", memory: 64Gi, pods: \"110\"}\n";
}

struct PodText {
  std::string node{};
  std::string cpu = "1";
  std::string owner{};   // "ReplicaSet web"; the owner itself is not made
  std::string labels{};  // "app: web"
  std::string more{};    // of the spec: "priority: 5"
};
inline std::string pod(const std::string& name, const PodText& text) {
  const std::size_t blank = text.owner.find(' ');
  std::string result = "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: " + name + "\n  namespace: default\n";
  if (!text.labels.empty()) result += "  labels: {" + text.labels + "}\n";
  if (!text.owner.empty()) {
    result += "  ownerReferences: [{apiVersion: apps/v1, kind: " + text.owner.substr(0, blank) +
              ", name: " + text.owner.substr(blank + 1) + ", controller: true}]\n";
  }
  result += "spec:\n";
  if (!text.node.empty()) result += "  nodeName: " + text.node + "\n";
  if (!text.more.empty()) result += "  " + text.more + "\n";
  result += "  containers: [{name: main, resources: {requests: {cpu: \"" + text.cpu + "\"}}}]\n";
  return result + "status: {phase: " + (text.node.empty() ? "Pending" : "Running") + "}\n";
}

}  // namespace berth::whatif::testing
