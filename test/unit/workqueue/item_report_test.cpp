// The state of items, in words, and the memory of failures.
#include "workqueue/item_report.hpp"

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "runtime/metrics.hpp"
#include "runtime/virtual_time.hpp"
#include "workqueue/problem_memory.hpp"
#include "workqueue/queue.hpp"

namespace dcm::workqueue {
namespace {

using namespace std::chrono_literals;

struct OneNamespace {
  InternedString operator()(const std::string&) const { return "lab"; }
};
using Items = Queue<std::string, OneNamespace>;

struct Fixture : testing::Test {
  std::string told(const std::string& item) {
    return describe(items.report(item), {time.now(), time.wall_now()}).value_or("");
  }
  void pass(Duration duration) { time.advance_to(time.now() + duration); }

  runtime::VirtualTime time;
  runtime::MetricsRegistry metrics;
  Items items{time, metrics, Options("test", 2)};
};

using ItemReports = Fixture;

TEST_F(ItemReports, leave_out_idle_item) {
  EXPECT_EQ(told("a"), "");
}

TEST_F(ItemReports, describe_waiting_item) {
  pass(1s);
  items.add("a", Priority::live);
  pass(65s);
  const std::string text = told("a");
  EXPECT_TRUE(text.starts_with("It has been waiting for a worker since ")) << text;
  EXPECT_TRUE(text.ends_with("(1 min 5 s ago).")) << text;
}

TEST_F(ItemReports, describe_item_in_process_and_its_change) {
  pass(1s);
  items.add("a", Priority::live);
  ASSERT_EQ(items.take(), "a");
  pass(65s);
  EXPECT_TRUE(told("a").starts_with("A worker has been processing it since ")) << told("a");
  EXPECT_TRUE(told("a").ends_with("(1 min 5 s ago).")) << told("a");
  items.add("a", Priority::live);
  EXPECT_TRUE(told("a").ends_with("It changed meanwhile and will be processed again."))
      << told("a");
  items.done("a");
}

TEST_F(ItemReports, describe_delayed_item) {
  items.add("a", {.after = 90s});
  const ItemReport report = items.report("a");
  EXPECT_EQ(report.state, ItemState::delayed);
  EXPECT_EQ(report.due, time.now() + 90s);
  EXPECT_FALSE(report.since);
  const std::string text = told("a");
  EXPECT_TRUE(text.starts_with("The next attempt is at ")) << text;
  EXPECT_TRUE(text.ends_with("(in 1 min 30 s).")) << text;
}

TEST_F(ItemReports, describe_failed_item) {
  items.add("a", {.rate_limited = true});
  items.add("b", {.rate_limited = true});
  items.add("b", {.rate_limited = true});
  EXPECT_TRUE(told("a").starts_with("1 attempt in a row failed. The next ")) << told("a");
  EXPECT_TRUE(told("b").starts_with("2 attempts in a row failed. The next ")) << told("b");
}

// Of "lab/a"; empty for "a".
struct NamespaceOfText {
  runtime::InternedString operator()(const std::string& item) const {
    const std::size_t end = item.find('/');
    return runtime::InternedString(item.substr(0, end == std::string::npos ? 0 : end));
  }
};

struct Problems : testing::Test {
  void attempt(const std::string& item, std::initializer_list<const char*> problems) {
    time.advance_to(time.now() + 10s);
    memory.begin(item);
    for (const char* problem : problems) memory.note(item, problem);
    memory.end(item);
  }
  std::string text(const std::string& item) const {
    const Problem* problem = memory.find(item);
    return problem == nullptr ? "" : problem->text;
  }

  runtime::VirtualTime time;
  ProblemMemory<std::string, NamespaceOfText, std::hash<std::string>> memory{time};
};

TEST_F(Problems, show_last_attempt_with_time_of_first) {
  attempt("a", {"no quota"});
  const runtime::WallTime first = time.wall_now();
  attempt("a", {"no template", "no quota"});
  ASSERT_NE(memory.find("a"), nullptr);
  EXPECT_EQ(text("a"), "no template; no quota");
  EXPECT_EQ(memory.find("a")->first, first);
  EXPECT_EQ(memory.find("a")->latest, first + 10s);
}

TEST_F(Problems, of_one_item_are_counted_beyond_4_KiB) {
  const std::string problem(500, 'x');
  time.advance_to(time.now() + 10s);
  memory.begin("a");
  for (int i = 0; i < 5000; ++i) memory.note("a", problem);
  memory.end("a");
  EXPECT_TRUE(text("a").starts_with(problem + "; " + problem)) << text("a");
  EXPECT_TRUE(text("a").ends_with(problem + "; and 4992 more")) << text("a");
  EXPECT_LT(text("a").size(), 4200U);
  attempt("a", {"no quota"});
  EXPECT_EQ(text("a"), "no quota");
}

TEST_F(Problems, are_forgotten_after_success) {
  attempt("a", {"no quota"});
  attempt("b", {"no quota"});
  attempt("a", {});
  EXPECT_EQ(text("a"), "");
  EXPECT_EQ(text("b"), "no quota");
}

TEST_F(Problems, are_bounded_by_dropping_oldest) {
  const std::size_t capacity = decltype(memory)::kCapacity;
  for (std::size_t i = 0; i < capacity + 2; ++i) attempt(std::to_string(i), {"no quota"});
  EXPECT_EQ(memory.size(), capacity);
  EXPECT_EQ(text("0"), "");
  EXPECT_EQ(text("1"), "");
  EXPECT_EQ(text("2"), "no quota");
  EXPECT_EQ(text(std::to_string(capacity + 1)), "no quota");
}

TEST_F(Problems, of_namespace_with_fewer_are_kept) {
  const std::size_t capacity = decltype(memory)::kCapacity;
  attempt("small/0", {"no quota"});
  for (std::size_t i = 0; i < capacity + 2; ++i)
    attempt("large/" + std::to_string(i), {"no quota"});
  attempt("small/1", {"no quota"});
  EXPECT_EQ(memory.size(), capacity);
  EXPECT_EQ(text("small/0"), "no quota");
  EXPECT_EQ(text("small/1"), "no quota");
  EXPECT_EQ(text("large/3"), "");
  EXPECT_EQ(text("large/4"), "no quota");
  for (std::size_t i = 0; i < capacity + 2; ++i) attempt("large/" + std::to_string(i), {});
  EXPECT_EQ(memory.size(), 2U);
}

}  // namespace
}  // namespace dcm::workqueue
