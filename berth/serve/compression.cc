#include "berth/serve/compression.h"

#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>
#include <utility>

#include "berth/base/ascii.h"
#include "berth/base/check.h"
#include "berth/base/take_part.h"

namespace berth::serve {

namespace {

constexpr int kGzipWindowBits = 15 + 16;  // the largest window, and gzip's header rather than zlib's
constexpr int kMemoryLevel = 8;           // zlib's own choice

// Of ";q=0.5"; what cannot be read counts as a refusal.
double quality_of(std::string_view parameters) {
  while (!parameters.empty()) {
    const std::string_view parameter = take_part(parameters, ';');
    if (parameter.size() < 2 || ascii_lower(parameter[0]) != 'q' || parameter[1] != '=') continue;
    const std::string_view text = parameter.substr(2);
    double quality = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), quality);
    return code == std::errc() && end == text.data() + text.size() ? quality : 0;
  }
  return 1;
}

}  // namespace

bool prefers_gzip(std::span<const std::string_view> accept_encoding) {
  double gzip = 0;
  double plain = -1;  // what is not mentioned is worse than anything
  for (std::string_view rest : accept_encoding) {
    while (!rest.empty()) {
      std::string_view parameters = take_part(rest, ',');
      const std::string_view coding = take_part(parameters, ';');
      const double quality = quality_of(parameters);
      if (same_ignoring_case(coding, "gzip") || coding == "*") gzip = std::max(gzip, quality);
      if (same_ignoring_case(coding, "identity") || coding == "*") plain = std::max(plain, quality);
    }
  }
  return gzip > 0 && gzip > plain;
}

std::string gzipped(std::string_view text) {
  BERTH_CHECK(text.size() <= std::numeric_limits<uInt>::max(), "{} bytes", text.size());
  z_stream stream{};
  BERTH_CHECK(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindowBits, kMemoryLevel,
                           Z_DEFAULT_STRATEGY) == Z_OK,
              "zlib has no memory");
  std::string packed(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // zlib only reads it
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int result = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  (void)deflateEnd(&stream);
  BERTH_CHECK(result == Z_STREAM_END, "zlib says {}", result);
  return packed;
}

Handler compressed(Handler handler) {
  return [handler = std::move(handler)](const Call& call) {
    Reply reply = handler(call);
    if (reply.status != 200 || !prefers_gzip(call.header_values("Accept-Encoding"))) return reply;
    reply.body = gzipped(reply.body);
    reply.headers.push_back({"Content-Encoding", "gzip"});
    return reply;
  };
}

}  // namespace berth::serve
