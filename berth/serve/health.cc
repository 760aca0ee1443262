#include "berth/serve/health.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace berth::serve {

namespace {

std::string quoted_list(const std::set<std::string, std::less<>>& names) {
  std::string result;
  for (const std::string& name : names) result += fmt::format("{}\"{}\"", result.empty() ? "" : ",", name);
  return result;
}

// What all checks of a path say together.
class Summary {
 public:
  Summary(std::string type, std::vector<HealthCheck> checks, std::shared_ptr<HealthCounts> counts)
      : type_(std::move(type)), checks_(std::move(checks)), counts_(std::move(counts)) {}

  Reply operator()(const Call& call) const {
    std::set<std::string, std::less<>> excluded;
    for (const QueryValue& each : call.query) {
      if (each.name == "exclude") excluded.insert(each.value);
    }
    std::set<std::string, std::less<>> unknown = excluded;
    std::string lines;
    bool is_well = true;
    for (const HealthCheck& check : checks_) {
      if (excluded.contains(check.name)) {
        unknown.erase(check.name);
        lines += fmt::format("[+]{} excluded: ok\n", check.name);
        continue;
      }
      const bool succeeded = !check.check();
      if (counts_ != nullptr) counts_->note(type_, check.name, succeeded);
      is_well = is_well && succeeded;
      lines += succeeded ? fmt::format("[+]{} ok\n", check.name)
                         : fmt::format("[-]{} failed: reason withheld\n", check.name);
    }
    if (!unknown.empty()) {
      lines += fmt::format("warn: some health checks cannot be excluded: no matches for {}\n", quoted_list(unknown));
    }
    if (!is_well) return Reply::error(500, lines + type_ + " check failed");
    Reply reply = Reply::text(call.query_value("verbose") ? lines + type_ + " check passed\n" : "ok");
    reply.headers.push_back({"X-Content-Type-Options", "nosniff"});
    return reply;
  }

 private:
  std::string type_;  // "readyz"
  std::vector<HealthCheck> checks_;
  std::shared_ptr<HealthCounts> counts_;
};

}  // namespace

HealthCheck ping_check() {
  return {"ping", [] { return std::optional<std::string>(); }};
}

void HealthCounts::note(const std::string& type, const std::string& name, bool is_well) {
  const std::lock_guard lock(mutex_);
  Counts& counts = counts_[{name, type}];
  counts.name = name;
  counts.type = type;
  counts.is_well = is_well;
  ++(is_well ? counts.successes : counts.errors);
}

std::vector<HealthCounts::Counts> HealthCounts::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<Counts> result;
  for (const auto& [key, counts] : counts_) result.push_back(counts);
  return result;
}

void add_health(Routes& routes, const std::string& path, std::vector<HealthCheck> checks,
                std::shared_ptr<HealthCounts> counts) {
  if (checks.empty()) checks.push_back(ping_check());
  for (const HealthCheck& check : checks) {
    routes.add(path + "/" + check.name, [ask = check.check](const Call&) {
      const std::optional<std::string> problem = ask();
      return problem ? Reply::error(500, "internal server error: " + *problem) : Reply::text("ok");
    });
  }
  routes.add(path, Summary(path.substr(1), std::move(checks), std::move(counts)));
}

}  // namespace berth::serve
