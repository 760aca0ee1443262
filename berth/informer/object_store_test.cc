#include "berth/informer/object_store.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berth/informer/testing.h"

namespace berth::informer {
namespace {

using testing::node;
using Texts = std::vector<std::string>;

api::AnyObject node_at(std::string_view name, std::string_view version) {
  api::Node made = node(name);
  made.metadata.resource_version = version;
  return api::AnyObject(std::make_shared<const api::Node>(std::move(made)));
}

const api::ObjectKind& nodes() {
  return api::kind_of<api::Node>();
}

TEST(ObjectStore, KeepsWhatItHears) {
  ObjectStore store;
  store.observe_list(nodes(), {node_at("b", "1"), node_at("a", "2")});
  store.observe(node_at("c", "3"));
  store.observe(node_at("a", "4"));
  store.observe_deleted(node_at("b", "5"));
  ASSERT_EQ(store.size(nodes()), 2u);
  EXPECT_EQ(store.list(nodes())[0].metadata().name, "a");
  EXPECT_EQ(store.find<api::Node>("a")->metadata.resource_version, "4");
  EXPECT_EQ(store.find<api::Node>("b"), nullptr);
  EXPECT_EQ(store.size(api::kind_of<api::Pod>()), 0u);
}

TEST(ObjectStore, ForgetsWhatIsNotAmongAllObjects) {
  ObjectStore store;
  store.observe_list(nodes(), {node_at("a", "1"), node_at("b", "1")});
  store.observe_list(nodes(), {node_at("b", "2")});
  EXPECT_EQ(store.size(nodes()), 1u);
}

TEST(ObjectStore, SaysWhatDiffersFromTheTruth) {
  ObjectStore store;
  store.observe_list(nodes(), {node_at("a", "1"), node_at("b", "1"), node_at("c", "1")});
  const std::vector<api::AnyObject> truth = {node_at("b", "1"), node_at("c", "2"), node_at("d", "3")};
  EXPECT_EQ(store.differences(nodes(), truth), Texts({"nodes c is known at resource version 1 and is at 2",
                                                      "nodes d is missing", "nodes a is known and is gone"}));
  EXPECT_EQ(store.differences(nodes(), store.list(nodes())), Texts());
}

}  // namespace
}  // namespace berth::informer
