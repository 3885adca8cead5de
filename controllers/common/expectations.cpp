#include "controllers/common/expectations.hpp"

#include <chrono>

namespace dcm::common {
namespace {

constexpr runtime::Duration kInterval = std::chrono::seconds(1);
// Checks per slice: less than 1 ms.
constexpr std::size_t kSlice = 256;
// How many reported writes are remembered; when that is full, a repeated write is reported again.
constexpr std::size_t kNotedMax = 4096;

std::int64_t seconds(runtime::Duration duration) {
  return std::chrono::round<std::chrono::seconds>(duration).count();
}

}  // namespace

Standing not_reached(const char* shown) {
  return {Standing::State::not_reached, [shown] { return std::string(shown); }};
}

std::unexpected<runtime::Error> not_written(runtime::Reason reason) {
  return runtime::fail(reason, "not written: this is a dry run");
}

Expectations::Expectations(Dependencies dependencies, std::string controller,
                           std::span<const WriteKind> kinds, runtime::Duration timeout)
    : deps_(std::move(dependencies)),
      timeout_(timeout),
      unchecked_(deps_.metrics.counter(
          "dra_controller_manager_dry_run_unchecked_total",
          "Writes of a dry run that were not waited for, as too many were waited for already.",
          {{"controller", controller}})) {
  for (const WriteKind& kind : kinds) {
    const runtime::Labels labels{{"controller", controller},
                                 {"verb", std::string(kind.verb)},
                                 {"resource", std::string(kind.resource)}};
    series_[kind] = {
        .writes = &deps_.metrics.counter("dra_controller_manager_dry_run_writes_total",
                                         "Writes that --dry-run has kept from being sent.", labels),
        .disagreements = &deps_.metrics.counter(
            "dra_controller_manager_dry_run_disagreements_total",
            "Writes of a dry run whose result the cluster has not shown in time.", labels),
        .open = &deps_.metrics.gauge(
            "dra_controller_manager_dry_run_open_disagreements",
            "Writes of a dry run whose result the cluster still does not show.", labels)};
    series_[kind].open->Set(0);
  }
  runtime::Gauge& awaited =
      deps_.metrics.gauge("dra_controller_manager_dry_run_awaited",
                          "Writes of a dry run whose result the cluster may still show in time.",
                          {{"controller", controller}});
  refresh_ = deps_.metrics.before_exposition(
      [this, &awaited] { awaited.Set(static_cast<double>(open_.size() - disagreements_)); });
}

void Expectations::expect(IntendedWrite write, Look look) {
  const auto known = open_.find(write.subject);
  if (known != open_.end() && known->second.write.what == write.what) return;
  if (look().state == Standing::State::reached) return;
  tell(write);
  if (known != open_.end()) {
    settle(known->second, Standing::State::moot);
    open_.erase(known);
  }
  if (open_.size() >= kOpenMax) return unchecked_.Increment();
  const std::string subject = write.subject;
  open_.emplace(subject, Open{std::move(write), std::move(look), watched_});
}

void Expectations::note(const IntendedWrite& write) {
  if (noted_.size() >= kNotedMax) noted_.clear();
  if (noted_.insert(write.subject).second) tell(write);
}

void Expectations::tell(const IntendedWrite& write) {
  series(write).writes->Increment();
  deps_.log.info("Dry run: not written", {{"verb", write.kind.verb},
                                          {"resource", write.kind.resource},
                                          {"object", write.object},
                                          {"what", write.what}});
}

runtime::Task<> Expectations::run() {
  while (true) {
    co_await runtime::sleep_for(deps_.time, kInterval);
    if (!deps_.is_watching()) continue;
    watched_ += kInterval;
    co_await look_at_all();
  }
}

// Entries may be added and removed between two slices.
runtime::Task<> Expectations::look_at_all() {
  std::size_t looks = 0;
  for (auto at = open_.begin(); at != open_.end();) {
    at = look_at(at->second) ? open_.erase(at) : std::next(at);
    if (++looks % kSlice != 0 || at == open_.end()) continue;
    const std::string next = at->first;
    co_await runtime::yield();
    at = open_.lower_bound(next);
  }
}

bool Expectations::look_at(Open& open) {
  const Standing standing = open.look();
  if (standing.state != Standing::State::not_reached) {
    settle(open, standing.state);
    return true;
  }
  if (!open.is_disagreement && watched_ - open.since > timeout_) disagree(open, standing.shown());
  return false;
}

void Expectations::disagree(Open& open, const std::string& shown) {
  open.is_disagreement = true;
  ++disagreements_;
  series(open.write).disagreements->Increment();
  series(open.write).open->Increment();
  deps_.log.warning("Dry run: the cluster does not show the change",
                    {{"verb", open.write.kind.verb},
                     {"resource", open.write.kind.resource},
                     {"object", open.write.object},
                     {"what", open.write.what},
                     {"shown", shown},
                     {"seconds", seconds(watched_ - open.since)}});
}

void Expectations::settle(const Open& open, Standing::State state) {
  if (!open.is_disagreement) return;
  --disagreements_;
  series(open.write).open->Decrement();
  deps_.log.info(state == Standing::State::reached ? "Dry run: the cluster now shows the change"
                                                   : "Dry run: a disagreement no longer applies",
                 {{"verb", open.write.kind.verb},
                  {"resource", open.write.kind.resource},
                  {"object", open.write.object},
                  {"what", open.write.what},
                  {"seconds", seconds(watched_ - open.since)}});
}

}  // namespace dcm::common
