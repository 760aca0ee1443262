#include "berth/daemon/endpoints_zpages.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "berth/codec/json.h"

namespace berth::daemon {

namespace {

constexpr std::string_view kComponent = "kube-scheduler";

std::string header_of(std::string_view page) {
  return fmt::format(
      "\n{} {}\nWarning: This endpoint is not meant to be machine parseable, has no formatting compatibility "
      "guarantees "
      "and is for debugging purposes only.\n",
      kComponent, page);
}

// What the Accept header asks for: "" is text, otherwise the version of the JSON form; nothing: what is not served.
std::optional<std::string> wanted_version(std::string_view accept, std::string_view kind) {
  if (accept.empty()) return "";
  for (std::string_view rest = accept; !rest.empty();) {
    const std::string_view each = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(each.size() + 1, rest.size()));
    if (each.contains("text/plain") || each.contains("text/*") || each.contains("*/*")) return "";
    if (!each.contains("application/json") || !each.contains("g=config.k8s.io") ||
        !each.contains(fmt::format("as={}", kind))) {
      continue;
    }
    if (each.contains("v=v1beta1")) return "v1beta1";
    if (each.contains("v=v1alpha1")) return "v1alpha1";
  }
  return std::nullopt;
}

serve::Reply not_acceptable() {
  return serve::Reply::error(406,
                             "only the following media types are accepted: text/plain, application/json with "
                             "g=config.k8s.io;v=v1beta1");
}

std::string type_meta(std::string_view kind, std::string_view version) {
  return fmt::format(R"("kind":"{}","apiVersion":"config.k8s.io/{}","metadata":{{"name":"{}"}})", kind, version,
                     kComponent);
}

serve::Reply versioned(std::string json, std::string_view version, std::string_view page) {
  serve::Reply reply = serve::Reply::json(std::move(json));
  if (version == "v1alpha1") {
    reply.headers.push_back({"Warning", fmt::format("299 - \"This version of the {} endpoint is deprecated. Please use "
                                                    "a newer version.\"",
                                                    page)});
  }
  return reply;
}

// As Go's time.UnixDate.
std::string unix_date(Instant at) {
  const auto seconds = static_cast<std::time_t>(at.unix_nanoseconds() / 1'000'000'000);
  std::tm parts{};
  (void)::gmtime_r(&seconds, &parts);
  return fmt::format("{:%a %b} {:>2} {:%H:%M:%S} UTC {:%Y}", parts, parts.tm_mday, parts, parts);
}

std::vector<std::string> first_folders(const std::vector<std::string>& paths) {
  std::set<std::string> folders;
  for (const std::string& path : paths) {
    if (path.size() > 1) folders.insert(path.substr(0, path.find('/', 1)));
  }
  return {folders.begin(), folders.end()};
}

}  // namespace

serve::Reply flagz(const serve::Call& call, const Flags& flags) {
  const std::map<std::string, std::string> sorted(flags.begin(), flags.end());
  const auto version = wanted_version(call.header("Accept"), "Flagz");
  if (!version) return not_acceptable();
  if (version->empty()) {
    std::string text = header_of("flagz");
    for (const auto& [name, value] : sorted) text += fmt::format("{}: {}\n", name, value);
    return serve::Reply::text(std::move(text));
  }
  std::string json;
  for (const auto& [name, value] : sorted) {
    json += fmt::format("{}{}:{}", json.empty() ? "" : ",", codec::to_json(name), codec::to_json(value));
  }
  return versioned(fmt::format("{{{},\"flags\":{{{}}}}}\n", type_meta("Flagz", *version), json), *version, "flagz");
}

serve::Reply statusz(const serve::Call& call, const ProcessStatus& status) {
  const auto version = wanted_version(call.header("Accept"), "Statusz");
  if (!version) return not_acceptable();
  const auto up = static_cast<std::int64_t>(std::max(0.0, (status.now - status.started_at).in_seconds()));
  const std::vector<std::string> paths = first_folders(status.paths);
  if (version->empty()) {
    std::string listed;
    for (const std::string& path : paths) listed += (listed.empty() ? "" : " ") + path;
    return serve::Reply::text(
        fmt::format("{}\nStarted: {}\nUp: {} hr {:02} min {:02} sec\nGo version: none (C++)\nBinary version: {}\n"
                    "Emulation version: {}\nPaths: {}\n",
                    header_of("statusz"), unix_date(status.started_at), up / 3600, up / 60 % 60, up % 60,
                    status.binary_version, status.emulation_version, listed));
  }
  return versioned(
      fmt::format(R"({{{},"startTime":"{}","uptimeSeconds":{},"goVersion":"","binaryVersion":{},"emulationVersion":{},)"
                  R"("paths":{}}})"
                  "\n",
                  type_meta("Statusz", *version), status.started_at.rfc3339(), up,
                  codec::to_json(status.binary_version), codec::to_json(status.emulation_version),
                  codec::to_json(paths)),
      *version, "statusz");
}

}  // namespace berth::daemon
