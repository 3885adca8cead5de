#include "runtime/http/replay.hpp"

#include <utility>

namespace dcm::http {
namespace {

constexpr int kAttemptsMax = 3;

// A POST executed twice creates two objects.
bool may_be_sent_twice(const FailedAttempt& attempt) {
  return attempt.is_idempotent && attempt.method != Method::post;
}

}  // namespace

Replay decide_replay(const FailedAttempt& attempt) {
  switch (attempt.failure) {
    case Failure::other:
      return Replay::report;
    case Failure::lost: {
      const bool is_stale_connection =
          attempt.connection == ConnectionUse::reused && !attempt.was_lost_before;
      return is_stale_connection && !attempt.is_last && may_be_sent_twice(attempt)
                 ? Replay::send_again
                 : Replay::report;
    }
    case Failure::refused:
      if (!attempt.is_last) return Replay::send_again;
      [[fallthrough]];
    case Failure::not_sent:
      return attempt.was_lost_before ? Replay::report_earlier : Replay::report;
  }
  std::unreachable();
}

std::optional<runtime::Error> Attempts::fail(Failure failure, ConnectionUse connection,
                                             runtime::Error error) {
  const Replay replay = decide_replay({.method = method_,
                                       .failure = failure,
                                       .connection = connection,
                                       .was_lost_before = lost_.has_value(),
                                       .is_last = ++failed_ == kAttemptsMax,
                                       .is_idempotent = is_idempotent_});
  if (replay == Replay::report_earlier) return std::move(lost_);
  if (replay == Replay::report) return error;
  if (failure == Failure::lost) lost_ = std::move(error);
  return std::nullopt;
}

}  // namespace dcm::http
