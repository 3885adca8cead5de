#include "informers/reflector_report.hpp"

namespace dcm::informers {

ReflectorReport::ReflectorReport(SyncState& sync, InformerMetrics& metrics,
                                 runtime::TimeSource& time, runtime::Logger log)
    : sync_(sync),
      metrics_(metrics),
      time_(time),
      log_(log.with({{"resource", sync.resource()}})),
      guard_(time, Duration::max()) {}

void ReflectorReport::started() {
  started_at_ = time_.now();
}

void ReflectorReport::event_came() {
  sync_.note_accepted();
  sync_.note_event();
}

void ReflectorReport::recovered() {
  if (!sync_.last_error()) return;
  log_.info("List and watch work again");
  sync_.note_recovery();
  guard_.reset();
}

void ReflectorReport::relisting(RelistReason reason) {
  metrics_.count_relist(reason);
  if (log_.v(2)) log_.info("Reading all objects", {{"reason", to_string(reason)}});
}

void ReflectorReport::fell_back(std::string_view why) {
  metrics_.count_fallback();
  log_.info("Watch list does not work with this server, using a paged list", {{"reason", why}});
}

void ReflectorReport::failed(const runtime::Error& error) {
  const std::string text = to_string(error);
  if (guard_.should_log(text)) log_.warning("List or watch failed; retrying", {{"error", text}});
  sync_.note_error(error);
}

void ReflectorReport::relisted(std::size_t objects) {
  recovered();
  const bool is_first = !sync_.is_synced();
  sync_.note_synced();
  if (!is_first) return;
  const Duration took = *sync_.synced_at() - started_at_;
  metrics_.set_initial_sync(took);
  log_.info("Synced",
            {{"objects", std::uint64_t{objects}}, {"seconds", runtime::in_seconds(took)}});
}

}  // namespace dcm::informers
