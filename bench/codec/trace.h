// Reads the traces that tests/oracle/codec writes in mode `realistic`: one object a line, as JSON and as protobuf.
#pragma once

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/error.h"

namespace berth::bench {

struct TraceObject {
  std::string kind;
  std::string json;
  std::string protobuf;
};

// Standard base64 up to its padding.
inline std::string decode_base64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) break;
    bits = bits << 6 | static_cast<unsigned>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(bits >> count & 0xFF));
  }
  return bytes;
}

// The lines are cut at the oracle's own field order ("kind", "json", "protobuf" last); other lines are passed over.
inline Result<std::vector<TraceObject>> read_trace(const std::string& path) {
  constexpr std::string_view kKind = "\"kind\":\"";
  constexpr std::string_view kJson = "\"json\":{";
  constexpr std::string_view kProtobuf = ",\"protobuf\":\"";
  std::ifstream file(path);
  if (!file) return fail(Error("cannot be opened").in_file(path));
  std::vector<TraceObject> objects;
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t kind = line.find(kKind);
    const std::size_t json = line.find(kJson);
    const std::size_t protobuf = line.rfind(kProtobuf);
    if (kind == line.npos || json == line.npos || protobuf == line.npos || kind > json || json > protobuf) continue;
    const std::size_t kind_at = kind + kKind.size();
    const std::size_t json_at = json + kJson.size() - 1;
    objects.push_back({line.substr(kind_at, line.find('"', kind_at) - kind_at),
                       line.substr(json_at, protobuf - json_at),
                       decode_base64(std::string_view(line).substr(protobuf + kProtobuf.size()))});
  }
  if (objects.empty()) return fail(Error("has no objects").in_file(path));
  return objects;
}

}  // namespace berth::bench
