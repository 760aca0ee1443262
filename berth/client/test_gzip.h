// Packs text as servers do that answer with "Content-Encoding: gzip".
#pragma once

#include <zlib.h>

#include <string>

#include "berth/base/check.h"

namespace berth::client {

inline std::string gzip(const std::string& text) {
  constexpr int kGzipWindowBits = 15 + 16;
  constexpr int kMemory = 8;
  z_stream stream{};
  BERTH_CHECK(
      deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindowBits, kMemory, Z_DEFAULT_STRATEGY) == Z_OK,
      "zlib has no memory");
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  BERTH_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib cannot pack");
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace berth::client
