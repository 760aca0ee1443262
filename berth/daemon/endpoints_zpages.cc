#include "berth/daemon/endpoints_zpages.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "berth/api/schema.h"
#include "berth/base/ascii.h"
#include "berth/base/flat_map.h"
#include "berth/base/take_part.h"
#include "berth/codec/json.h"
#include "berth/codec/yaml.h"
#include "berth/daemon/cbor.h"

namespace berth::daemon {

namespace {

constexpr std::string_view kComponent = "kube-scheduler";

struct PageName {
  std::string name{kComponent};
};

// config.k8s.io Flagz.
struct FlagzPage {
  std::string kind;
  std::string api_version;
  PageName metadata;
  FlatMap<std::string> flags;
};

// config.k8s.io Statusz.
struct StatuszPage {
  std::string kind;
  std::string api_version;
  PageName metadata;
  Instant start_time;
  std::int64_t uptime_seconds = 0;
  std::string go_version;
  std::string binary_version;
  std::string emulation_version;
  std::vector<std::string> paths;
};

}  // namespace

}  // namespace berth::daemon

namespace berth::api {

template <>
const Schema& schema_of<daemon::PageName>() {
  static const Schema schema("PageName", {field<&daemon::PageName::name>("name", 0)});
  return schema;
}

template <>
const Schema& schema_of<daemon::FlagzPage>() {
  using F = daemon::FlagzPage;
  static const Schema schema("Flagz", {
                                          field<&F::kind>("kind", 0),
                                          field<&F::api_version>("apiVersion", 0),
                                          field<&F::metadata>("metadata", 0),
                                          field<&F::flags>("flags", 0),
                                      });
  return schema;
}

template <>
const Schema& schema_of<daemon::StatuszPage>() {
  using S = daemon::StatuszPage;
  static const Schema schema("Statusz", {
                                            field<&S::kind>("kind", 0),
                                            field<&S::api_version>("apiVersion", 0),
                                            field<&S::metadata>("metadata", 0),
                                            field<&S::start_time>("startTime", 0, kAlways),
                                            field<&S::uptime_seconds>("uptimeSeconds", 0, kAlways),
                                            field<&S::go_version>("goVersion", 0, kAlways),
                                            field<&S::binary_version>("binaryVersion", 0, kAlways),
                                            field<&S::emulation_version>("emulationVersion", 0),
                                            field<&S::paths>("paths", 0),
                                        });
  return schema;
}

}  // namespace berth::api

namespace berth::daemon {

namespace {

std::string header_of(std::string_view page) {
  return fmt::format(
      "\n{} {}\nWarning: This endpoint is not meant to be machine parseable, has no formatting compatibility "
      "guarantees and is for debugging purposes only.\n",
      kComponent, page);
}

enum class Form : std::uint8_t { kText, kJson, kYaml, kCbor };

std::string cbor_of(const PageName& metadata) {
  cbor::Map map;
  map.add_unless_empty("name", metadata.name);
  return std::move(map).str();
}

std::string cbor_of(const FlagzPage& page) {
  cbor::Map flags;
  for (const auto& [name, value] : page.flags) flags.add(name.text(), cbor::bytes(value));
  cbor::Map map;
  map.add_unless_empty("kind", page.kind)
      .add_unless_empty("apiVersion", page.api_version)
      .add("metadata", cbor_of(page.metadata));
  if (!page.flags.empty()) map.add("flags", std::move(flags).str());
  return std::move(map).str();
}

std::string cbor_of(const StatuszPage& page) {
  std::vector<std::string> paths;
  for (const std::string& path : page.paths) paths.push_back(cbor::bytes(path));
  cbor::Map map;
  map.add_unless_empty("kind", page.kind)
      .add_unless_empty("apiVersion", page.api_version)
      .add("metadata", cbor_of(page.metadata))
      .add("startTime", cbor::bytes(page.start_time.rfc3339()))
      .add("uptimeSeconds", cbor::integer(page.uptime_seconds))
      .add("goVersion", cbor::bytes(page.go_version))
      .add("binaryVersion", cbor::bytes(page.binary_version))
      .add_unless_empty("emulationVersion", page.emulation_version);
  if (!paths.empty()) map.add("paths", cbor::array(paths));
  return std::move(map).str();
}

std::string_view subtype_of(Form form) {
  switch (form) {
    case Form::kText: return "plain";
    case Form::kJson: return "json";
    case Form::kYaml: return "yaml";
    case Form::kCbor: return "cbor";
  }
  return "";
}

std::optional<Form> form_of(std::string_view media_type, bool has_cbor) {
  if (media_type == "application/json") return Form::kJson;
  if (media_type == "application/yaml") return Form::kYaml;
  if (media_type == "application/cbor" && has_cbor) return Form::kCbor;
  return std::nullopt;
}

// One of the media types in the Accept header: "application/json;g=config.k8s.io;v=v1beta1;as=Flagz".
struct MediaType {
  std::string type;
  std::map<std::string, std::string, std::less<>> parameters;

  std::string_view parameter(std::string_view name) const {
    const auto found = parameters.find(name);
    return found == parameters.end() ? std::string_view() : found->second;
  }
  // Whether it asks for another kind of object than the page's own text.
  bool is_versioned() const {
    return parameters.contains("g") || parameters.contains("v") || parameters.contains("as");
  }
};

std::vector<MediaType> media_types(std::string_view accept) {
  std::vector<MediaType> result;
  while (!accept.empty()) {
    std::string_view each = take_part(accept, ',');
    MediaType media;
    media.type = take_part(each, ';');
    std::ranges::transform(media.type, media.type.begin(), ascii_lower);
    while (!each.empty()) {
      std::string_view value = take_part(each, ';');
      const std::string_view name = take_part(value, '=');
      media.parameters.emplace(name, value);
    }
    result.push_back(std::move(media));
  }
  return result;
}

// In which form a page is wanted, and in which version.
struct Wanted {
  Form form = Form::kText;
  std::string version;  // "v1beta1"; empty for text

