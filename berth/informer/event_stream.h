// Cuts the bytes of a watch into frames and decodes each on its own, so that one that cannot be decoded can be told
// from a stream that is out of step, and be left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "berth/base/error.h"
#include "berth/codec/decode.h"
#include "berth/codec/protobuf.h"

namespace berth::informer {

struct Frame {
  // Nothing if the bytes of the frame are no event; then `problem` says why.
  std::optional<codec::WatchEvent> event;
  std::string problem;
  // Of the bytes of a frame that is no event: equal for equal bytes.
  std::uint64_t fingerprint = 0;
};

class EventStream {
 public:
  explicit EventStream(codec::DecodeOptions options);

  void append(std::string_view bytes);
  // Nothing: more bytes are needed. An error: what comes is not a sequence of frames.
  Result<std::optional<Frame>> next();
  // Bytes of a frame that is not whole yet.
  bool has_part() const { return consumed_ < buffer_.size(); }

 private:
  codec::DecodeOptions options_;
  // Gets one whole frame at a time. It remembers parts that objects share.
  codec::WatchFrames decoder_;
  std::string buffer_;
  std::size_t consumed_ = 0;
};

}  // namespace berth::informer
