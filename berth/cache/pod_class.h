// An equivalence class of placed pods: those that no selector and no affinity term can tell apart, because they have
// the same namespace, labels and template, and are all terminating or none. Plugins that look at pods all over the
// cluster ask once per class and then add up how many of its pods are where, so they cost by the classes there are and
// not by the pods.
//
// Classes belong to a NodeTable, which makes them as pods come. An empty one stays for a while, since the journal still
// refers to it. Not thread safe.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "berth/api/compiled_pod.h"
#include "berth/api/pod.h"

namespace berth::cache {

// A row of the node table. Rows of nodes that are gone are used again.
using RowId = std::uint32_t;
inline constexpr RowId kNoRow = ~RowId{0};

struct PodClass {
  // Never used again for another class of the same table: what is remembered about an id stays true.
  std::uint32_t id = 0;
  Symbol name_space;
  Interned<api::Labels> labels;
  std::shared_ptr<const api::CompiledPod> compiled;
  bool is_terminating = false;

  std::size_t pods = 0;
  // How many are where; no entry is zero. The order means nothing: only add up over it.
  absl::flat_hash_map<RowId, std::uint32_t> pods_on_row;
};

}  // namespace berth::cache
