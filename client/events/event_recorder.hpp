// Writes core/v1 Events in the background.
#pragma once

#include <string_view>

#include "client/events/event_queue.hpp"
#include "client/request/rest_client.hpp"
#include "runtime/condition.hpp"
#include "runtime/log.hpp"
#include "runtime/metrics.hpp"
#include "runtime/task.hpp"

namespace dcm::client {

// Reporting never waits and never fails; run() writes one event after the other, with the lowest
// priority. Unwritten events (over the rate, queue full, refused by the server, retried in vain)
// are counted, and a refused event is not tried again. Loop thread only.
class EventRecorder {
 public:
  // All references must outlive it.
  EventRecorder(RestClient& rest, runtime::TimeSource& time, runtime::MetricsRegistry& metrics,
                runtime::Rng rng, runtime::Logger log, EventLimits limits = {});

  // `component` is who reports ("node_labeller"), `reason` one word in CamelCase, `message` a text
  // for people; of a very long one the beginning.
  void report(const api::ObjectReference& about, api::EventType type, std::string_view component,
              std::string_view reason, std::string_view message);

  // Writes until it is cancelled; what still waits then is lost.
  runtime::Task<> run();

 private:
  runtime::Task<> write(EventQueue::Write write);
  ApiRequest request_of(const EventQueue::Write& write) const;
  void give_up(const EventQueue::Write& write, const runtime::Error& error);

  RestClient& rest_;
  runtime::TimeSource& time_;
  runtime::Logger log_;
  EventQueue queue_;
  runtime::Condition reported_;
  runtime::Counter& dropped_over_rate_;
  runtime::Counter& dropped_full_;
  runtime::Counter& dropped_failed_;
  runtime::RepeatGuard failure_guard_;
};

}  // namespace dcm::client
