// Keeps a store in step with the API server: the thin coroutine around the state machine of
// watch_state.hpp. It has no rules of its own; it executes each step and reports the outcome.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "informers/lister_watcher.hpp"
#include "informers/reflector_report.hpp"
#include "informers/store.hpp"
#include "informers/watch_state.hpp"
#include "runtime/rng.hpp"
#include "runtime/time.hpp"

namespace dcm::informers {

// Owned by an informer; run() is started once.
template <class T>
class Reflector {
 public:
  // All references must outlive this.
  Reflector(ListerWatcher<T>& source, StoreWriter<T> writer, ReflectorReport& report,
            runtime::TimeSource& time, runtime::Rng rng, WatchPolicy policy)
      : source_(source),
        writer_(std::move(writer)),
        report_(report),
        time_(time),
        rng_(rng),
        policy_(policy) {}

  // Ends by cancellation only.
  runtime::Task<> run() {
    const CloseStream at_the_end{stream_};
    report_.started();
    WatchStep step = advance({}, Started{}, time_.now(), policy_);
    while (true) {
      for (const Effect& effect : step.effects) co_await carry_out(effect);
      const ReflectorEvent event = co_await perform(std::move(step.request));
      if (std::holds_alternative<Accepted>(event)) report_.accepted();
      if (shows_progress(event)) report_.event_came();
      if (shows_recovery(step.next, event)) report_.recovered();
      step = advance(std::move(step.next), event, time_.now(), policy_);
    }
  }

 private:
  // Events or slots processed before other tasks get a turn: about 1 ms at most.
  static constexpr std::size_t kSlice = 256;

  using Stream = std::unique_ptr<WatchStream<T>>;
  struct CloseStream {
    Stream& stream;
    ~CloseStream() { stream.reset(); }
  };

  runtime::Task<> carry_out(const Effect& effect) {
    if (const auto* relist = std::get_if<CountRelist>(&effect)) {
      report_.relisting(relist->reason);
    } else if (std::holds_alternative<BeginRelist>(effect)) {
      writer_.begin_relist();
    } else if (const auto* end = std::get_if<EndRelist>(&effect)) {
      co_await end_relist(end->version);
    } else if (const auto* fallback = std::get_if<ReportFallback>(&effect)) {
      report_.fell_back(fallback->why);
    } else {
      report_.failed(std::get<ReportFailure>(effect).error);
    }
  }

  runtime::Task<> end_relist(api::ResourceVersion version) {
    std::optional<Cursor> next = Cursor();
    while (next) {
      next = writer_.sweep(*next, kSlice, version);
      if (next) co_await runtime::yield();
    }
    writer_.end_relist(version);
    report_.relisted(writer_.size());
  }

  runtime::Task<ReflectorEvent> perform(Request request) {
    if (const auto* read = std::get_if<ReadEvent>(&request)) return read_event(*read);
    stream_.reset();
    if (const auto* open = std::get_if<OpenWatchList>(&request)) {
      return open_watch({{}, InitialEvents::send, server_timeout()}, open->deadline);
    }
    if (const auto* open = std::get_if<OpenWatch>(&request)) {
      return open_watch({open->from, InitialEvents::none, server_timeout()}, open->deadline);
    }
    if (auto* page = std::get_if<ReadPage>(&request)) return read_page(std::move(*page));
    return wait(std::get<Wait>(request));
  }

  runtime::Task<ReflectorEvent> wait(Wait request) {
    co_await runtime::sleep_for(time_, request.at_least + jitter(request.jitter));
    co_return WaitOver{};
  }

  runtime::Task<ReflectorEvent> open_watch(WatchOptions options, Deadline deadline) {
    auto opened = co_await source_.watch(std::move(options), deadline);
    if (!opened) co_return Failed{std::move(opened.error())};
    stream_ = std::move(*opened);
    co_return Accepted{stream_->compression()};
  }

  runtime::Task<ReflectorEvent> read_page(ReadPage request) {
    std::size_t objects = 0;
    bool has_room = true;
    auto page = co_await source_.list(
        {.limit = request.limit, .continue_token = std::move(request.continue_token)},
        [this, &objects, &has_room](api::Decoded<T> item) {
          ++objects;
          has_room = has_room && has_room_for(item);
          if (has_room) writer_.observe_listed(std::move(item));
        },
        request.deadline);
    if (!page) co_return Failed{std::move(page.error())};
    if (!has_room) co_return Failed{full()};
    co_return PageRead{std::move(*page), objects};
  }

  runtime::Task<ReflectorEvent> read_event(ReadEvent request) {
    if (++events_in_slice_ % kSlice == 0) co_await runtime::yield();
    auto event = co_await stream_->next(request.deadline);
    if (!event) co_return Failed{std::move(event.error())};
    if (!*event) co_return Ended{};
    co_return take_in(std::move(**event), request.is_initial);
  }

  ReflectorEvent take_in(api::WatchEvent<T> event, bool is_initial) {
    if (auto* error = std::get_if<api::ErrorEvent>(&event)) return Failed{std::move(error->error)};
    if (auto* bookmark = std::get_if<api::BookmarkEvent>(&event)) {
      if (!is_initial) writer_.pass(bookmark->resource_version);
      return std::move(*bookmark);
    }
    auto& [type, subject] = std::get<api::ChangeEvent<T>>(event);
    if (type != api::ChangeType::deleted && !has_room_for(subject)) return Failed{full()};
    Changed changed{subject.meta.resource_version};
    if (!is_initial) {
      writer_.observe_change(type, std::move(subject));
    } else if (type == api::ChangeType::deleted) {
      writer_.observe_unlisted(subject.meta);
    } else {
      writer_.observe_listed(std::move(subject));
    }
    return changed;
  }

  bool has_room_for(const api::Decoded<T>& seen) const {
    return writer_.has_room_for(seen, policy_.cache.objects, policy_.cache.bytes);
  }
  runtime::Error full() const {
    return {runtime::Reason::malformed, "the cache is full: it has " +
                                            std::to_string(writer_.size()) + " objects and " +
                                            std::to_string(writer_.bytes()) + " bytes"};
  }

  // Spread, so that the watches of a fleet do not end simultaneously.
  Duration server_timeout() {
    return WatchOptions().server_timeout + jitter(WatchOptions().server_timeout);
  }
  Duration jitter(Duration most) {
    return std::chrono::duration_cast<Duration>(most * rng_.unit());
  }

  ListerWatcher<T>& source_;
  StoreWriter<T> writer_;
  ReflectorReport& report_;
  runtime::TimeSource& time_;
  runtime::Rng rng_;
  WatchPolicy policy_;
  Stream stream_;
  std::size_t events_in_slice_ = 0;
};

}  // namespace dcm::informers
