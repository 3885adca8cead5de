#include "runtime/http/replay.hpp"

#include <gtest/gtest.h>

namespace dcm::http {
namespace {

using enum Failure;
using enum ConnectionUse;
using enum Replay;
using runtime::Error;
using runtime::Reason;

struct Row {
  const char* name;
  FailedAttempt attempt;
  Replay replay;
};

constexpr auto kGet = Method::get;
constexpr auto kPost = Method::post;

const Row kRows[] = {
    {"no connection", {kGet, not_sent}, report},
    {"kept back by the caller", {kGet, not_sent, reused}, report},
    {"no connection for the attempt after a lost one",
     {kGet, not_sent, first, true},
     report_earlier},
    {"refused", {kGet, refused}, send_again},
    {"refused on a reused connection", {kGet, refused, reused}, send_again},
    {"a POST that was refused", {kPost, refused, reused}, send_again},
    {"refused after a lost attempt", {kGet, refused, first, true}, send_again},
    {"refused for the last time", {kGet, refused, reused, false, true}, report},
    {"refused for the last time, after a lost attempt",
     {kGet, refused, reused, true, true},
     report_earlier},
    {"lost on a reused connection", {kGet, lost, reused}, send_again},
    {"a PUT lost on a reused connection", {Method::put, lost, reused}, send_again},
    {"a PATCH lost on a reused connection", {Method::patch, lost, reused}, send_again},
    {"a DELETE lost on a reused connection", {Method::delete_, lost, reused}, send_again},
    {"a POST lost on a reused connection", {kPost, lost, reused}, report},
    {"a JSON patch lost on a reused connection",
     {.method = Method::patch, .failure = lost, .connection = reused, .is_idempotent = false},
     report},
    {"lost on a new connection", {kGet, lost, first}, report},
    {"lost for the second time", {kGet, lost, reused, true}, report},
    {"lost on the last attempt", {kGet, lost, reused, false, true}, report},
    {"a deadline, or a cut answer", {kGet, other, reused}, report},
    {"a deadline after a lost attempt", {kGet, other, reused, true}, report},
};

TEST(DecideReplay, follows_table) {
  for (const Row& row : kRows) EXPECT_EQ(decide_replay(row.attempt), row.replay) << row.name;
}

TEST(Attempts, report_lost_attempt_when_later_ones_are_refused) {
  Attempts attempts({.method = kGet});
  EXPECT_FALSE(attempts.fail(lost, reused, {Reason::disconnected, "lost"}));
  EXPECT_FALSE(attempts.fail(refused, first, {Reason::unreachable, "refused"}));
  const auto error = attempts.fail(refused, reused, {Reason::unreachable, "refused again"});
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "lost");
}

TEST(Attempts, end_after_three) {
  Attempts attempts({.method = kPost});
  EXPECT_FALSE(attempts.fail(refused, first, {Reason::unreachable, "1"}));
  EXPECT_FALSE(attempts.fail(refused, reused, {Reason::unreachable, "2"}));
  EXPECT_EQ(attempts.fail(refused, reused, {Reason::unreachable, "3"})->message, "3");
}

}  // namespace
}  // namespace dcm::http
