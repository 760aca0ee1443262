// Writing, and what lies around a message: the envelope, lists and watch frames. protobuf_reader.cc reads messages.
#include "berth/codec/protobuf.h"

#include <fmt/format.h>

#include <bit>

#include "berth/base/check.h"
#include "berth/codec/protobuf_reader.h"

namespace berth::codec {

using api::AnyObject;
using api::Field;
using api::Kind;
using api::ObjectKind;
using api::ObjectList;
using api::Schema;
using api::Type;

namespace {

constexpr std::string_view kEnvelopePrefix("k8s\0", 4);
constexpr std::size_t kFrameLengthBytes = 4;

// Field numbers of the messages around objects.
namespace unknown {
constexpr std::uint32_t kTypeMeta = 1;
constexpr std::uint32_t kRaw = 2;
constexpr std::uint32_t kContentEncoding = 3;
constexpr std::uint32_t kContentType = 4;
}  // namespace unknown
namespace type_meta {
constexpr std::uint32_t kApiVersion = 1;
constexpr std::uint32_t kKind = 2;
}  // namespace type_meta
namespace list_message {
constexpr std::uint32_t kMetadata = 1;
constexpr std::uint32_t kItems = 2;
}  // namespace list_message
namespace watch_message {
constexpr std::uint32_t kType = 1;
constexpr std::uint32_t kObject = 2;
}  // namespace watch_message
constexpr std::uint32_t kRawExtensionRaw = 1;

struct EventName {
  WatchEvent::Type type;
  std::string_view name;
};
constexpr EventName kEventNames[] = {
    {WatchEvent::Type::kAdded, "ADDED"},     {WatchEvent::Type::kModified, "MODIFIED"},
    {WatchEvent::Type::kDeleted, "DELETED"}, {WatchEvent::Type::kBookmark, "BOOKMARK"},
    {WatchEvent::Type::kError, "ERROR"},
};

// Writing

template <typename T>
const T& as(const void* value) {
  return *static_cast<const T*>(value);
}

// Negative numbers are written with all their 64 bits, also those of 32.
std::uint64_t varint_of(std::int64_t number) {
  return static_cast<std::uint64_t>(number);
}

void write_instant(WireWriter& out, std::uint32_t number, Instant instant, bool with_microseconds) {
  out.message(number, [&] {
    if (!instant.is_set()) return;
    const Instant second = instant.floor_to_second();
    out.varint(1, varint_of(second.unix_nanoseconds() / 1'000'000'000));
    if (!with_microseconds) return;
    const std::int64_t nanoseconds = instant.unix_nanoseconds() - second.unix_nanoseconds();
    out.varint(2, varint_of(nanoseconds / 1000 * 1000));
  });
}

void write_either(WireWriter& out, std::uint32_t number, const api::IntOrString& either) {
  out.message(number, [&] {
    out.varint(1, either.text ? 1 : 0);
    if (either.text) {
      out.bytes(3, *either.text);
    } else {
      out.varint(2, varint_of(either.number));
    }
  });
}

void write_object(WireWriter& out, const Schema& schema, const void* object);

// Writes the value also if it is zero: that is decided where the field is known.
void write_value(WireWriter& out, std::uint32_t number, const Type& type, const void* value) {
  switch (type.kind) {
    case Kind::kBool: out.varint(number, as<bool>(value) ? 1 : 0); return;
    case Kind::kInt32: out.varint(number, varint_of(as<std::int32_t>(value))); return;
    case Kind::kInt64: out.varint(number, varint_of(as<std::int64_t>(value))); return;
    case Kind::kDouble: out.fixed64(number, std::bit_cast<std::uint64_t>(as<double>(value))); return;
    case Kind::kString: out.bytes(number, as<std::string>(value)); return;
    case Kind::kSymbol: out.bytes(number, as<Symbol>(value).text()); return;
    case Kind::kQuantity: out.message(number, [&] { out.bytes(1, as<api::Quantity>(value).str()); }); return;
    case Kind::kTime: write_instant(out, number, as<Instant>(value), false); return;
    case Kind::kMicroTime: write_instant(out, number, as<api::MicroTime>(value).at, true); return;
    case Kind::kDuration:
      out.message(number, [&] { out.varint(1, varint_of(as<Duration>(value).nanoseconds())); });
      return;
    case Kind::kIntOrString: write_either(out, number, as<api::IntOrString>(value)); return;
    case Kind::kRawJson: out.message(number, [&] { out.bytes(1, as<api::RawJson>(value).text); }); return;
    case Kind::kObject: out.message(number, [&] { write_object(out, type.schema(), value); }); return;
    case Kind::kList:
      for (std::size_t i = 0, n = type.size(value); i < n; ++i) {
        write_value(out, number, *type.element, type.at(value, i));
      }
      return;
    case Kind::kMap:
      for (std::size_t i = 0, n = type.size(value); i < n; ++i) {
        out.message(number, [&] {
          out.bytes(1, type.key_at(value, i).text());
          write_value(out, 2, *type.element, type.at(value, i));
        });
      }
      return;
    case Kind::kOptional: {
      const void* content = type.content(value);
      if (content != nullptr) write_value(out, number, *type.element, content);
      return;
    }
    case Kind::kInterned: write_value(out, number, *type.element, type.content(value)); return;
  }
}

void write_object(WireWriter& out, const Schema& schema, const void* object) {
  for (const Field& field : schema.fields()) {
    const void* value = field.in(object);
    if (&field == schema.shared_part()) {
      write_object(out, field.type->element->schema(), field.type->content(value));
    } else if (field.number != 0 && !api::is_zero(*field.type, value)) {
      write_value(out, field.number, *field.type, value);
    }
  }
}

// `write_raw` writes the fields of the enveloped message.
template <typename WriteRaw>
std::string write_envelope(std::string_view api_version, std::string_view kind, WriteRaw write_raw) {
  std::string bytes(kEnvelopePrefix);
  WireWriter out(bytes);
  out.message(unknown::kTypeMeta, [&] {
    out.bytes(type_meta::kApiVersion, api_version);
    out.bytes(type_meta::kKind, kind);
  });
  out.message(unknown::kRaw, [&] { write_raw(out); });
  return bytes;
}

// Reading

// Calls `field(number, bytes)`, which returns a Result<void>, for each field of a message whose known fields are all
// length-delimited. A known field is one up to `last_known`.
template <typename OnField>
Result<void> read_wrapper(std::string_view message, std::uint32_t last_known, OnField field) {
  WireCursor in(message);
  while (!in.at_end()) {
    std::uint32_t number = 0;
    WireType wire{};
    if (!in.tag(number, wire)) return fail(in.problem());
    if (number > last_known) {
      if (!in.skip(wire)) return fail(in.problem());
      continue;
    }
    if (wire != WireType::kBytes) {
      return fail(fmt::format("field {} has wire type {} instead of {}", number, static_cast<unsigned>(wire),
                              static_cast<unsigned>(WireType::kBytes)));
    }
    std::string_view bytes;
    if (!in.bytes(bytes)) return fail(in.problem());
    if (Result<void> read = field(number, bytes); !read) return read;
  }
  return {};
}

struct Envelope {
  std::string_view api_version;
  std::string_view kind;
  std::string_view raw;
};

Result<Envelope> open_envelope(std::string_view bytes) {
  if (!bytes.starts_with(kEnvelopePrefix)) {
    return fail("not a Kubernetes protobuf message: it must begin with \"k8s\\0\"");
  }
  Envelope envelope;
  const auto read_type = [&](std::uint32_t number, std::string_view text) -> Result<void> {
    (number == type_meta::kApiVersion ? envelope.api_version : envelope.kind) = text;
    return {};
  };
  const auto read = read_wrapper(
      bytes.substr(kEnvelopePrefix.size()), unknown::kContentType,
      [&](std::uint32_t number, std::string_view field) -> Result<void> {
        switch (number) {
          case unknown::kTypeMeta: return read_wrapper(field, type_meta::kKind, read_type);
          case unknown::kRaw: envelope.raw = field; return {};
          case unknown::kContentEncoding:
            return field.empty() ? Result<void>() : fail(fmt::format("encoding \"{}\" is not supported", field));
          default: return {};
        }
      });
  if (!read) return fail(Error(read.error()).in("envelope"));
  if (envelope.kind.empty()) return fail("the envelope names no kind");
  return envelope;
}

Error unknown_kind(const Envelope& envelope) {
  return Error(fmt::format("unknown kind: {} {}", envelope.api_version, envelope.kind));
}

Result<AnyObject> read_object_of(const ObjectKind& kind, std::string_view message, ProtobufReader& reader) {
  std::shared_ptr<void> object = kind.make();
  auto read = reader.read(message, *kind.type, object.get());
  if (!read) {
    object = kind.make();
    read = reader.read_without_memory(message, *kind.type, object.get());
  }
  if (!read) return fail(std::move(read.error()));
  return AnyObject(kind, std::move(object));
}

// The content of a RawExtension.
Result<std::string_view> raw_of(std::string_view raw_extension) {
  std::string_view raw;
  const auto read = read_wrapper(raw_extension, kRawExtensionRaw, [&](std::uint32_t, std::string_view bytes) {
    raw = bytes;
    return Result<void>();
  });
  if (!read) return fail(read.error());
  return raw;
}

Result<WatchEvent> read_watch_event(std::string_view message, ProtobufReader& reader) {
  std::string_view type_name;
  std::string_view raw;
  const auto read =
      read_wrapper(message, watch_message::kObject, [&](std::uint32_t number, std::string_view bytes) -> Result<void> {
        if (number == watch_message::kType) {
          type_name = bytes;
          return {};
        }
        auto object = raw_of(bytes);
        if (!object) return fail(std::move(object.error()).in("object"));
        raw = *object;
        return {};
      });
  if (!read) return fail(Error(read.error()).in_file("watch event"));
  for (const EventName& event : kEventNames) {
    if (event.name != type_name) continue;
    auto object = object_from_protobuf(raw, reader);
    if (!object) return fail(std::move(object.error()).in_file("watch event"));
    return WatchEvent{event.type, std::move(*object)};
  }
  return fail(Error(fmt::format("unknown type of event \"{}\"", type_name)).in_file("watch event"));
}

}  // namespace

Result<void> read_protobuf(std::string_view bytes, const Type& type, void* target, const DecodeOptions& options) {
  return ProtobufReader(options.pool).read(bytes, type, target);
}

Result<AnyObject> object_from_protobuf(std::string_view bytes, const DecodeOptions& options) {
  ProtobufReader reader(options.pool);
  return object_from_protobuf(bytes, reader);
}

Result<AnyObject> object_from_protobuf(std::string_view bytes, ProtobufReader& reader) {
  const Result<Envelope> envelope = open_envelope(bytes);
  if (!envelope) return fail(envelope.error());
  const ObjectKind* kind = api::find_kind(envelope->api_version, envelope->kind);
  if (kind == nullptr) return fail(unknown_kind(*envelope));
  return read_object_of(*kind, envelope->raw, reader);
}

Result<ObjectList> list_from_protobuf(std::string_view bytes, const DecodeOptions& options) {
  const Result<Envelope> envelope = open_envelope(bytes);
  if (!envelope) return fail(envelope.error());
  const bool of_any_kind = envelope->api_version == "v1" && envelope->kind == "List";
  const ObjectKind* kind = of_any_kind ? nullptr : api::list_item_kind(envelope->api_version, envelope->kind);
  if (!of_any_kind && kind == nullptr) return fail(unknown_kind(*envelope));

  ProtobufReader reader(options.pool, ProtobufReader::Memory::kRemember);
  ObjectList list;
  const auto read_item = [&](std::string_view item) -> Result<AnyObject> {
    if (kind != nullptr) return read_object_of(*kind, item, reader);
    const auto raw = raw_of(item);
    if (!raw) return fail(raw.error());
    return object_from_protobuf(*raw, reader);
  };
  auto read = read_wrapper(envelope->raw, list_message::kItems,
                           [&](std::uint32_t number, std::string_view field) -> Result<void> {
                             if (number == list_message::kMetadata) {
                               auto metadata = reader.read(field, api::type_of<api::ListMeta>(), &list.metadata);
                               return metadata ? Result<void>() : fail(std::move(metadata.error()).in("metadata"));
                             }
                             auto item = read_item(field);
                             if (!item) {
                               return fail(std::move(item.error()).in(fmt::format("items[{}]", list.items.size())));
                             }
                             list.items.push_back(std::move(*item));
                             return {};
                           });
  if (!read) return fail(std::move(read.error()));
  return list;
}

std::string to_protobuf(const Type& type, const void* value) {
  BERTH_CHECK(type.kind == Kind::kObject, "only objects are messages");
  std::string bytes;
  WireWriter out(bytes);
  write_object(out, type.schema(), value);
  return bytes;
}

std::string object_to_protobuf(const AnyObject& object) {
  const ObjectKind& kind = object.kind();
  return write_envelope(kind.api_version, kind.kind,
                        [&](WireWriter& out) { write_object(out, kind.type->schema(), object.get()); });
}

std::string list_to_protobuf(const ObjectKind& kind, const ObjectList& list) {
  return write_envelope(kind.api_version, fmt::format("{}List", kind.kind), [&](WireWriter& out) {
    write_value(out, list_message::kMetadata, api::type_of<api::ListMeta>(), &list.metadata);
    for (const AnyObject& item : list.items) {
      BERTH_CHECK(&item.kind() == &kind, "a {} in a list of {}", item.kind().kind, kind.kind);
      write_value(out, list_message::kItems, *kind.type, item.get());
    }
  });
}

WatchFrames::WatchFrames(DecodeOptions options)
    : reader_(std::make_unique<ProtobufReader>(options.pool, ProtobufReader::Memory::kRemember)) {}
WatchFrames::~WatchFrames() = default;
WatchFrames::WatchFrames(WatchFrames&&) noexcept = default;
WatchFrames& WatchFrames::operator=(WatchFrames&&) noexcept = default;

void WatchFrames::append(std::string_view bytes) {
  // What has been read is dropped when it is at least as much as what is left, so that each byte is moved once or less.
  if (consumed_ >= buffer_.size() - consumed_) {
    buffer_.erase(0, consumed_);
    consumed_ = 0;
  }
  buffer_.append(bytes);
}

Result<std::optional<WatchEvent>> WatchFrames::next() {
  const std::string_view left = std::string_view(buffer_).substr(consumed_);
  if (left.size() < kFrameLengthBytes) return std::nullopt;
  std::uint32_t size = 0;
  for (std::size_t i = 0; i < kFrameLengthBytes; ++i) size = size << 8 | static_cast<unsigned char>(left[i]);
  if (size > kMaxWatchFrameBytes) {
    return fail(fmt::format("a watch frame of {} bytes is over the limit of {}", size, kMaxWatchFrameBytes));
  }
  if (left.size() - kFrameLengthBytes < size) return std::nullopt;
  auto event = read_watch_event(left.substr(kFrameLengthBytes, size), *reader_);
  if (!event) return fail(std::move(event.error()));
  consumed_ += kFrameLengthBytes + size;
  return std::optional<WatchEvent>(std::move(*event));
}

std::string watch_event_to_protobuf_frame(const WatchEvent& event) {
  std::string_view type_name;
  for (const EventName& candidate : kEventNames) {
    if (candidate.type == event.type) type_name = candidate.name;
  }
  std::string frame(kFrameLengthBytes, '\0');
  WireWriter out(frame);
  out.bytes(watch_message::kType, type_name);
  out.message(watch_message::kObject, [&] { out.bytes(kRawExtensionRaw, object_to_protobuf(event.object)); });
  const std::size_t size = frame.size() - kFrameLengthBytes;
  for (std::size_t i = 0; i < kFrameLengthBytes; ++i) {
    frame[i] = static_cast<char>(size >> (8 * (kFrameLengthBytes - 1 - i)) & 0xFF);
  }
  return frame;
}

}  // namespace berth::codec
