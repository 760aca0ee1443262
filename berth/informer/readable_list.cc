// The items are cut out of the list here and given to the codec one by one, each as a list of one. That is slow, and
// needed about never.
#include "berth/informer/readable_list.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "berth/codec/protobuf.h"
#include "berth/codec/protobuf_wire.h"

namespace berth::informer {

namespace {

using codec::WireCursor;
using codec::WireType;
using codec::WireWriter;

constexpr std::string_view kPrefix("k8s\0", 4);
// In the envelope, and in a list.
constexpr std::uint32_t kTypeMeta = 1;
constexpr std::uint32_t kRaw = 2;
constexpr std::uint32_t kListMetadata = 1;
constexpr std::uint32_t kItems = 2;

struct BytesField {
  std::uint32_t number = 0;
  std::string_view bytes;
};

// Calls `fn` for every field of a message that has bytes; the others are skipped.
Result<void> for_each_bytes_field(std::string_view message, FunctionRef<void(const BytesField&)> fn) {
  WireCursor in(message);
  while (!in.at_end()) {
    BytesField field;
    WireType wire{};
    if (!in.tag(field.number, wire)) return fail(in.problem());
    if (wire != WireType::kBytes) {
      if (!in.skip(wire)) return fail(in.problem());
      continue;
    }
    if (!in.bytes(field.bytes)) return fail(in.problem());
    fn(field);
  }
  return {};
}

std::string enveloped(std::string_view type_meta, const BytesField& only) {
  std::string bytes(kPrefix);
  WireWriter out(bytes);
  out.bytes(kTypeMeta, type_meta);
  out.message(kRaw, [&] { out.bytes(only.number, only.bytes); });
  return bytes;
}

}  // namespace

Result<api::ObjectList> readable_list(std::string_view bytes, const codec::DecodeOptions& options,
                                      FunctionRef<void(const Error&)> unreadable) {
  if (!bytes.starts_with(kPrefix)) return fail("not a Kubernetes protobuf message");
  std::string_view type_meta;
  std::string_view list;
  auto envelope = for_each_bytes_field(bytes.substr(kPrefix.size()), [&](const BytesField& field) {
    if (field.number == kTypeMeta) type_meta = field.bytes;
    if (field.number == kRaw) list = field.bytes;
  });
  if (!envelope) return fail(std::move(envelope.error()));

  api::ObjectList result;
  Result<void> metadata;
  auto read = for_each_bytes_field(list, [&](const BytesField& field) {
    if (field.number != kListMetadata && field.number != kItems) return;
    auto part = codec::list_from_protobuf(enveloped(type_meta, field), options);
    if (field.number == kListMetadata) {
      if (part) {
        result.metadata = std::move(part->metadata);
      } else {
        metadata = fail(std::move(part.error()));
      }
    } else if (part) {
      for (api::AnyObject& item : part->items) result.items.push_back(std::move(item));
    } else {
      unreadable(part.error());
    }
  });
  if (!read) return fail(std::move(read.error()));
  if (!metadata) return fail(std::move(metadata.error()));
  return result;
}

}  // namespace berth::informer
