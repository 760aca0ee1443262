#include "berth/client/inflater.h"

#include <array>

#include "berth/base/check.h"

namespace berth::client {

namespace {

constexpr int kGzipWindowBits = 15 + 16;  // the largest window, and gzip's header rather than zlib's

}  // namespace

Inflater::Inflater() {
  BERTH_CHECK(inflateInit2(&stream_, kGzipWindowBits) == Z_OK, "zlib has no memory");
}

Inflater::~Inflater() {
  inflateEnd(&stream_);
}

bool Inflater::unpack(std::string_view packed, std::string& unpacked, std::size_t max_bytes) {
  std::array<char, std::size_t{32} * 1024> buffer;
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream_.avail_in = static_cast<uInt>(packed.size());
  do {
    stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_.avail_out = buffer.size();
    const int code = inflate(&stream_, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) return false;
    const std::size_t length = buffer.size() - stream_.avail_out;
    if (unpacked.size() + length > max_bytes) return false;
    unpacked.append(buffer.data(), length);
    is_at_end_ = code == Z_STREAM_END;
    if (is_at_end_) return stream_.avail_in == 0;
  } while (stream_.avail_out == 0);
  return true;
}

}  // namespace berth::client
