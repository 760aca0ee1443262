#include "berth/plugins/image_locality.h"

#include <algorithm>
#include <vector>

#include "berth/plugins/names.h"

namespace berth::plugins {

namespace {

using cache::Change;

constexpr std::int64_t kMiB = 1024 * 1024;
constexpr std::int64_t kMinThreshold = 23 * kMiB;
constexpr std::int64_t kMaxThresholdPerContainer = 1000 * kMiB;

// With repetitions, where containers share an image.
std::vector<Symbol> images_of(const api::PodTemplate& pod) {
  std::vector<Symbol> images;
  const auto add = [&](Symbol name) { images.emplace_back(normalized_image_name(name.text())); };
  for (const api::Container& container : pod.init_containers) add(container.image);
  for (const api::Container& container : pod.containers) add(container.image);
  for (const api::Volume& volume : pod.volumes) {
    if (volume.source.image) add(volume.source.image->reference);
  }
  return images;
}

class ImageScorer final : public framework::PodScorer {
 public:
  ImageScorer(const api::PodTemplate& pod, const cache::NodeTable& table)
      : max_threshold_(kMaxThresholdPerContainer *
                       static_cast<std::int64_t>(pod.init_containers.size() + pod.containers.size())) {
    const auto nodes = static_cast<double>(table.node_count());
    for (const Symbol name : images_of(pod)) {
      const cache::ImageState* state = table.image(name);
      if (state == nullptr) continue;
      const double spread = static_cast<double>(state->nodes) / nodes;
      const auto worth = static_cast<std::int64_t>(static_cast<double>(state->size_bytes) * spread);
      const auto known = std::ranges::find(images_, name, &Image::name);
      known != images_.end() ? void(known->worth += worth) : images_.push_back({name, worth});
    }
  }

  std::int64_t score(const cache::NodeState& node) const override {
    std::int64_t sum = 0;
    for (const Image& image : images_) {
      if (has_image(*node.node, image.name)) sum += image.worth;
    }
    return score_of(sum);
  }

  void score_rows(const cache::NodeTable& table, const Bitset& rows, std::span<std::int64_t> scores) const override {
    if (is_constant()) {
      rows.for_each([&](std::size_t row) { scores[row] = 0; });
      return;
    }
    if (by_row_.empty()) fill(table);
    rows.for_each([&](std::size_t row) { scores[row] = by_row_[row]; });
  }

  // How much an image counts depends on how many nodes there are and have it, not on pods.
  Scope scope() const override { return Scope::kCluster; }
  bool catch_up(const cache::NodeTable&, std::span<const Change> changes) override {
    return std::ranges::all_of(changes, [](const Change& change) {
      return change.kind != Change::Kind::kNodeAdded && change.kind != Change::Kind::kNodeRemoved &&
             change.kind != Change::Kind::kNodeOther;
    });
  }
  // All images together are too small to count.
  bool is_constant() const override {
    std::int64_t all = 0;
    for (const Image& image : images_) all += image.worth;
    return score_of(all) == 0;
  }

 private:
  struct Image {
    Symbol name;
    std::int64_t worth = 0;
  };

  static bool has_image(const api::Node& node, Symbol name) {
    return std::ranges::any_of(*node.status.images, [name](const api::ContainerImage& image) {
      return std::ranges::find(image.names, name) != image.names.end();
    });
  }

  std::int64_t score_of(std::int64_t sum) const {
    if (sum < kMinThreshold) {
      sum = kMinThreshold;
    } else if (sum > max_threshold_) {
      sum = max_threshold_;
    }
    return framework::kMaxNodeScore * (sum - kMinThreshold) / (max_threshold_ - kMinThreshold);
  }

  void fill(const cache::NodeTable& table) const {
    by_row_.assign(table.rows(), 0);
    for (const Image& image : images_) {
      table.for_each_node_with_image(image.name, [&](std::size_t row) { by_row_[row] += image.worth; });
    }
    for (std::int64_t& sum : by_row_) sum = score_of(sum);
  }

  std::int64_t max_threshold_;
  std::vector<Image> images_;                 // those that some node has
  mutable std::vector<std::int64_t> by_row_;  // scores, filled when first asked for; pods do not change them
};

class ImageLocality final : public framework::Plugin, public framework::ScorePlugin {
 public:
  std::string_view name() const override { return name::kImageLocality; }

  framework::PreScored pre_score(const framework::PodToPlace& pod, const framework::ClusterView& cluster,
                                 const Bitset&) const override {
    return {.status = {}, .scorer = std::make_unique<ImageScorer>(*pod->spec, cluster.nodes)};
  }
};

}  // namespace

std::string normalized_image_name(std::string_view name) {
  const auto colon = name.rfind(':'), slash = name.rfind('/');
  const bool has_version = colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash);
  return std::string(name) + (has_version ? "" : ":latest");
}

Result<std::unique_ptr<framework::Plugin>> make_image_locality(const framework::PluginContext&, const PluginQuirks&) {
  return std::make_unique<ImageLocality>();
}

}  // namespace berth::plugins
