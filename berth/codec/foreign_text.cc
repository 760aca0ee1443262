#include "berth/codec/foreign_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "berth/base/ascii.h"

namespace berth::codec {

namespace {

// So much of a text tells what it is.
constexpr std::size_t kLookedAt = 64 << 10;
constexpr std::size_t kMaxQuoted = 160;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find_first_of("\r\n"));
}

// A line that begins with `key` at column 0.
bool has_top_level(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    if (at == 0 || text[at - 1] == '\n') return true;
  }
  return false;
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view beginning) {
    return text.size() >= beginning.size() && same_ignoring_case(text.substr(0, beginning.size()), beginning);
  });
}

std::optional<Error> template_of(std::string_view text) {
  if (contains(text, "{%")) {
    return Error("this looks like an unrendered Jinja template").with_fix("render it first, and give what comes out");
  }
  if (contains(text, ": ${") || contains(text, ": \"${")) {
    return Error("this looks like a template with ${...} in it that has not been filled in")
        .with_fix("run envsubst or what fills it in first, and give what comes out");
  }
  if (!contains(text, "{{")) return std::nullopt;
  const bool is_helm = contains(text, ".Values") || contains(text, ".Release") || contains(text, ".Chart") ||
                       contains(text, "{{- ") || contains(text, "include ") || contains(text, ".Capabilities");
  if (is_helm) {
    return Error("this looks like an unrendered Helm template")
        .with_fix("run helm template first, and give what it prints");
  }
  return Error("this looks like an unrendered template, with {{ ... }} in it")
      .with_fix("render it first (helm template, gomplate, jinja2), and give what comes out");
}

std::optional<Error> message_of_kubectl(std::string_view text) {
  std::string_view line = first_line(text);
  const bool is_message = starts_with_any(
      line, {"error: ", "error from server", "the connection to the server", "unable to connect to the server",
             "no resources found", "please enter username", "e1", "couldn't get current server api"});
  if (!is_message || (starts_with_any(line, {"e1"}) && !contains(line, "memcache.go"))) return std::nullopt;
  if (line.size() > kMaxQuoted) line = line.substr(0, kMaxQuoted);
  if (starts_with_any(line, {"no resources found"})) {
    return Error("this is kubectl's message that there are no such objects")
        .with_fix("dump with -A for all namespaces");
  }
  return Error(fmt::format("this is an error message of kubectl, not objects: {}", line))
      .with_fix("put that right, and dump again");
}

std::optional<Error> table_of_kubectl(std::string_view text) {
  const std::string_view line = first_line(text);
  const bool is_table = (line.starts_with("NAME ") || line.starts_with("NAMESPACE ")) &&
                        (contains(line, " AGE") || contains(line, " STATUS") || contains(line, " READY"));
  if (!is_table) return std::nullopt;
  return Error("this is a table that kubectl prints for people").with_fix("add -o yaml to kubectl get");
}

}  // namespace

std::optional<Error> foreign_text(std::string_view text) {
  text = text.substr(0, kLookedAt);
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return std::nullopt;
  if (contains(text.substr(0, 4096), std::string_view("\0", 1))) {
    if (text.size() > 262 && text.substr(257, 5) == "ustar") {
      return Error("this is a tar archive").with_fix("unpack it, and give the folder");
    }
    return Error("this is not text").with_fix("give YAML or JSON, plain or compressed with gzip or zstd");
  }
  text.remove_prefix(start);
  if (starts_with_any(text, {"<!doctype html", "<html", "<head", "<?xml", "<body"})) {
    return Error("this is a web page, not Kubernetes objects")
        .with_fix("perhaps a login page answered: log in, and dump again with kubectl get -o yaml");
  }
  if (auto message = message_of_kubectl(text)) return message;
  if (auto table = table_of_kubectl(text)) return table;
  if (auto unrendered = template_of(text)) return unrendered;
  const bool has_kind = has_top_level(text, "kind:");
  if (!has_kind && has_top_level(text, "services:")) {
    return Error("this looks like a Docker Compose file, not Kubernetes objects")
        .with_fix("kompose convert makes Kubernetes objects of it");
  }
  const bool is_kustomization = !has_kind && has_top_level(text, "resources:") &&
                                (contains(text, "- ") && (contains(text, ".yaml") || contains(text, "../")));
  if (is_kustomization) return foreign_kind("kustomize.config.k8s.io/v1beta1", "Kustomization");
  if (!has_kind && (contains(text, "\nversion:") || has_top_level(text, "version:")) &&
      has_top_level(text, "apiVersion:") && has_top_level(text, "name:")) {
    return Error("this looks like the Chart.yaml of a Helm chart")
        .with_fix("run helm template, and give what it prints");
  }
  if (!has_kind && starts_with_any(text, {"name: "}) && contains(text, "\nNamespace:")) {
    return Error("this is what kubectl describe prints for people").with_fix("kubectl get -o yaml prints objects");
  }
  return std::nullopt;
}

std::optional<Error> foreign_kind(std::string_view api_version, std::string_view kind) {
  if (kind == "Kustomization" && api_version.starts_with("kustomize.config.k8s.io/")) {
    return Error("this is a Kustomization, which kustomize turns into objects")
        .with_fix("run kubectl kustomize first, and give what it prints");
  }
  if (kind == "Config" && api_version == "v1") {
    return Error("this is a kubeconfig, not a cluster's objects").with_fix("give it with --kubeconfig");
  }
  if (kind == "KubeSchedulerConfiguration") {
    return Error("this is the configuration of a scheduler, not a cluster's objects").with_fix("give it with --config");
  }
  return std::nullopt;
}

}  // namespace berth::codec
