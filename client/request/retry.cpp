#include "client/request/retry.hpp"

#include <algorithm>

namespace dcm::client {
namespace {

using runtime::Duration;
using runtime::Error;
using runtime::Reason;

bool may_be_sent_again(Verb verb, const Error& error) {
  if (verb == Verb::watch) return false;
  // The server has not seen that version yet: the caller decides what to request instead.
  if (error.reason == Reason::resource_version_too_large) return false;
  if (!runtime::is_transient(error)) return false;
  return is_idempotent(verb) || runtime::is_refused_untouched(error);
}

Duration backoff(const RetryPolicy& policy, int attempts, runtime::Rng& rng) {
  const Duration base = policy.backoff.after_failures(static_cast<std::uint64_t>(attempts - 1));
  const double part = 0.5 + rng.unit() / 2;
  return Duration(static_cast<Duration::rep>(static_cast<double>(base.count()) * part));
}

}  // namespace

std::optional<Duration> decide_retry(const RetryPolicy& policy, Verb verb, const Error& error,
                                     int attempts, Duration left, runtime::Rng& rng) {
  if (attempts >= policy.attempts_max || !may_be_sent_again(verb, error)) return std::nullopt;
  Duration wait = backoff(policy, attempts, rng);
  // Even a server that requests no wait gets the shortest one.
  if (error.retry_after) wait = std::max(*error.retry_after, policy.backoff.first / 2);
  if (wait >= left) return std::nullopt;
  return wait;
}

}  // namespace dcm::client
