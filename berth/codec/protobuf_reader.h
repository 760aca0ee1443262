// Reads one protobuf message into an object, led by the schema of its type.
//
// Merging is what makes this more than a walk: a message that occurs twice is one message (its lists go on, its scalars
// are overwritten), and the parts of a shared value (a pod's labels, the template part of its spec) arrive as separate
// fields of the message around it. So a shared value stays open until nothing can be added to it any more: until the
// message ends that holds it and cannot itself occur again, which is the whole object, a list element or a map value.
// Then open values are settled, the ones opened last first, so that what lies within another is settled before it.
//
// A reader that remembers (see protobuf_cache.h) does not even open shared values at first: it notes where their parts
// lie, and looks at the end whether it has seen the same parts before.
//
// Errors carry their path; it is put together only when there is one, on the way back up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/object.h"
#include "berth/api/schema.h"
#include "berth/base/error.h"
#include "berth/base/interned.h"
#include "berth/codec/protobuf_cache.h"
#include "berth/codec/protobuf_wire.h"

namespace berth::codec {

// May be used for any number of messages, one after the other. Not thread safe; several readers may share a pool.
class ProtobufReader {
 public:
  // Remembering pays when many objects are read. It needs a pool, which otherwise may be null.
  enum class Memory : std::uint8_t { kNone, kRemember };
  explicit ProtobufReader(InternPool* pool, Memory memory = Memory::kNone)
      : pool_(pool), remembers_(pool != nullptr && memory == Memory::kRemember) {}
  ~ProtobufReader() { discard_open_values(); }
  ProtobufReader(const ProtobufReader&) = delete;
  ProtobufReader& operator=(const ProtobufReader&) = delete;

  // Fills `target`, which is of `type` and default-constructed. After an error it holds some of the fields. A reader
  // that remembers builds shared values out of their place, so its errors may lack the first part of the path.
  Result<void> read(std::string_view message, const api::Type& type, void* target);
  // As any reader without memory; for the whole path of an error, with a new target.
  Result<void> read_without_memory(std::string_view message, const api::Type& type, void* target);

 private:
  // A shared value that is being filled or noted, or (without a type) an object that is to be normalized.
  struct OpenValue {
    void* place;            // the Interned, or the object
    const api::Type* type;  // of the Interned, or null
    void* content;          // what is being filled; owned. Null if the value is noted
    api::Schema::Normalize normalize;
    std::size_t note;  // index in notes_ if the value is noted
  };

  // The parts of a shared value that has not been built.
  struct Part {
    const api::Slot* slot;
    WireType wire;
    WireCursor at;
    int depth;
  };
  struct Note {
    std::vector<Part> parts;
    std::string key;
    bool has_key = true;
    // The list whose elements without a known inline part are not in the key, if there were any.
    const api::Field* shortened_list = nullptr;
  };

  Result<void> read_message(std::string_view message, const api::Type& type, void* target);

  // These return false on an error, which is then in error_.
  bool read_object(const api::Schema& schema, void* object, std::string_view message, int depth);
  bool read_field(const api::Type& type, void* target, WireType wire, WireCursor& in, int depth);
  bool read_bytes(const api::Type& type, void* target, std::string_view bytes, int depth);
  // The messages with a C++ type of their own: times, quantities, ...
  bool read_small_message(const api::Type& type, void* target, std::string_view bytes);
  bool read_element(const api::Type& list, void* target, WireType wire, WireCursor& in, int depth);
  bool read_packed(const api::Type& list, void* target, std::string_view packed, int depth);
  bool read_entry(const api::Type& map, void* target, std::string_view entry, int depth);
  // A value that cannot occur again, so whatever it opened can be settled.
  bool read_whole(const api::Type& type, void* target, WireType wire, WireCursor& in, int depth);

  void note(const api::Field& shared, void* interned, const Part& part, std::uint32_t number);
  // Finds the noted value or builds it.
  bool settle_noted(const OpenValue& value);
  bool build_noted(const OpenValue& value);
  bool key_tells_all(const api::Type& type, const void* interned, const Note& noted) const;

  // The content of an Interned, open for filling.
  void* open(const api::Type& type, void* interned);
  void normalize_later(const api::Schema& schema, void* object);
  const OpenValue* find_open(const void* place, const api::Type* type, api::Schema::Normalize normalize) const;
  bool settle(std::size_t open_before);
  void discard_open_values();

  bool fail(Error error);
  bool fail(std::string_view what);
  bool fail_in(std::string_view place);
  bool wrong_wire_type(WireType wire, WireType expected);

  InternPool* pool_;
  std::vector<OpenValue> open_;
  // Where in open_ the values begin that the present whole value has opened.
  std::size_t scope_ = 0;
  Error error_{""};

  const bool remembers_;
  // Off also while a noted value is built.
  bool noting_ = false;
  std::vector<Note> notes_;  // the first notes_in_use_; the others are kept for their memory
  std::size_t notes_in_use_ = 0;
  SharedValueCache cache_;
};

// As the function in protobuf.h, with a reader that may remember from one object to the next.
Result<api::AnyObject> object_from_protobuf(std::string_view bytes, ProtobufReader& reader);

}  // namespace berth::codec
