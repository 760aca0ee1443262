// The table behind symbols. It has two directions:
//
// Text to id: shards by hash, each an open-addressed array of 64-bit slots that hold the id and 32 bits of the hash.
// A text that is known is found without a lock: a slot goes from empty to its final value once and never changes
// again. A text that is new is added under the shard's mutex. An array that grows full is copied into one of twice the
// size; the old one is kept, because a reader may still be in it (all old arrays together are smaller than the present
// one). Such a reader misses what is newer than its array, and looks again under the mutex.
//
// Id to text: blocks that double in size, found from the id's highest bit, so ids stay dense, texts never move and
// reading takes no lock. An id reaches another thread either through a slot (release, acquire) or through whatever
// hands the Symbol over, so its text is always written before it is read.
//
// The table is never destroyed: symbols in static objects stay readable until the process ends.
#include "berth/base/symbol.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "berth/base/check.h"
#include "berth/base/hash.h"
#include "berth/base/known_symbol.h"

namespace berth {
namespace {

// Enough that threads that decode in parallel rarely meet in one shard.
constexpr std::size_t kShardBits = 6;
constexpr std::size_t kShards = std::size_t{1} << kShardBits;
constexpr std::size_t kFirstSlotsPerShard = 64;

// Texts of one shard lie one after the other in blocks that double in size up to the largest; a text that is longer
// than a quarter of that gets a block of its own, so at most a quarter of a block is wasted.
constexpr std::size_t kFirstTextBlockBytes = 512;
constexpr std::size_t kTextBlockBytes = 16 * 1024;

// The first block of ids has this many, each further block as many as all before it.
constexpr std::size_t kFirstIdBits = 10;
constexpr std::size_t kIdBlocks = 32 - kFirstIdBits + 1;

constexpr std::uint32_t kMaxId = 0xFFFF'FFFEu;

// Id to text.
class TextById {
 public:
  TextById() { blocks_[0].store(new std::string_view[std::size_t{1} << kFirstIdBits], std::memory_order_release); }

  std::string_view get(std::uint32_t id) const {
    const Place place = place_of(id);
    return blocks_[place.block].load(std::memory_order_acquire)[place.offset];
  }

  std::uint32_t add(std::string_view text) {
    const std::uint32_t id = next_.fetch_add(1, std::memory_order_relaxed);
    BERTH_CHECK(id <= kMaxId, "more than {} symbols", kMaxId);
    const Place place = place_of(id);
    std::string_view* block = blocks_[place.block].load(std::memory_order_acquire);
    if (block == nullptr) block = add_block(place.block);
    block[place.offset] = text;
    return id;
  }

 private:
  struct Place {
    std::size_t block;
    std::size_t offset;
  };

  static Place place_of(std::uint32_t id) {
    const std::size_t width = static_cast<std::size_t>(std::bit_width(id));
    if (width <= kFirstIdBits) return {0, id};
    return {width - kFirstIdBits, id - (std::size_t{1} << (width - 1))};
  }

  std::string_view* add_block(std::size_t index) {
    const std::lock_guard lock(grow_);
    std::string_view* block = blocks_[index].load(std::memory_order_relaxed);
    if (block == nullptr) {
      block = new std::string_view[std::size_t{1} << (kFirstIdBits + index - 1)];
      blocks_[index].store(block, std::memory_order_release);
    }
    return block;
  }

  std::array<std::atomic<std::string_view*>, kIdBlocks> blocks_{};
  std::atomic<std::uint32_t> next_{1};  // 0 is the empty text.
  std::mutex grow_;
};

// A slot is 0 if empty, otherwise the low 32 bits of the hash above the id. The rest of the hash picked the shard.
struct SlotArray {
  explicit SlotArray(std::size_t size) : mask(size - 1), slots(new std::atomic<std::uint64_t>[size]()) {}

  // The id of `text`, or 0; then `free_slot` is where it belongs.
  std::uint32_t find(std::string_view text, std::uint32_t tag, const TextById& texts, std::size_t* free_slot) const {
    for (std::size_t at = tag & mask;; at = (at + 1) & mask) {
      const std::uint64_t slot = slots[at].load(std::memory_order_acquire);
      if (slot == 0) {
        if (free_slot != nullptr) *free_slot = at;
        return 0;
      }
      const auto id = static_cast<std::uint32_t>(slot);
      if (slot >> 32 == tag && texts.get(id) == text) return id;
    }
  }

