#include "berth/plugins/default_binder.h"

#include "berth/plugins/names.h"

namespace berth::plugins {

namespace {

class DefaultBinder final : public framework::Plugin, public framework::BindPlugin {
 public:
  std::string_view name() const override { return name::kDefaultBinder; }

  std::optional<api::Binding> bind(const api::Pod& pod, Symbol node_name) const override {
    static const Symbol kNode("Node");
    api::Binding binding;
    binding.metadata.name_space = pod.metadata.name_space;
    binding.metadata.name = pod.metadata.name;
    binding.metadata.uid = pod.metadata.uid;
    binding.target.kind = kNode;
    binding.target.name = node_name.str();
    return binding;
  }
};

}  // namespace

Result<std::unique_ptr<framework::Plugin>> make_default_binder(const framework::PluginContext&, const PluginQuirks&) {
  return std::make_unique<DefaultBinder>();
}

}  // namespace berth::plugins
