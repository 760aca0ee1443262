#include "berth/admission/namespaces.h"

#include <gtest/gtest.h>

#include <memory>

#include "berth/api/kinds.h"

namespace berth::admission {
namespace {

api::AnyObject name_space(std::string name, std::string_view phase = "Active") {
  auto object = std::make_shared<api::Namespace>();
  object->metadata.name = std::move(name);
  object->status.phase = Symbol(phase);
  return api::AnyObject(std::shared_ptr<const api::Namespace>(std::move(object)));
}

api::AnyObject pod_in(std::string_view name) {
  auto pod = std::make_shared<api::Pod>();
  pod->metadata.name = "web";
  pod->metadata.name_space = Symbol(name);
  return api::AnyObject(api::PodPtr(std::move(pod)));
}

TEST(Namespaces, MissesOneThatIsNotInTheList) {
  Namespaces namespaces;
  EXPECT_TRUE(namespaces.check_exists("shop")) << "there is no list";
  namespaces.add(name_space("team"));
  EXPECT_TRUE(namespaces.check_exists("team"));
  EXPECT_TRUE(namespaces.check_exists("default"));
  EXPECT_TRUE(namespaces.check_exists("kube-system"));
  ASSERT_FALSE(namespaces.check_exists("shop"));
  EXPECT_EQ(namespaces.check_exists("shop").error().what(), "namespaces \"shop\" not found");
}

TEST(Namespaces, MissesNoneIfTheListIsNotWhole) {
  Namespaces namespaces;
  namespaces.add(name_space("team"));
  namespaces.add(pod_in("other"));
  EXPECT_TRUE(namespaces.check_exists("shop"));
}

TEST(Namespaces, TakesNothingNewWhileTheyAreDeleted) {
  Namespaces namespaces;
  namespaces.add(name_space("going", "Terminating"));
  EXPECT_TRUE(namespaces.check_exists("going"));
  ASSERT_FALSE(namespaces.check_active("going"));
  EXPECT_TRUE(namespaces.check_active("team"));
}

TEST(Namespaces, SayWhichObjectIsRefused) {
  const std::vector<api::AnyObject> cluster = {name_space("going", "Terminating")};
  const auto refused = check_namespace(pod_in("going"), "going", cluster, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error().what(),
      "pods \"web\" is forbidden: unable to create new content in namespace going because it is being terminated");
  const std::vector<api::AnyObject> companions = {name_space("shop")};
  EXPECT_FALSE(check_namespace(pod_in("shop"), "shop", cluster, {}));
  EXPECT_TRUE(check_namespace(pod_in("shop"), "shop", cluster, companions));
}

}  // namespace
}  // namespace berth::admission