  const std::size_t mask;
  const std::unique_ptr<std::atomic<std::uint64_t>[]> slots;
};

class alignas(64) Shard {
 public:
  Shard() { array_.store(use_new_array(kFirstSlotsPerShard), std::memory_order_release); }

  std::uint32_t intern(std::string_view text, std::uint32_t tag, TextById& texts) {
    const std::uint32_t known = array_.load(std::memory_order_acquire)->find(text, tag, texts, nullptr);
    return known != 0 ? known : add(text, tag, texts);
  }

  bool contains(std::string_view text, std::uint32_t tag, const TextById& texts) {
    if (array_.load(std::memory_order_acquire)->find(text, tag, texts, nullptr) != 0) return true;
    const std::lock_guard lock(add_);
    return arrays_.back()->find(text, tag, texts, nullptr) != 0;
  }

 private:
  std::uint32_t add(std::string_view text, std::uint32_t tag, TextById& texts) {
    const std::lock_guard lock(add_);
    SlotArray* array = arrays_.back().get();
    std::size_t slot = 0;
    if (const std::uint32_t known = array->find(text, tag, texts, &slot); known != 0) return known;
    if ((used_ + 1) * 4 > (array->mask + 1) * 3) {
      array = grow();
      array->find(text, tag, texts, &slot);
    }
    const std::uint32_t id = texts.add(keep(text));
    array->slots[slot].store(std::uint64_t{tag} << 32 | id, std::memory_order_release);
    ++used_;
    return id;
  }

  SlotArray* use_new_array(std::size_t size) {
    arrays_.push_back(std::make_unique<SlotArray>(size));
    return arrays_.back().get();
  }

  SlotArray* grow() {
    const SlotArray& old = *arrays_.back();
    SlotArray* array = use_new_array((old.mask + 1) * 2);
    for (std::size_t i = 0; i <= old.mask; ++i) {
      const std::uint64_t slot = old.slots[i].load(std::memory_order_relaxed);
      if (slot == 0) continue;
      std::size_t at = (slot >> 32) & array->mask;
      while (array->slots[at].load(std::memory_order_relaxed) != 0) at = (at + 1) & array->mask;
      array->slots[at].store(slot, std::memory_order_relaxed);
    }
    array_.store(array, std::memory_order_release);
    return array;
  }

  std::string_view keep(std::string_view text) {
    char* to = nullptr;
    if (text.size() > kTextBlockBytes / 4) {
      to = text_blocks_.emplace_back(new char[text.size()]).get();
    } else {
      if (text.size() > text_left_) {
        text_left_ = std::max(text_block_bytes_, std::bit_ceil(text.size()));
        text_next_ = text_blocks_.emplace_back(new char[text_left_]).get();
        text_block_bytes_ = std::min(text_block_bytes_ * 2, kTextBlockBytes);
      }
      to = text_next_;
      text_next_ += text.size();
      text_left_ -= text.size();
    }
    std::memcpy(to, text.data(), text.size());
    return {to, text.size()};
  }

  std::atomic<SlotArray*> array_{nullptr};

  // The rest is guarded by add_.
  std::mutex add_;
  std::size_t used_ = 0;
  std::size_t text_block_bytes_ = kFirstTextBlockBytes;  // of the next one
  std::vector<std::unique_ptr<SlotArray>> arrays_;       // The last one is in use.
  std::vector<std::unique_ptr<char[]>> text_blocks_;
  char* text_next_ = nullptr;
  std::size_t text_left_ = 0;
};

struct SymbolTable {
  TextById texts;
  std::array<Shard, kShards> shards;

  std::uint32_t intern(std::string_view text) {
    const std::uint64_t hash = hash_bytes(text);
    return shards[hash >> (64 - kShardBits)].intern(text, static_cast<std::uint32_t>(hash), texts);
  }
  bool contains(std::string_view text) {
    const std::uint64_t hash = hash_bytes(text);
    return shards[hash >> (64 - kShardBits)].contains(text, static_cast<std::uint32_t>(hash), texts);
  }
};

SymbolTable& table() {
  static SymbolTable& the_table = *new SymbolTable;
  return the_table;
}

}  // namespace

std::optional<Symbol> known_symbol(std::string_view text) {
  if (!text.empty() && !table().contains(text)) return std::nullopt;
  return Symbol(text);
}

Symbol::Symbol(std::string_view text) : id_(text.empty() ? 0 : table().intern(text)) {}

std::string_view Symbol::text() const {
  return id_ == 0 ? std::string_view() : table().texts.get(id_);
}

}  // namespace berth
