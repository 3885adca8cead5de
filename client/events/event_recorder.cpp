#include "client/events/event_recorder.hpp"

#include <algorithm>

#include "client/api/encode.hpp"

namespace dcm::client {
namespace {

using runtime::Duration;
using runtime::Error;
using runtime::Reason;
using runtime::Result;
using runtime::Task;

// Above the retries of RestClient: an API server that restarts takes a minute or two.
constexpr int kAttemptsMax = 5;
constexpr Duration kBackoffMin = std::chrono::seconds(1);
constexpr Duration kFailureLogInterval = std::chrono::minutes(10);

runtime::Counter& dropped(runtime::MetricsRegistry& metrics, const std::string& cause) {
  return metrics.counter("program_events_dropped_total",
                         "[ALPHA] Number of events that were not written, by cause.",
                         {{"cause", cause}});
}

}  // namespace

EventRecorder::EventRecorder(RestClient& rest, runtime::TimeSource& time,
                             runtime::MetricsRegistry& metrics, runtime::Rng rng,
                             runtime::Logger log, EventLimits limits)
    : rest_(rest),
      time_(time),
      log_(std::move(log)),
      queue_(limits, rng),
      reported_(time),
      dropped_over_rate_(dropped(metrics, "over_rate")),
      dropped_full_(dropped(metrics, "queue_full")),
      dropped_failed_(dropped(metrics, "failed")),
      failure_guard_(time, kFailureLogInterval) {}

void EventRecorder::report(const api::ObjectReference& about, api::EventType type,
                           std::string_view component, std::string_view reason,
                           std::string_view message) {
  api::Event event;
  event.involved_object = about;
  event.type = type;
  event.reason = reason;
  event.message = message;
  event.component = component;
  switch (queue_.report(std::move(event), time_.now(), time_.wall_now())) {
    case EventQueue::Verdict::waiting:
      reported_.notify_one();
      return;
    case EventQueue::Verdict::merged:
      return;
    case EventQueue::Verdict::over_rate:
      dropped_over_rate_.Increment();
      return;
    case EventQueue::Verdict::full:
      dropped_full_.Increment();
      return;
  }
}

Task<> EventRecorder::run() {
  for (;;) {
    std::optional<EventQueue::Write> next = queue_.next();
    if (next) {
      co_await write(std::move(*next));
    } else {
      co_await reported_.wait();
    }
  }
}

// A create has the name that we chose, so that sending it again makes no second event.
Task<> EventRecorder::write(EventQueue::Write write) {
  using Outcome = EventQueue::Outcome;
  Duration backoff = kBackoffMin;
  for (int attempts = 1;; ++attempts) {
    const Result<http::Response> answer = co_await rest_.send(request_of(write));
    if (answer) co_return queue_.finish(write.id, Outcome::written);
    const Error& error = answer.error();
    const bool is_create = write.kind == EventQueue::Write::Kind::create;
    if (is_create && error.reason == Reason::already_exists) {
      co_return queue_.finish(write.id, Outcome::written);
    }
    if (!is_create && runtime::is_not_found(error)) {
      co_return queue_.finish(write.id, Outcome::vanished);
    }
    if (!runtime::is_transient(error) || attempts == kAttemptsMax) {
      co_return give_up(write, error);
    }
    co_await runtime::sleep_for(time_, std::max(backoff, error.retry_after.value_or(backoff)));
    backoff *= 2;
  }
}

ApiRequest EventRecorder::request_of(const EventQueue::Write& write) const {
  const api::Resource events{&api::kEvents, std::string(api::kEvents.versions.front())};
  const CallOptions options{.priority = Priority::event};
  if (write.kind == EventQueue::Write::Kind::create) {
    return create_request(events, write.event.key.namespace_, {api::encode_event(write.event)},
                          options);
  }
  return strategic_merge_patch_request(events, write.event.key, {},
                                       api::encode_event_repetition(write.event), options);
}

void EventRecorder::give_up(const EventQueue::Write& write, const Error& error) {
  queue_.finish(write.id, EventQueue::Outcome::given_up);
  dropped_failed_.Increment();
  if (!failure_guard_.should_log(runtime::to_string(error.reason))) return;
  log_.warning("Event not written", {{"object", write.event.involved_object.key.str()},
                                     {"reason", write.event.reason},
                                     {"error", runtime::to_string(error)}});
}

}  // namespace dcm::client