  std::string content_type(std::string_view kind) const {
    return fmt::format("application/{};g=config.k8s.io;v={};as={}", subtype_of(form), version, kind);
  }
};

// The first media type that can be served; nothing if none can.
std::optional<Wanted> wanted_by(const std::vector<MediaType>& accepted, std::string_view kind, bool has_cbor) {
  if (accepted.empty()) return Wanted{};
  for (const MediaType& media : accepted) {
    if ((media.type == "text/plain" || media.type == "text/*" || media.type == "*/*") && !media.is_versioned()) {
      return Wanted{};
    }
    const std::optional<Form> form = form_of(media.type, has_cbor);
    if (!form) continue;
    const std::string_view version = media.parameter("v");
    if (media.parameter("g") != "config.k8s.io" || media.parameter("as") != kind) continue;
    if (version != "v1beta1" && version != "v1alpha1") continue;
    return Wanted{*form, std::string(version)};
  }
  return std::nullopt;
}

// A Status, compact for those who asked for JSON of no version, as kube-scheduler writes it.
serve::Reply not_acceptable(const std::vector<MediaType>& accepted, bool has_cbor) {
  const std::string message =
      fmt::format("only the following media types are accepted: application/json, application/yaml, text/plain{}",
                  has_cbor ? ", application/cbor" : "");
  const bool is_compact = std::ranges::any_of(
      accepted, [](const MediaType& media) { return media.type == "application/json" && !media.is_versioned(); });
  if (is_compact) {
    return serve::Reply::json(
        fmt::format(R"({{"kind":"Status","apiVersion":"v1","metadata":{{}},"status":"Failure","message":"{}",)"
                    R"("reason":"NotAcceptable","code":406}})"
                    "\n",
                    message),
        406);
  }
  return serve::Reply::json(
      fmt::format("{{\n  \"kind\": \"Status\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": {{}},\n"
                  "  \"status\": \"Failure\",\n  \"message\": \"{}\",\n  \"reason\": \"NotAcceptable\",\n"
                  "  \"code\": 406\n}}",
                  message),
      406);
}

template <typename Page>
serve::Reply versioned(Page page, std::string_view kind, const Wanted& wanted, std::string_view name) {
  page.kind = kind;
  page.api_version = "config.k8s.io/" + wanted.version;
  std::string body;
  switch (wanted.form) {
    case Form::kText: break;  // has no version
    case Form::kJson: body = codec::to_json(page) + "\n"; break;
    case Form::kYaml: body = codec::to_yaml(page); break;
    case Form::kCbor: body = cbor::self_described(cbor_of(page)); break;
  }
  serve::Reply reply = serve::Reply::json(std::move(body));
  reply.content_type = wanted.content_type(kind);
  if (wanted.version == "v1alpha1") {
    reply.headers.push_back({"Warning", fmt::format("299 - \"This version of the {} endpoint is deprecated. Please use "
                                                    "a newer version.\"",
                                                    name)});
  }
  return reply;
}

// What kube-scheduler shows for flags that were not given and have no value in Berth until the configuration is read.
std::string_view default_of(std::string_view flag) {
  if (flag == "kube-api-burst") return "100";
  if (flag == "kube-api-qps") return "50";
  return flag == "allow-metric-labels" || flag == "tls-sni-cert-key" ? "[]" : "";
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

serve::Reply flagz(const serve::Call& call, const Flags& flags, bool cbor) {
  const std::vector<MediaType> accepted = media_types(call.header("Accept"));
  const std::optional<Wanted> wanted = wanted_by(accepted, "Flagz", cbor);
  if (!wanted) return not_acceptable(accepted, cbor);
  FlagzPage page;
  for (const auto& [name, value] : flags) page.flags[Symbol(name)] = value.empty() ? default_of(name) : value;
  if (wanted->form != Form::kText) return versioned(std::move(page), "Flagz", *wanted, "flagz");
  std::string text = header_of("flagz");
  for (const auto& [name, value] : page.flags) text += fmt::format("{}: {}\n", name.text(), value);
  return serve::Reply::text(std::move(text));
}

serve::Reply statusz(const serve::Call& call, const ProcessStatus& status, bool cbor) {
  const std::vector<MediaType> accepted = media_types(call.header("Accept"));
  const std::optional<Wanted> wanted = wanted_by(accepted, "Statusz", cbor);
  if (!wanted) return not_acceptable(accepted, cbor);
  StatuszPage page;
  page.start_time = status.started_at;
  page.uptime_seconds = static_cast<std::int64_t>(std::max(0.0, (status.now - status.started_at).in_seconds()));
  page.binary_version = status.binary_version;
  page.emulation_version = status.emulation_version;
  page.paths = first_folders(status.paths);
  if (wanted->form != Form::kText) return versioned(std::move(page), "Statusz", *wanted, "statusz");
  const std::int64_t up = page.uptime_seconds;
  return serve::Reply::text(
      fmt::format("{}\nStarted: {}\nUp: {} hr {:02} min {:02} sec\nGo version: none (C++)\nBinary version: {}\n"
                  "Emulation version: {}\nPaths: {}\n",
                  header_of("statusz"), unix_date(status.started_at), up / 3600, up / 60 % 60, up % 60,
                  page.binary_version, page.emulation_version, fmt::join(page.paths, " ")));
}

}  // namespace berth::daemon
