// Coroutine tests on virtual time.
//
//   CO_TEST(Suite, Name) {
//     co_await sleep_for(loop.time(), 1h);   // takes no time
//     CO_ASSERT_EQ(1, 1);
//   }
//
// The body is a Task that runs on a fresh VirtualLoop named `loop`; the test fails when it throws,
// when it waits for something that never comes, or when it leaves timers behind. ASSERT_* return
// from the function, which a coroutine cannot do: CO_ASSERT_* do it with co_return.
#pragma once

#include <gtest/gtest.h>

#include "runtime/loop.hpp"

#define CO_TEST(Suite, Name)                                                              \
  static ::dcm::runtime::Task<> Suite##_##Name##_body(::dcm::runtime::VirtualLoop& loop); \
  TEST(Suite, Name) {                                                                     \
    ::dcm::runtime::VirtualLoop loop;                                                     \
    loop.run(Suite##_##Name##_body(loop));                                                \
    EXPECT_EQ(loop.time().pending(), 0U) << "timers are left behind";                     \
  }                                                                                       \
  static ::dcm::runtime::Task<> Suite##_##Name##_body(                                    \
      [[maybe_unused]] ::dcm::runtime::VirtualLoop& loop)

#define CO_ASSERT_TRUE(condition)                 \
  do {                                            \
    const bool co_assert_value = bool(condition); \
    EXPECT_TRUE(co_assert_value) << #condition;   \
    if (!co_assert_value) co_return;              \
  } while (false)

#define CO_ASSERT_EQ(a, b)                                     \
  do {                                                         \
    const auto& co_assert_a = (a);                             \
    const auto& co_assert_b = (b);                             \
    EXPECT_EQ(co_assert_a, co_assert_b) << #a << " == " << #b; \
    if (!(co_assert_a == co_assert_b)) co_return;              \
  } while (false)
