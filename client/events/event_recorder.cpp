#include "client/events/event_recorder.hpp"

#include <algorithm>

#include <boost/asio/this_coro.hpp>

#include "client/api/encode.hpp"
#include "runtime/backoff.hpp"
#include "runtime/task_group.hpp"

namespace dcm::client {
namespace {

using runtime::Duration;
using runtime::Error;
using runtime::Reason;
using runtime::Result;
using runtime::Task;

// In addition to RestClient's retries: an API server that restarts takes a minute or two.
constexpr int kAttemptsMax = 5;
// As many events as --max-inflight-requests allows by default.
constexpr int kWriters = 10;
constexpr runtime::Backoff kBackoff{std::chrono::seconds(1), std::chrono::seconds(8)};

// No connection, no trust or no credential: other events would fail in the same way.
bool concerns_all_events(const Error& error) {
  return error.reason == Reason::unreachable || error.reason == Reason::disconnected ||
         error.reason == Reason::tls || error.reason == Reason::configuration;
}
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
      may_write_(time),
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
    case EventQueue::Verdict::displaced_another:
      dropped_full_.Increment();
      [[fallthrough]];
    case EventQueue::Verdict::waiting:
      may_write_.notify_one();
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
  const runtime::Executor executor = co_await boost::asio::this_coro::executor;
  runtime::TaskGroup writers(executor);
  for (int i = 0; i < kWriters; ++i) writers.spawn("writer", write_by_turns());
  co_await writers.join();
}

Task<> EventRecorder::write_by_turns() {
  while (true) {
    const bool has_turn = is_server_there_ || in_hand_ == 0;
    std::optional<EventQueue::Write> next = has_turn ? queue_.next() : std::nullopt;
    if (next) {
      ++in_hand_;
      co_await write(std::move(*next));
      --in_hand_;
    } else {
      co_await may_write_.wait();
    }
  }
}

// We choose the name of a create, so sending it again makes no second event.
Task<> EventRecorder::write(EventQueue::Write write) {
  using Answer = EventQueue::Answer;
  Duration backoff{};
  for (int attempts = 1;; ++attempts) {
    const Result<http::Response> answer = co_await rest_.send(request_of(write));
    note_answer(answer);
    if (answer) co_return queue_.finish(write.id, Answer::written);
    const Error& error = answer.error();
    const bool is_create = write.kind == EventQueue::Write::Kind::create;
    if (is_create && error.reason == Reason::already_exists) {
      co_return queue_.finish(write.id, Answer::written);
    }
    if (!is_create && runtime::is_not_found(error)) {
      co_return queue_.finish(write.id, Answer::vanished);
    }
    const bool may_pass = runtime::is_transient(error) || concerns_all_events(error);
    if (!may_pass || attempts == kAttemptsMax) {
      co_return give_up(write, error);
    }
    backoff = kBackoff.after(backoff);
    co_await runtime::sleep_for(time_, std::max(backoff, error.retry_after.value_or(backoff)));
  }
}

void EventRecorder::note_answer(const Result<http::Response>& answer) {
  const bool was_there = is_server_there_;
  is_server_there_ = answer || !concerns_all_events(answer.error());
  if (is_server_there_ && !was_there) may_write_.notify_all();
}

ApiRequest EventRecorder::request_of(const EventQueue::Write& write) const {
  const api::Resource events{&api::kEvents, std::string(api::kEvents.versions.front())};
  const CallOptions options{.priority = PriorityLevel::event, .retries = Retries::allowed};
  if (write.kind == EventQueue::Write::Kind::create) {
    return create_request(events, write.event.key.namespace_, {api::encode_event(write.event)},
                          options);
  }
  return strategic_merge_patch_request(events, write.event.key, {},
                                       api::encode_event_repetition(write.event), options);
}

void EventRecorder::give_up(const EventQueue::Write& write, const Error& error) {
  queue_.finish(write.id, EventQueue::Answer::given_up);
  dropped_failed_.Increment();
  if (!failure_guard_.should_log(runtime::to_string(error.reason))) return;
  log_.warning("Event not written", {{"object", write.event.involved_object.key.str()},
                                     {"reason", write.event.reason},
                                     {"error", runtime::to_string(error)}});
}

}  // namespace dcm::client
