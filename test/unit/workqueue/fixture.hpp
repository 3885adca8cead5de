// Shared by the queue's tests: an item, and a queue on a clock that tests set.
#pragma once

#include <functional>
#include <optional>
#include <ostream>
#include <string>

#include "runtime/metrics.hpp"
#include "workqueue/queue.hpp"

namespace dcm::workqueue {

// "ns/name".
struct TestItem {
  TestItem(const char* text) : TestItem(std::string(text)) {}
  explicit TestItem(const std::string& text)
      : namespace_(text.substr(0, text.find('/'))), name(text.substr(text.find('/') + 1)) {}

  InternedString namespace_;
  InternedString name;

  std::string str() const { return namespace_.str() + "/" + name.str(); }
  static std::string str_of(const TestItem& item) { return item.str(); }
  friend bool operator==(const TestItem&, const TestItem&) = default;
  friend std::ostream& operator<<(std::ostream& out, const TestItem& item) {
    return out << item.str();
  }
};

struct TestNamespaceOf {
  InternedString operator()(const TestItem& item) const { return item.namespace_; }
};

struct TestHash {
  std::size_t operator()(const TestItem& item) const noexcept {
    return item.namespace_.hash() * 31 + item.name.hash();
  }
};

// Stands still until pass() advances it. Callbacks that have become due run once each.
class TestTime final : public runtime::TimeSource {
 public:
  MonoTime now() const noexcept override { return now_; }
  runtime::WallTime wall_now() const noexcept override { return {}; }
  runtime::TimerId schedule(MonoTime when, std::function<void()> callback) override {
    return timers_.add(when, std::move(callback));
  }
  void cancel(runtime::TimerId id) noexcept override { timers_.cancel(id); }

  void pass(Duration time) {
    now_ += time;
    for (std::size_t left = timers_.size(); left > 0 && timers_.next() <= now_; --left) {
      timers_.take()();
    }
  }

 private:
  runtime::TimerQueue timers_;
  MonoTime now_{std::chrono::hours(1)};
};

// A queue without workers, on its own clock.
struct TestQueue {
  explicit TestQueue(std::size_t workers = 1000) : queue(time, metrics, Options("test", workers)) {}

  void add(const TestItem& item, Priority priority = Priority::live) { queue.add(item, priority); }
  void add_after(const TestItem& item, Duration delay, std::optional<Priority> priority = {}) {
    queue.add(item, {.after = delay, .priority = priority});
  }
  Duration add_rate_limited(const TestItem& item, std::optional<Priority> priority = {},
                            Duration at_least = {}) {
    return queue.add(item, {.after = at_least, .rate_limited = true, .priority = priority});
  }
  void pass(Duration duration) { time.pass(duration); }
  void retry_now() { queue.retry_now(); }
  void retry_now(const TestItem& item) { queue.retry_now(item); }
  // "" when nothing waits.
  std::string take() {
    const auto taken = queue.take();
    return taken ? taken->str() : "";
  }
  // Takes and finishes an item.
  std::string handle() {
    const auto taken = queue.take();
    if (!taken) return "";
    queue.forget(*taken);
    queue.done(*taken);
    return taken->str();
  }
  // Handles `count` items: "a/1 b/1 a/2".
  std::string handle(int count) {
    std::string order;
    for (; count > 0; --count) order += (order.empty() ? "" : " ") + handle();
    return order;
  }
  Duration done(const TestItem& item) { return queue.done(item); }
  void forget(const TestItem& item) { queue.forget(item); }
  ItemState state(const TestItem& item) const { return queue.state(item); }
  std::size_t waiting() const { return queue.len(); }
  Load load() const { return queue.load(); }
  MonoTime now() const { return time.now(); }

  TestTime time;
  runtime::MetricsRegistry metrics;
  Queue<TestItem, TestNamespaceOf, TestHash> queue;
};

}  // namespace dcm::workqueue
