#include "berth/informer/informers.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "berth/api/kinds.h"
#include "berth/api/watched_kinds.h"

namespace berth::informer {

namespace {

// As Kubernetes writes it: "replicasets.v1.apps", "pods.v1".
std::string resource_name(const api::ObjectKind& kind) {
  const std::size_t slash = kind.api_version.find('/');
  if (slash == std::string_view::npos) return fmt::format("{}.{}", kind.resource, kind.api_version);
  return fmt::format("{}.{}.{}", kind.resource, kind.api_version.substr(slash + 1), kind.api_version.substr(0, slash));
}

}  // namespace

std::vector<InformedKind> scheduler_kinds() {
  std::vector<InformedKind> kinds;
  for (const api::WatchedKind& each : api::watched_kinds()) {
    if (each.reading == api::KindReading::kSimulated) continue;
    kinds.push_back(
        {.kind = each.kind, .is_optional = each.reading == api::KindReading::kWatchedIfServed, .field_selector = {}});
    // Pods that have ended use no resources; leaving them out saves most of the memory in clusters that run jobs.
    if (each.kind == &api::kind_of<api::Pod>()) {
      kinds.back().field_selector = "status.phase!=Succeeded,status.phase!=Failed";
    }
  }
  return kinds;
}

Informers::Informers(client::Loop& loop, client::Transport& transport, Sink& sink, Rng rng, Options options)
    : loop_(loop), rng_(rng.fork(options.kinds.size())), options_(std::move(options)) {
  reflectors_.reserve(options_.kinds.size());
  for (const InformedKind& informed : options_.kinds) {
    ReflectorOptions reflector = options_.reflector;
    reflector.field_selector = informed.field_selector;
    reflector.label_selector.clear();
    reflector.is_optional = informed.is_optional;
    reflector.on_synced = [this] { on_synced(); };
    reflector.on_outage = [this] { on_outage(); };
    reflector.on_served = [this] { on_served(); };
    reflectors_.push_back(std::make_unique<Reflector>(*informed.kind, loop, transport, sink,
                                                      rng.fork(reflectors_.size()), std::move(reflector)));
  }
}

Informers::~Informers() {
  stop();
}

void Informers::start() {
  for (const auto& reflector : reflectors_) reflector->start();
}

void Informers::stop() {
  for (const auto& reflector : reflectors_) reflector->stop();
  loop_.cancel_timer(std::exchange(probe_timer_, 0));
}

void Informers::on_outage() {
  is_outage_ = true;
  if (probe_timer_ == 0) probe_timer_ = loop_.after(probe_delay_.next(loop_.now(), rng_), [this] { send_probe(); });
}

void Informers::send_probe() {
  probe_timer_ = 0;
  for (std::size_t tried = 0; tried < reflectors_.size(); ++tried) {
    Reflector& probe = *reflectors_[next_probe_];
    next_probe_ = (next_probe_ + 1) % reflectors_.size();
    if (probe.try_now()) break;
  }
}

void Informers::on_served() {
  if (!std::exchange(is_outage_, false)) return;
  loop_.cancel_timer(std::exchange(probe_timer_, 0));
  for (const auto& reflector : reflectors_) reflector->end_outage();
}

void Informers::on_synced() {
  if (++synced_ == reflectors_.size() && options_.on_all_synced) options_.on_all_synced();
}

bool Informers::all_synced() const {
  return synced_ == reflectors_.size();
}

std::vector<std::string> Informers::unsynced() const {
  std::vector<std::string> names;
  for (const auto& reflector : reflectors_) {
    if (!reflector->is_synced()) names.push_back(resource_name(reflector->kind()));
  }
  return names;
}

const Reflector* Informers::find(const api::ObjectKind& kind) const {
  const auto found = std::ranges::find_if(reflectors_, [&](const auto& each) { return &each->kind() == &kind; });
  return found == reflectors_.end() ? nullptr : found->get();
}

}  // namespace berth::informer
