#include "client/request/retry.hpp"

#include <gtest/gtest.h>

namespace dcm::client {
namespace {

using namespace std::chrono_literals;
using runtime::Duration;
using runtime::Error;
using runtime::Reason;
using runtime::Rng;

enum class Expected { again, given_up };

struct Row {
  const char* name;
  Verb verb;
  Reason reason;
  Expected expected;
};

constexpr Row kRows[] = {
    {"a get is repeated after 429", Verb::get, Reason::too_many_requests, Expected::again},
    {"a get is repeated after 503", Verb::get, Reason::service_unavailable, Expected::again},
    {"a get is repeated after 500", Verb::get, Reason::internal_error, Expected::again},
    {"a get is repeated after 504", Verb::get, Reason::server_timeout, Expected::again},
    {"a get is repeated after a reset", Verb::get, Reason::disconnected, Expected::again},
    {"a get is repeated when nobody listens", Verb::get, Reason::unreachable, Expected::again},
    {"a list page is repeated after a reset", Verb::list, Reason::disconnected, Expected::again},
    {"a list ahead of the server is its reflector's business", Verb::list,
     Reason::resource_version_too_large, Expected::given_up},
    {"a watch is never repeated", Verb::watch, Reason::too_many_requests, Expected::given_up},
    {"an expired list is not repeated", Verb::list, Reason::gone, Expected::given_up},
    {"a patch is repeated after a reset", Verb::strategic_merge_patch, Reason::disconnected,
     Expected::again},
    {"an apply is repeated after 500", Verb::apply, Reason::internal_error, Expected::again},
    {"an update is repeated after 504", Verb::update, Reason::server_timeout, Expected::again},
    {"a deletion is repeated after a timeout", Verb::delete_, Reason::deadline_exceeded,
     Expected::again},
    {"a patch is not repeated after a conflict", Verb::strategic_merge_patch, Reason::conflict,
     Expected::given_up},
    {"a patch is not repeated after 422", Verb::merge_patch, Reason::invalid, Expected::given_up},
    {"a patch is not repeated after 403", Verb::apply, Reason::forbidden, Expected::given_up},
    {"a get is not repeated after 404", Verb::get, Reason::object_not_found, Expected::given_up},
    {"a get is not repeated with untrusted TLS", Verb::get, Reason::tls, Expected::given_up},
    {"a get is not repeated after nonsense", Verb::get, Reason::malformed, Expected::given_up},
    {"a create is repeated after 429", Verb::create, Reason::too_many_requests, Expected::again},
    {"a create is not repeated after 503, which a proxy may say that has forwarded it",
     Verb::create, Reason::service_unavailable, Expected::given_up},
    {"a create is repeated when it was never sent", Verb::create, Reason::unreachable,
     Expected::again},
    {"a create is not repeated after 500", Verb::create, Reason::internal_error,
     Expected::given_up},
    {"a create is not repeated after 504", Verb::create, Reason::server_timeout,
     Expected::given_up},
    {"a create is not repeated after a reset", Verb::create, Reason::disconnected,
     Expected::given_up},
    {"a create is not repeated after a timeout", Verb::create, Reason::deadline_exceeded,
     Expected::given_up},
    {"a create is not repeated after 409", Verb::create, Reason::already_exists,
     Expected::given_up},
    {"a create is not repeated after 422", Verb::create, Reason::invalid, Expected::given_up},
    {"nothing is repeated with a closed gate", Verb::delete_, Reason::shutting_down,
     Expected::given_up},
};

TEST(Retry, follows_table_of_errors_and_verbs) {
  for (const Row& row : kRows) {
    Rng rng(1);
    const auto wait = decide_retry({}, row.verb, {row.reason, ""}, 1, 1min, rng);
    EXPECT_EQ(wait.has_value(), row.expected == Expected::again) << row.name;
  }
}

TEST(Retry, never_repeats_create_that_may_have_succeeded) {
  for (std::size_t i = 0; i < runtime::kReasonCount; ++i) {
    const Error error{static_cast<Reason>(i), ""};
    Rng rng(1);
    if (!runtime::is_outcome_unknown(error)) continue;
    EXPECT_FALSE(decide_retry({}, Verb::create, error, 1, 1min, rng)) << to_string(error.reason);
  }
}

TEST(Retry, waits_as_server_requests) {
  Rng rng(1);
  const Error error{.reason = Reason::too_many_requests, .message = "", .retry_after = 7s};
  EXPECT_EQ(decide_retry({}, Verb::create, error, 1, 1min, rng), Duration(7s));
}

TEST(Retry, waits_even_if_server_requests_no_wait) {
  Rng rng(1);
  const Error error{.reason = Reason::too_many_requests, .message = "", .retry_after = 0s};
  EXPECT_EQ(decide_retry({}, Verb::get, error, 1, 1min, rng), Duration(100ms));
}

TEST(Retry, gives_up_if_wait_exceeds_deadline) {
  Rng rng(1);
  const Error error{.reason = Reason::too_many_requests, .message = "", .retry_after = 7s};
  EXPECT_FALSE(decide_retry({}, Verb::get, error, 1, 7s, rng));
  EXPECT_TRUE(decide_retry({}, Verb::get, error, 1, 7001ms, rng));
}

TEST(Retry, doubles_backoff_within_bounds_with_jitter) {
  const RetryPolicy policy{.attempts_max = 100};
  const Error error{Reason::disconnected, ""};
  Rng rng(1);
  Duration base = policy.backoff.first;
  for (int attempts = 1; attempts < 20; ++attempts) {
    const auto wait = decide_retry(policy, Verb::get, error, attempts, 1h, rng);
    ASSERT_TRUE(wait);
    EXPECT_GE(*wait, base / 2) << attempts;
    EXPECT_LE(*wait, base) << attempts;
    base = std::min(base * 2, policy.backoff.most);
  }
  EXPECT_NE(decide_retry(policy, Verb::get, error, 1, 1h, rng),
            decide_retry(policy, Verb::get, error, 1, 1h, rng));
}

TEST(Retry, bounds_attempts) {
  Rng rng(1);
  const RetryPolicy policy{.attempts_max = 3};
  const Error error{Reason::too_many_requests, ""};
  EXPECT_TRUE(decide_retry(policy, Verb::get, error, 2, 1min, rng));
  EXPECT_FALSE(decide_retry(policy, Verb::get, error, 3, 1min, rng));
}

}  // namespace
}  // namespace dcm::client
