// When a request is sent again, and after how long, where its Retries allow that. Pure.
//
// | the error | idempotent call | create |
// | --- | --- | --- |
// | 429 | after Retry-After, else after a backoff | the same |
// | not sent for sure (no connection) | after a backoff | the same |
// | 500, 503, 504, reset, timeout | after Retry-After or backoff | never: the caller looks first |
// | 401 | see RestClient: once, at once, with new credentials | the same |
// | anything else, including 409 | never | never |
//
// Watches are never repeated here: reflectors know where to resume, and have their own backoff.
#pragma once

#include <optional>

#include "client/request/request.hpp"
#include "runtime/backoff.hpp"
#include "runtime/error.hpp"
#include "runtime/rng.hpp"

namespace dcm::client {

struct RetryPolicy {
  int attempts_max = 8;  // in total
  // Each wait is drawn from the upper half of the backoff.
  runtime::Backoff backoff{std::chrono::milliseconds(200), std::chrono::seconds(10)};
};

// How long to wait before `verb` is sent again, after attempt number `attempts` (from 1) failed
// with `error` and `left` remains of the call's time; nullopt: do not repeat it.
std::optional<runtime::Duration> decide_retry(const RetryPolicy& policy, Verb verb,
                                              const runtime::Error& error, int attempts,
                                              runtime::Duration left, runtime::Rng& rng);

}  // namespace dcm::client
