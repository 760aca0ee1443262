#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "berth/config/suggest.h"
#include "berth/explain/help_search.h"
#include "berth/plugins/names.h"

namespace berth::explain {

namespace {

namespace name = plugins::name;

// Labels that the kubelet or the cloud provider sets: not for people to put on a node.
bool is_given_by_platform(Symbol key) {
  const std::string_view text = key.text();
  const std::string_view domain = text.substr(0, text.find('/'));
  return domain.size() < text.size() && (domain.ends_with("kubernetes.io") || domain.ends_with("k8s.io"));
}

// What a program is built for is not given up.
bool is_of_the_program(const Demand& demand) {
  const std::string_view key = demand.key.text();
  return key == "kubernetes.io/os" || key == "kubernetes.io/arch" || key == "beta.kubernetes.io/os" ||
         key == "beta.kubernetes.io/arch";
}

bool is_met_somewhere(const HelpSearch& search, const Demand& demand) {
  return std::ranges::any_of(search.cluster.rows_by_name(),
                             [&](cache::RowId row) { return demand.is_met_by(search.node(row).labels()); });
}

std::vector<const Demand*> unmet_by(const HelpSearch& search, cache::RowId row) {
  std::vector<const Demand*> unmet;
  for (const Demand& demand : search.demands) {
    if (!demand.is_met_by(search.node(row).labels())) unmet.push_back(&demand);
  }
  return unmet;
}

}  // namespace

// A value or a key that is misspelt.
void correct_selector(HelpSearch& search) {
  for (const Demand& demand : search.demands) {
    if (demand.op != "In" || demand.values.size() != 1 || is_met_somewhere(search, demand)) continue;
    std::vector<std::pair<Symbol, Symbol>> guesses;
    std::vector<std::string_view> texts;
    for (const LabelValue& each : label_values(search.cluster, demand.key)) texts.push_back(each.value.text());
    if (const auto nearest = config::nearest_name(demand.values[0].text(), texts); !nearest.empty()) {
      guesses.emplace_back(demand.key, Symbol(nearest));
    }
    std::vector<std::string_view> keys;
    for (const Symbol key : label_keys(search.cluster)) keys.push_back(key.text());
    if (const auto nearest = config::nearest_name(demand.key.text(), keys); !nearest.empty() && texts.empty()) {
      guesses.emplace_back(Symbol(nearest), demand.values[0]);
    }
    for (const auto& [key, value] : guesses) {
      Step step{.kind = "selector",
                .text = fmt::format("select {}={} instead of {}", key.text(), value.text(), demand.text)};
      step.pod = [demand, new_key = key, new_value = value](api::PodTemplate& spec) {
        replace_demand(spec, demand, new_key, new_value);
      };
      if (const auto where = search.best_node(step)) return search.say_on(step, *where);
    }
  }
}

std::optional<Step> label_step(HelpSearch& search, cache::RowId row) {
  const std::vector<const Demand*> unmet = unmet_by(search, row);
  if (unmet.size() != 1 || unmet[0]->op != "In" || unmet[0]->values.empty()) return std::nullopt;
  const Symbol key = unmet[0]->key, value = unmet[0]->values[0];
  if (is_given_by_platform(key) || !node_trouble(*search.node(row).node).empty()) return std::nullopt;
  const std::string node_name = search.cluster.name_of(row);
  Step step{.kind = "label", .text = fmt::format("give {} the label {}={}", node_name, key.text(), value.text())};
  step.nodes.push_back({node_name, [key, value](api::Node& node) { set_label(node, key, value); }});
  return step;
}

void label_node(HelpSearch& search) {
  std::size_t tried = 0;
  for (const NodeFinding& finding : search.diagnosis.findings) {
    if (!finding.fails_only(name::kNodeAffinity)) continue;
    const std::optional<Step> step = label_step(search, finding.row);
    if (!step) continue;
    const std::string node_name = search.cluster.name_of(finding.row);
    if (search.fits_on(node_name, *step)) return search.say_there(*step, node_name);
    if (++tried == kMaxGuesses) return;
  }
}

namespace {

Step drop_step(const std::vector<const Demand*>& dropped) {
  std::vector<std::string> texts;
  std::vector<Demand> demands;
  for (const Demand* demand : dropped) {
    texts.push_back(demand->text);
    demands.push_back(*demand);
  }
  // From the back, so that the positions of those in front stay.
  std::ranges::reverse(demands);
  Step step{.kind = "selector", .text = fmt::format("do not demand {} of its node", listed(texts))};
  step.pod = [demands](api::PodTemplate& spec) {
    for (const Demand& demand : demands) drop_demand(spec, demand);
  };
  return step;
}

// The required node affinity as a whole, if it has several terms.
std::optional<Step> drop_terms_step(const HelpSearch& search) {
  const auto& affinity = search.pod().spec->affinity;
  if (!affinity || !affinity->node_affinity || !affinity->node_affinity->required) return std::nullopt;
  if (affinity->node_affinity->required->node_selector_terms.size() < 2) return std::nullopt;
  Step step{.kind = "selector", .text = "do without its required node affinity"};
  step.pod = [](api::PodTemplate& spec) {
    if (spec.affinity && spec.affinity->node_affinity) spec.affinity->node_affinity->required.reset();
  };
  return step;
}

}  // namespace

std::optional<Step> drop_demands_step(HelpSearch& search, cache::RowId row) {
  const std::vector<const Demand*> unmet = unmet_by(search, row);
  if (std::ranges::any_of(unmet, [](const Demand* each) { return is_of_the_program(*each); })) return std::nullopt;
  if (!unmet.empty()) return drop_step(unmet);
  return drop_terms_step(search);
}

void drop_selector(HelpSearch& search) {
  const auto attempt = [&](const Step& step) {
    const auto where = search.best_node(step);
    if (where) search.say_on(step, *where);
    return where.has_value();
  };
  for (const Demand& demand : search.demands) {
    if (!is_of_the_program(demand) && attempt(drop_step({&demand}))) return;
  }
  std::set<std::vector<const Demand*>> tried;
  for (const NodeFinding& finding : search.diagnosis.findings) {
    if (!finding.fails_only(name::kNodeAffinity) || tried.size() >= kMaxGuesses) continue;
    const std::vector<const Demand*> unmet = unmet_by(search, finding.row);
    if (std::ranges::any_of(unmet, [](const Demand* each) { return is_of_the_program(*each); })) continue;
    if (unmet.size() > 1 && tried.insert(unmet).second && attempt(drop_step(unmet))) return;
  }
  if (const auto step = drop_terms_step(search)) attempt(*step);
}

}  // namespace berth::explain
