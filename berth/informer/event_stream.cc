#include "berth/informer/event_stream.h"

#include <fmt/format.h>

#include <utility>

#include "berth/base/hash.h"

namespace berth::informer {

namespace {

constexpr std::size_t kLengthBytes = 4;

std::size_t length_at(std::string_view bytes) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) length = length << 8 | static_cast<unsigned char>(bytes[i]);
  return length;
}

}  // namespace

EventStream::EventStream(codec::DecodeOptions options) : options_(options), decoder_(std::move(options)) {}

void EventStream::append(std::string_view bytes) {
  // Each byte is moved at most once: only when at least as many are dropped. Into new memory, since what the first list
  // took is not needed again.
  if (consumed_ >= buffer_.size() - consumed_) {
    buffer_ = buffer_.substr(consumed_);
    consumed_ = 0;
  }
  buffer_.append(bytes);
}

Result<std::optional<Frame>> EventStream::next() {
  const std::string_view left = std::string_view(buffer_).substr(consumed_);
  if (left.size() < kLengthBytes) return std::nullopt;
  const std::size_t length = length_at(left);
  if (length > codec::kMaxWatchFrameBytes) {
    return fail(fmt::format("watch frame of {} bytes exceeds the limit of {}", length, codec::kMaxWatchFrameBytes));
  }
  if (left.size() - kLengthBytes < length) return std::nullopt;

  const std::string_view bytes = left.substr(0, kLengthBytes + length);
  consumed_ += bytes.size();
  decoder_.append(bytes);
  Frame frame;
  if (auto event = decoder_.next()) {
    frame.event = *std::move(event);
  } else {
    frame.problem = event.error().message();
    frame.fingerprint = hash_bytes(bytes);
    decoder_ = codec::WatchFrames(options_);
  }
  return std::optional(std::move(frame));
}

}  // namespace berth::informer
