#include "berth/validation/dump_notes.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "berth/api/kinds.h"
#include "berth/validation/amounts.h"
#include "berth/validation/validate.h"

namespace berth::validation {

namespace {

// More notes would hide the answer.
constexpr std::size_t kMaxNotes = 5;

// A missing value has a meaning or is of no interest; a wrong one was meant to be something else.
bool is_wrong_value(const Error& error) {
  return error.what().starts_with("Unsupported value") || error.what().starts_with("Invalid value");
}

std::vector<Error> wrong_values(std::vector<Error> errors) {
  std::erase_if(errors, [](const Error& error) { return !is_wrong_value(error); });
  return errors;
}

class Findings {
 public:
  const std::vector<Error>& of(const api::AnyObject& object) {
    const auto pod = object.as<api::Pod>();
    if (pod == nullptr) return found_ = wrong_values(validate(object));
    // Pods of one template are judged once.
    const auto [place, is_new] = of_templates_.try_emplace(pod->spec.shared.identity());
    if (is_new) {
      std::vector<Error> errors;
      check_pod_spec(*pod->spec, config::Path("spec"), errors);
      place->second = wrong_values(std::move(errors));
    }
    return place->second;
  }

 private:
  std::map<const void*, std::vector<Error>> of_templates_;
  std::vector<Error> found_;
};

bool is_checked(const api::AnyObject& object) {
  const api::ObjectKind& kind = object.kind();
  return &kind == &api::kind_of<api::Pod>() || &kind == &api::kind_of<api::Node>() ||
         &kind == &api::kind_of<api::PodDisruptionBudget>();
}

}  // namespace

std::vector<std::string> tidy_dump(std::vector<api::AnyObject>& objects) {
  std::vector<std::string> notes = limit_amounts(objects);
  Findings findings;
  for (const api::AnyObject& object : objects) {
    if (!is_checked(object)) continue;
    const std::vector<Error>& errors = findings.of(object);
    if (errors.empty()) continue;
    const std::string more = errors.size() > 1 ? fmt::format(", and {} more", errors.size() - 1) : "";
    notes.push_back(fmt::format("An API server would refuse {} {}: {}{}.", object.kind().kind,
                                api::full_name(object.metadata()), errors.front().message(), more));
  }
  if (notes.size() > kMaxNotes) {
    const std::size_t more = notes.size() - kMaxNotes;
    notes.resize(kMaxNotes);
    notes.push_back(fmt::format("{} more {} like that.", more, more == 1 ? "object is" : "objects are"));
  }
  return notes;
}

}  // namespace berth::validation
