#include "berth/plugins/image_locality.h"

#include "berth/plugins/plugin_testing.h"

namespace berth::plugins {
namespace {

using namespace testing;

constexpr std::int64_t kMiB = 1024 * 1024;

NodeSketch with_image(std::string node_name, std::string_view image, std::int64_t size) {
  return NodeSketch(std::move(node_name)).with([&](api::Node& node) {
    node.status.images = std::vector<api::ContainerImage>{{.names = {Symbol(image)}, .size_bytes = size}};
  });
}
Shape running(std::vector<std::string_view> images) {
  return [=](api::PodTemplate& pod) {
    for (const std::string_view image : images) pod.containers.emplace_back().image = Symbol(image);
  };
}

TEST(ImageLocality, PrefersNodesThatHaveTheImage) {
  const struct {
    std::string_view what;
    std::vector<NodeSketch> nodes;
    Shape shape;
    std::int64_t score;
  } cases[] = {
      {"on one of two nodes", {with_image("n", "a:1", 500 * kMiB), NodeSketch("m")}, running({"a:1"}), 23},
      {"on both", {with_image("n", "a:1", 500 * kMiB), with_image("m", "a:1", 500 * kMiB)}, running({"a:1"}), 48},
      {"large", {with_image("n", "a:1", 2000 * kMiB)}, running({"a:1", "b:1"}), 100},
      {"small", {with_image("n", "a:1", 10 * kMiB)}, running({"a:1"}), 0},
      {"not there", {NodeSketch("n"), with_image("m", "a:1", 500 * kMiB)}, running({"a:1"}), 0},
      {"not known", {NodeSketch("n")}, running({"a:1"}), 0},
      {"without a tag", {with_image("n", "a:latest", 500 * kMiB)}, running({"a"}), 48},
      {"used twice", {with_image("n", "a:1", 500 * kMiB)}, running({"a:1", "a:1"}), 49},
  };
  for (const auto& each : cases) {
    PluginWorld world;
    for (const NodeSketch& node : each.nodes) world.node(node);
    EXPECT_EQ(world.score(make_image_locality, PodSketch("p").shaped(each.shape), "n"), each.score) << each.what;
  }
}

TEST(ImageLocality, CountsInitContainersAndImageVolumes) {
  PluginWorld world;
  world.node(with_image("n", "a:1", 500 * kMiB));
  const Shape init = [](api::PodTemplate& pod) { pod.init_containers.emplace_back().image = Symbol("a:1"); };
  const Shape mounting = [](api::PodTemplate& pod) {
    pod.volumes.emplace_back().source.image.emplace().reference = Symbol("a:1");
  };
  const PodSketch pod = PodSketch("p").shaped(running({"other:1"}));
  EXPECT_EQ(world.score(make_image_locality, pod.shaped(init), "n"), 100 * (500 - 23) / (2000 - 23));
  EXPECT_EQ(world.score(make_image_locality, pod.shaped(mounting), "n"), 100 * (500 - 23) / (1000 - 23));
}

TEST(ImageLocality, NamesWithoutAVersionMeanTheLatest) {
  EXPECT_EQ(normalized_image_name("web"), "web:latest");
  EXPECT_EQ(normalized_image_name("web:1"), "web:1");
  EXPECT_EQ(normalized_image_name("images.example.com:5000/web"), "images.example.com:5000/web:latest");
  EXPECT_EQ(normalized_image_name("images.example.com:5000/web:2"), "images.example.com:5000/web:2");
  EXPECT_EQ(normalized_image_name("web@sha256:abc"), "web@sha256:abc");
}

TEST(ImageLocality, KeepsItsScoresUntilNodesChange) {
  PluginWorld world;
  world.node(with_image("n", "a:1", 500 * kMiB));
  const auto plugin = world.make(make_image_locality);
  const auto made = dynamic_cast<const framework::ScorePlugin&>(*plugin).pre_score(
      world.to_place(PodSketch("p").shaped(running({"a:1"}))), world.view(), world.nodes.nodes());
  using Kind = cache::Change::Kind;
  const cache::Change placed{Kind::kPodAdded, 0, nullptr}, added{Kind::kNodeAdded, 1, nullptr};
  EXPECT_TRUE(made.scorer->catch_up(world.nodes, std::span(&placed, 1)));
  EXPECT_FALSE(made.scorer->catch_up(world.nodes, std::span(&added, 1)));
  EXPECT_FALSE(made.scorer->is_constant());
}

}  // namespace
}  // namespace berth::plugins
