// Shared by the queue's tests: an item, and a queue on a clock that tests set.
#pragma once

#include <optional>
#include <ostream>
#include <string>

#include "workqueue/core.hpp"

namespace dcm::workqueue {

// "ns/name".
struct TestItem {
  TestItem(const char* text) : TestItem(std::string(text)) {}
  explicit TestItem(const std::string& text)
      : name_space(text.substr(0, text.find('/'))), name(text.substr(text.find('/') + 1)) {}

  InternedString name_space;
  InternedString name;

  std::string str() const { return name_space.str() + "/" + name.str(); }
  static std::string str_of(const TestItem& item) { return item.str(); }
  friend bool operator==(const TestItem&, const TestItem&) = default;
  friend std::ostream& operator<<(std::ostream& out, const TestItem& item) {
    return out << item.str();
  }
};

struct TestNamespaceOf {
  InternedString operator()(const TestItem& item) const { return item.name_space; }
};

struct TestHash {
  std::size_t operator()(const TestItem& item) const noexcept {
    return item.name_space.hash() * 31 + item.name.hash();
  }
};

using TestCore = Core<TestItem, TestNamespaceOf, TestHash>;

// A core and the time passed to its calls.
struct TestQueue {
  explicit TestQueue(std::size_t workers = 1000) : core(workers) {}

  void add(const TestItem& item, Priority priority = Priority::live) {
    core.add(item, priority, now);
  }
  void add_after(const TestItem& item, Duration delay, std::optional<Priority> priority = {}) {
    core.add_after(item, delay, priority, now);
  }
  Duration add_rate_limited(const TestItem& item, std::optional<Priority> priority = {},
                            Duration at_least = {}) {
    return core.add_rate_limited(item, priority, now, at_least);
  }
  void pass(Duration time) {
    now += time;
    core.advance(now);
  }
  void retry_now() {
    core.retry_now(now);
    core.advance(now);
  }
  void retry_now(const TestItem& item) {
    core.retry_now(item, now);
    core.advance(now);
  }
  // "" when nothing waits.
  std::string take() {
    const auto taken = core.take(now);
    return taken ? taken->item.str() : "";
  }
  // Takes and finishes an item.
  std::string handle() {
    const auto taken = core.take(now);
    if (!taken) return "";
    core.forget(taken->item, now);
    core.done(taken->item, now);
    return taken->item.str();
  }
  // Handles `count` items: "a/1 b/1 a/2".
  std::string handle(int count) {
    std::string order;
    for (; count > 0; --count) order += (order.empty() ? "" : " ") + handle();
    return order;
  }
  Duration done(const TestItem& item) { return core.done(item, now); }
  void forget(const TestItem& item) { core.forget(item, now); }
  ItemState state(const TestItem& item) const { return core.state(item); }
  std::size_t waiting() const { return core.scheduler().waiting(); }
  Load load() const { return core.scheduler().load(now); }

  TestCore core;
  MonoTime now{std::chrono::hours(1)};
};

}  // namespace dcm::workqueue
