// Unpacks an answer that came with "Content-Encoding: gzip", piece by piece.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace berth::client {

class Inflater {
 public:
  Inflater();
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Appends what is in `packed`, up to `max_bytes` in all. False if it is invalid or too long.
  bool unpack(std::string_view packed, std::string& unpacked, std::size_t max_bytes);
  // Nothing is missing at the end; so it is with nothing at all.
  bool is_complete() const { return is_at_end_ || stream_.total_in == 0; }

 private:
  z_stream stream_{};
  bool is_at_end_ = false;
};

}  // namespace berth::client
