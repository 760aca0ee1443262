#include <algorithm>
#include <map>

#include "berth/explain/diagnosis_parts.h"
#include "berth/explain/words.h"
#include "berth/plugins/names.h"

namespace berth::explain {

namespace {

const FailingFilter* resources_of(const NodeFinding& finding) {
  const auto found = std::ranges::find(finding.failing, plugins::name::kNodeResourcesFit,
                                       [](const FailingFilter& each) { return each.plugin.text(); });
  return found == finding.failing.end() ? nullptr : &*found;
}

bool is_too_small(const Shortage& shortage) {
  return shortage.kind != Shortage::Kind::kTaken;
}

// "2 cpu", "no nvidia.com/gpu"
std::string total_text(const Shortage& shortage) {
  if (shortage.allocatable <= 0) return "no " + shortage.resource.str();
  return amount_of(shortage.resource, shortage.allocatable, Round::kDown);
}

// The largest allocatable amount of one resource on some nodes.
struct Most {
  Shortage shortage;
  std::string node;
};

// "8 cpu (n-2) and 32Gi memory (n-3)"; what no node has comes last.
std::string most_text(const std::vector<Most>& most) {
  std::vector<std::string> texts;
  for (const Most& each : most) {
    texts.push_back(each.shortage.allocatable <= 0 ? total_text(each.shortage)
                                                   : fmt::format("{} ({})", total_text(each.shortage), each.node));
  }
  return listed(texts);
}

}  // namespace

std::string lacks_text(const std::vector<Shortage>& shortages) {
  std::vector<std::string> texts;
  for (const Shortage& each : shortages) {
    texts.push_back(each.resource == "pods" ? "room for another pod"
                                            : amount_of(each.resource, each.missing(), Round::kUp));
  }
  return listed(texts);
}

double distance_of(const std::vector<Shortage>& shortages) {
  double distance = 0;
  for (const Shortage& each : shortages) {
    distance = std::max(distance, static_cast<double>(each.missing()) / static_cast<double>(each.needed));
  }
  return distance;
}

std::vector<Shortage> ResourceDiagnosis::shortages_of(const NodeFinding& finding) const {
  const FailingFilter* failing = resources_of(finding);
  if (failing == nullptr) return {};
  return shortages(evaluation_, cluster_.cache.nodes().at(finding.row), *failing);
}

std::vector<Shortage> ResourceDiagnosis::too_small(cache::RowId row, const FailingFilter& failing) const {
  std::vector<Shortage> found = shortages(evaluation_, cluster_.cache.nodes().at(row), failing);
  std::erase_if(found, [&](const Shortage& each) {
    return !is_too_small(each) || (is_impossible() && !impossible_.contains(each.resource));
  });
  return found;
}

void ResourceDiagnosis::find_impossible(const std::vector<NodeFinding>& findings) {
  for (std::size_t i = 0; i < findings.size(); ++i) {
    std::set<Symbol, SymbolTextLess> here;
    for (const Shortage& each : shortages_of(findings[i])) {
      if (is_too_small(each) && each.resource != "pods") here.insert(each.resource);
    }
    if (i == 0) {
      impossible_ = std::move(here);
    } else {
      std::erase_if(impossible_, [&](Symbol resource) { return !here.contains(resource); });
    }
    if (impossible_.empty()) return;
  }
}

std::string ResourceDiagnosis::key_of(cache::RowId row, const FailingFilter& failing) const {
  std::string key;
  for (const Shortage& each : too_small(row, failing)) key += each.resource.str() + "\n";
  return key.empty() ? "taken" : key;
}

bool ResourceDiagnosis::is_only_taken(cache::RowId row, const FailingFilter& failing) const {
  return std::ranges::none_of(shortages(evaluation_, cluster_.cache.nodes().at(row), failing), is_too_small);
}

std::string ResourceDiagnosis::brief(cache::RowId row, const FailingFilter& failing) const {
  std::vector<std::string> names;
  for (const Shortage& each : shortages(evaluation_, cluster_.cache.nodes().at(row), failing)) {
    names.push_back(each.resource == "pods" ? "room for another pod" : each.resource.str());
  }
  return "short of " + listed(names);
}

std::string ResourceDiagnosis::also(const NodeFinding& finding) const {
  const FailingFilter* failing = resources_of(finding);
  if (failing == nullptr) return "";
  const std::vector<Shortage> said = too_small(finding.row, *failing);
  if (said.empty()) return "";
  std::vector<std::string> names;
  for (const Shortage& each : shortages_of(finding)) {
    if (std::ranges::find(said, each.resource, &Shortage::resource) != said.end()) continue;
    names.push_back(each.resource == "pods" ? "room for another pod" : each.resource.str());
  }
  return names.empty() ? "" : "short of " + listed(names);
}

Phrase ResourceDiagnosis::phrase(const Members& members) const {
  const FailingFilter* failing = resources_of(*members.front());
  return too_small(members.front()->row, *failing).empty() ? phrase_of_taken(members) : phrase_of_too_small(members);
}

Phrase ResourceDiagnosis::phrase_of_too_small(const Members& members) const {
  std::vector<Most> most;  // one per resource, in the order of the shortages
  for (const NodeFinding* member : members) {
    const std::vector<Shortage> found = too_small(member->row, *resources_of(*member));
    for (const Shortage& each : found) {
      const auto it =
          std::ranges::find_if(most, [&](const Most& known) { return known.shortage.resource == each.resource; });
      if (it == most.end()) {
        most.push_back({each, cluster_.name_of(member->row)});
      } else if (each.allocatable > it->shortage.allocatable) {
        *it = {each, cluster_.name_of(member->row)};
      }
    }
  }
  std::vector<std::string> names, wanted;
  for (const Most& each : most) {
    names.push_back(each.shortage.resource.str());
    wanted.push_back(amount_of(each.shortage.resource, each.shortage.needed, Round::kUp));
  }
  if (std::ranges::all_of(most, [](const Most& each) { return each.shortage.allocatable <= 0; })) {
    return has_not(names.size() == 1 && names[0] == "pods" ? "room for any pod" : listed(names));
  }
  std::string detail;
  if (std::ranges::all_of(most, [&](const Most& each) { return each.node == most[0].node; })) {
    std::vector<std::string> totals;
    for (const Most& each : most) {
      totals.push_back(most.size() == 1 ? amount(each.shortage.resource, each.shortage.allocatable, Round::kDown)
                                        : total_text(each.shortage));
    }
    const std::string node = members.size() == 1 ? most[0].node : fmt::format("the largest, {},", most[0].node);
    detail = fmt::format("{} has {}", node, listed(totals));
  } else {
    detail = "the most there is: " + most_text(most);
  }
  return has_not(listed(wanted) + " in total", std::move(detail));
}

Phrase ResourceDiagnosis::phrase_of_taken(const Members& members) const {
  const NodeFinding* nearest = nullptr;
  std::vector<Shortage> of_nearest;
  std::vector<std::pair<Symbol, std::size_t>> counts;  // how many nodes are short of it
  for (const NodeFinding* member : members) {
    std::vector<Shortage> found = shortages_of(*member);
    for (const Shortage& each : found) {
      const auto it = std::ranges::find(counts, each.resource, &std::pair<Symbol, std::size_t>::first);
      it == counts.end() ? void(counts.emplace_back(each.resource, 1)) : void(++it->second);
    }
    if (nearest != nullptr && distance_of(found) >= distance_of(of_nearest)) continue;
    nearest = member;
    of_nearest = std::move(found);
  }
  if (of_nearest.empty()) return is("short of resources");
  const std::string node_name = cluster_.name_of(nearest->row);
  if (counts.size() == 1 && counts[0].first == "pods") {
    return has("no room for another pod",
               fmt::format("{} has {} of {}", node_name, cluster_.cache.nodes().at(nearest->row).pods.size(),
                           of_nearest[0].allocatable));
  }
  // What all of them are short of, and then what only some are.
  const auto name_of = [](Symbol resource) {
    return resource == "pods" ? std::string("room for another pod") : resource.str();
  };
  std::vector<std::string> common, some;
  for (const auto& [resource, count] : counts) {
    if (count == members.size()) common.push_back(name_of(resource));
  }
  for (const auto& [resource, count] : counts) {
    if (count == members.size()) continue;
    some.push_back(common.empty() ? fmt::format("{} of {}", text::grouped(count), name_of(resource))
                                  : fmt::format("{} of them of {} too", text::grouped(count), name_of(resource)));
  }
  const std::string lacks = members.size() == 1
                                ? fmt::format("{} lacks {}", node_name, lacks_text(of_nearest))
                                : fmt::format("nearest: {}, lacks {}", node_name, lacks_text(of_nearest));
  if (common.empty()) return is("short of resources", fmt::format("{}; {}", listed(some), lacks));
  return is("short of " + listed(common), some.empty() ? lacks : fmt::format("{}; {}", listed(some), lacks));
}

std::string ResourceDiagnosis::impossible_text(const std::vector<NodeFinding>& findings) const {
  std::vector<Most> most;
  for (const NodeFinding& finding : findings) {
    for (const Shortage& each : shortages_of(finding)) {
      if (!impossible_.contains(each.resource)) continue;
      const auto it =
          std::ranges::find_if(most, [&](const Most& known) { return known.shortage.resource == each.resource; });
      if (it == most.end()) {
        most.push_back({each, cluster_.name_of(finding.row)});
      } else if (each.allocatable > it->shortage.allocatable) {
        *it = {each, cluster_.name_of(finding.row)};
      }
    }
  }
  std::vector<std::string> wanted;
  for (const Most& each : most) {
    wanted.push_back(amount_of(each.shortage.resource, each.shortage.needed, Round::kUp));
  }
  const std::string asks = fmt::format("it asks for {}", listed(wanted));
  if (std::ranges::all_of(most, [](const Most& each) { return each.shortage.allocatable <= 0; })) {
    return asks + (most.size() == 1 ? " and no node has any" : ", and no node has any of them");
  }
  if (findings.size() == 1) {
    std::vector<std::string> totals;
    for (const Most& each : most) {
      totals.push_back(most.size() == 1 ? amount(each.shortage.resource, each.shortage.allocatable, Round::kDown)
                                        : total_text(each.shortage));
    }
    return fmt::format("{} and the only node, {}, has {} in total", asks, most[0].node, listed(totals));
  }
  if (most.size() == 1) {
    return fmt::format("{} and the largest of the {}, {}, has {} in total", asks, counted(findings.size(), "node"),
                       most[0].node, amount(most[0].shortage.resource, most[0].shortage.allocatable, Round::kDown));
  }
  return fmt::format("{}, and the most that one of the {} has in total is {}", asks, counted(findings.size(), "node"),
                     most_text(most));
}

}  // namespace berth::explain
