// Kubernetes' protobuf in both directions, for every type with a schema.
//
// On the wire an object is the four bytes "k8s\0" and a message that wraps apiVersion, kind and the object's own bytes;
// a watch is a sequence of frames, each a big-endian length and a watch event that wraps such an object. Unknown fields
// are skipped, the last of a repeated singular field wins, as Go reads it. Thread safe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "berth/api/object.h"
#include "berth/codec/decode.h"

namespace berth::codec {

class ProtobufReader;

// How large one watch frame may be: far above etcd's limit on an object.
inline constexpr std::size_t kMaxWatchFrameBytes = std::size_t{64} << 20;

// The bare message of `type`, without an envelope. Fills `target`, which is default-constructed.
Result<void> read_protobuf(std::string_view bytes, const api::Type& type, void* target,
                           const DecodeOptions& options = {});

template <typename T>
Result<T> from_protobuf(std::string_view bytes, const DecodeOptions& options = {}) {
  T value{};
  if (auto read = read_protobuf(bytes, api::type_of<T>(), &value, options); !read) return fail(read.error());
  return value;
}

// An enveloped object, or an enveloped list.
Result<api::AnyObject> object_from_protobuf(std::string_view bytes, const DecodeOptions& options = {});
Result<api::ObjectList> list_from_protobuf(std::string_view bytes, const DecodeOptions& options = {});

std::string to_protobuf(const api::Type& type, const void* value);

template <typename T>
std::string to_protobuf(const T& value) {
  return to_protobuf(api::type_of<T>(), &value);
}

// Enveloped.
std::string object_to_protobuf(const api::AnyObject& object);
std::string list_to_protobuf(const api::ObjectKind& kind, const api::ObjectList& list);

// Cuts a byte stream, which arrives in pieces of any size, into the events of a watch.
class WatchFrames {
 public:
  explicit WatchFrames(DecodeOptions options);
  ~WatchFrames();
  WatchFrames(WatchFrames&&) noexcept;
  WatchFrames& operator=(WatchFrames&&) noexcept;

  void append(std::string_view bytes);
  // The next whole event; nothing if more bytes are needed. After an error the stream is of no more use.
  Result<std::optional<WatchEvent>> next();

 private:
  // Remembers shared values from one event to the next.
  std::unique_ptr<ProtobufReader> reader_;
  std::string buffer_;
  std::size_t consumed_ = 0;
};

std::string watch_event_to_protobuf_frame(const WatchEvent& event);

}  // namespace berth::codec
