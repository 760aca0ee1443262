// Memory for many objects of one type that come and go: allocated in chunks, reused through a free list. In steady
// state nothing is allocated. Objects do not move. Not thread safe. The pool must outlive its objects.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace berth {

template <typename T>
class ObjectPool {
 public:
  ObjectPool() = default;
  ObjectPool(const ObjectPool&) = delete;
  ObjectPool& operator=(const ObjectPool&) = delete;

  template <typename... Args>
  T* make(Args&&... args) {
    if (free_ == nullptr) add_chunk();
    Cell* cell = free_;
    free_ = cell->next;
    return new (cell->bytes) T(std::forward<Args>(args)...);
  }

  // Requires: made by this pool and not yet destroyed.
  void destroy(T* object) {
    object->~T();
    Cell* cell = reinterpret_cast<Cell*>(object);
    cell->next = free_;
    free_ = cell;
  }

 private:
  static constexpr std::size_t kChunkObjects = 256;
  union Cell {
    Cell* next;
    alignas(T) std::byte bytes[sizeof(T)];
  };
  void add_chunk() {
    chunks_.push_back(std::make_unique<Cell[]>(kChunkObjects));
    for (std::size_t i = kChunkObjects; i > 0; --i) {
      Cell& cell = chunks_.back()[i - 1];
      cell.next = free_;
      free_ = &cell;
    }
  }

  std::vector<std::unique_ptr<Cell[]>> chunks_;
  Cell* free_ = nullptr;
};

}  // namespace berth
