// Any text as objects of autoscalers (Karpenter's NodePools, Cluster API's machines, cluster-autoscaler's status) among
// nodes and pods: the groups that are found can be described, and each says which nodes it would add for a pod.
#include <string>

#include "berth/autoscaler/find_groups.h"
#include "berth/autoscaler/new_node.h"
#include "berth/autoscaler/status_text.h"
#include "berth/base/check.h"
#include "berth/codec/documents.h"
#include "tests/fuzz/fuzz_object.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace berth;
  const std::string_view text = fuzz::as_text(data, size);
  for (const autoscaler::ReportedGroup& group : autoscaler::parse_status(text)) {
    (void)autoscaler::names_pool(group.name, "spot");
  }
  codec::Documents documents;
  codec::read_documents(text, "file", codec::DecodeOptions{}, documents);
  api::PodTemplate pod;
  for (const api::AnyObject& object : documents.objects) {
    if (const auto read = object.as<api::Pod>()) pod = *read->spec;
  }
  for (const bool assumed : {false, true}) {
    for (const autoscaler::NodeGroup& group :
         autoscaler::find_groups(documents.objects, {.assume_autoscaler = assumed})) {
      BERTH_CHECK(!autoscaler::title_of(group).empty(), "a group without a title");
      for (const autoscaler::NodeShape& shape : group.shapes) {
        BERTH_CHECK(shape.model != nullptr, "{}: a shape without a model", group.name);
        (void)autoscaler::excess_of(group, shape, {&shape});
      }
      for (const autoscaler::NewNode& node : autoscaler::new_nodes(group, pod, "new-1")) {
        BERTH_CHECK(node.node != nullptr && node.node->metadata.name == "new-1", "{}: no node", group.name);
      }
    }
  }
  return 0;
}
