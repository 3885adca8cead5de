// Reports the state of a reflector to the log, the sync state and the metrics.
#pragma once

#include <cstddef>

#include "informers/informer_metrics.hpp"
#include "informers/sync_state.hpp"
#include "informers/watch_state.hpp"
#include "runtime/log.hpp"

namespace dcm::informers {

// A lasting fault is logged once, and so is its end.
class ReflectorReport {
 public:
  // `sync`, `metrics` and `time` must outlive this.
  ReflectorReport(SyncState& sync, InformerMetrics& metrics, runtime::TimeSource& time,
                  runtime::Logger log);

  void started();
  void event_came();
  void recovered();
  void accepted() { sync_.note_accepted(); }
  void relisting(RelistReason reason);
  void fell_back(std::string_view why);
  void failed(const runtime::Error& error);
  void relisted(std::size_t objects);

 private:
  SyncState& sync_;
  InformerMetrics& metrics_;
  runtime::TimeSource& time_;
  runtime::Logger log_;
  runtime::RepeatGuard guard_;
  runtime::MonoTime started_at_{};
};

}  // namespace dcm::informers
