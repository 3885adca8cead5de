// Writes core/v1 Events in the background.
#pragma once

#include <string_view>

#include "client/api/event_sink.hpp"
#include "client/events/event_queue.hpp"
#include "client/request/rest_client.hpp"
#include "runtime/condition.hpp"
#include "runtime/log.hpp"
#include "runtime/metrics.hpp"
#include "runtime/task.hpp"

namespace dcm::client {

// Reporting never waits and never fails; run() writes a few events at a time, within their own
// budget (admission.hpp). Unwritten events (over the rate, queue full, refused by the server, still
// failing after all retries) are counted. A refused event is not retried. Loop thread only.
class EventRecorder final : public api::EventSink {
 public:
  // All references must outlive it.
  EventRecorder(RestClient& rest, runtime::TimeSource& time, runtime::MetricsRegistry& metrics,
                runtime::Rng rng, runtime::Logger log, EventLimits limits = {});

  // A message is cut after 1,024 bytes.
  void report(const api::ObjectReference& about, api::EventType type, std::string_view component,
              std::string_view reason, std::string_view message) override;

  // Writes until it is cancelled; events still waiting then are lost.
  runtime::Task<> run();

 private:
  runtime::Task<> write_by_turns();
  runtime::Task<> write(EventQueue::Write write);
  ApiRequest request_of(const EventQueue::Write& write) const;
  void note_answer(const runtime::Result<http::Response>& answer);
  void give_up(const EventQueue::Write& write, const runtime::Error& error);

  RestClient& rest_;
  runtime::TimeSource& time_;
  runtime::Logger log_;
  EventQueue queue_;
  runtime::Condition may_write_;  // there is more to write, or the server answers again
  std::size_t in_hand_ = 0;
  bool is_server_there_ = true;  // if not, one write at a time probes for it
  runtime::Counter& dropped_over_rate_;
  runtime::Counter& dropped_full_;
  runtime::Counter& dropped_failed_;
  runtime::RepeatGuard failure_guard_;
};

}  // namespace dcm::client
