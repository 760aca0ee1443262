// Statements about the autoscaler of a simulated cluster: the groups of nodes that it resizes, and how it works.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "berth/autoscaler/node_facts.h"
#include "berth/autoscaler/node_group.h"
#include "berth/autoscaler/scale_up.h"
#include "berth/scenario/node_fields.h"
#include "berth/scenario/statements.h"
#include "berth/scenario/values.h"
#include "berth/sim/autoscaler.h"

namespace berth::scenario {

namespace {

constexpr std::int64_t kMostNodes = 100'000;

// --- autoscaler ------------------------------------------------------------------------------------------------------

using Options = sim::AutoscalerOptions;

constexpr auto kAutoscalerFields = std::to_array<FieldSpec<Options>>({
    {{"delay", "DURATION", "From the decision to a node that is ready; 90s if not given"},
     [](Options& options, std::string_view, std::string_view value) {
       return set_to(options.add_after, read_duration(value));
     }},
    {{"scan", "DURATION", "How often it looks at the cluster; 10s if not given"},
     [](Options& options, std::string_view, std::string_view value) -> Done {
       const auto interval = read_duration(value);
       if (!interval || *interval == Duration()) return std::unexpected("a duration such as 10s");
       options.scan_interval = *interval;
       return {};
     }},
    {{"idle", "DURATION", "How long a node has to be unneeded before it is removed; 10m if not given"},
     [](Options& options, std::string_view, std::string_view value) {
       return set_to(options.remove_after, read_duration(value));
     }},
    {{"below", "PERCENT", "Only nodes of whose cpu and memory less is requested are unneeded; 50% if not given"},
     [](Options& options, std::string_view, std::string_view value) -> Done {
       const auto rate = read_rate(value);
       if (!rate) return std::unexpected("a percentage such as 50%");
       options.threshold_percent = static_cast<int>(*rate / 10'000);
       return {};
     }},
    {{"expander", "least-waste|most-pods|random|priority",
      "Which group is taken if several help; least-waste if not "
      "given"},
     [](Options& options, std::string_view, std::string_view value) -> Done {
       const auto expander = autoscaler::parse_expander(value);
       if (!expander) return std::unexpected("least-waste, most-pods, random or priority");
       options.expander = *expander;
       return {};
     }},
    {{"keeps", "", "It removes no nodes"},
     [](Options& options, std::string_view, std::string_view) -> Done {
       options.removes = false;
       return {};
     }},
});

// --- nodegroup -------------------------------------------------------------------------------------------------------

struct GroupSize {
  std::int64_t min_nodes = 0;
  std::int64_t max_nodes = 0;
  bool has_max = false;
  std::int32_t priority = 0;
};

constexpr auto kGroupFields = std::to_array<FieldSpec<GroupSize>>({
    {{"min", "COUNT", "Nodes that are there at least; 0 if not given. They are made at once"},
     [](GroupSize& size, std::string_view, std::string_view value) {
       return set_to(size.min_nodes, read_number(value, 0, kMostNodes));
     }},
    {{"max", "COUNT", "Nodes that there may be; has to be given"},
     [](GroupSize& size, std::string_view, std::string_view value) {
       size.has_max = true;
       return set_to(size.max_nodes, read_number(value, 0, kMostNodes));
     }},
    {{"priority", "NUMBER", "For `expander=priority`: the highest is taken first; 0 if not given"},
     [](GroupSize& size, std::string_view, std::string_view value) -> Done {
       const auto number = read_number(value, -1'000'000, 1'000'000);
       if (!number) return std::unexpected(number.error());
       size.priority = static_cast<std::int32_t>(*number);
       return {};
     }},
});

autoscaler::NodeGroup group_of(const std::string& name, const NodeDraft& draft, const GroupSize& size) {
  autoscaler::NodeGroup group;
  group.name = name;
  group.label_key = Symbol("pool");
  group.label_value = Symbol(name);
  group.min_nodes = size.min_nodes;
  group.max_nodes = size.max_nodes;
  group.weight = size.priority;
  // One shape per zone, in the order in which they are named.
  for (std::size_t i = 0; i < std::max<std::size_t>(1, draft.zones.size()); ++i) {
    const api::Node model = autoscaler::as_model(finish(draft, name, i));
    group.shapes.push_back({std::make_shared<const api::Node>(model), name, {}});
  }
  return group;
}

}  // namespace

Parsed<Meaning> compile_autoscaler(std::string_view, Reader& reader, const Context&) {
  if (reader.accept("off")) {
    if (auto end = reader.end(); !end) return std::unexpected(end.error());
    return make_action(
        [](sim::World& world, std::size_t) -> Result<void> {
          auto autoscaler = world.use_autoscaler();
          if (!autoscaler) return fail(autoscaler.error());
          (*autoscaler)->options().is_on = false;
          return {};
        },
        sim::HistoryEvent::Kind::kStatement);
  }
  const std::vector<Word> words(reader.rest().begin(), reader.rest().end());
  Options scratch;
  if (auto read = read_fields(reader, FieldsOf<Options>{kAutoscalerFields, scratch}); !read) {
    return std::unexpected(read.error());
  }
  return make_action([words](sim::World& world, std::size_t) -> Result<void> {
    auto autoscaler = world.use_autoscaler();
    if (!autoscaler) return fail(autoscaler.error());
    Options& options = (*autoscaler)->options();
    for (const Word& word : words) (void)set_field(word, FieldsOf<Options>{kAutoscalerFields, options});
    options.is_on = true;
    (*autoscaler)->options_changed();
    return {};
  });
}

Parsed<Meaning> compile_node_group(std::string_view, Reader& reader, const Context&) {
  const auto name = reader.name("a name for the group");
  if (!name) return std::unexpected(name.error());
  const Position at = reader.here();
  NodeDraft draft = new_node();
  draft.labels[Symbol("pool")] = Symbol(*name);
  GroupSize size;
  if (auto read =
          read_fields(reader, FieldsOf<GroupSize>{kGroupFields, size}, FieldsOf<NodeDraft>{many_nodes_fields(), draft},
                      FieldsOf<NodeDraft>{node_fields(), draft});
      !read) {
    return std::unexpected(read.error());
  }
  if (!size.has_max) return mistake(at, "how large may the group become?", "max=10");
  if (size.min_nodes > size.max_nodes) return mistake(at, "the minimum is larger than the maximum");
  return make_action([group = group_of(*name, draft, size)](sim::World& world, std::size_t) -> Result<void> {
    auto autoscaler = world.use_autoscaler();
    if (!autoscaler) return fail(autoscaler.error());
    return (*autoscaler)->set_group(group);
  });
}

std::vector<FieldHelp> autoscaler_field_help() {
  return help_of(std::span<const FieldSpec<Options>>(kAutoscalerFields));
}

std::vector<FieldHelp> node_group_field_help() {
  return help_of(std::span<const FieldSpec<GroupSize>>(kGroupFields));
}

}  // namespace berth::scenario
