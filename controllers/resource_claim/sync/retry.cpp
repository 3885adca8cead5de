#include "controllers/resource_claim/sync/retry.hpp"

#include <algorithm>

namespace dcm::resource_claim {

using runtime::Reason;

namespace {

Retry with_backoff(const runtime::Error& error) {
  return {Retry::with_backoff, error.retry_after.value_or(runtime::Duration::zero())};
}

}  // namespace

Retry sooner(Retry a, Retry b) {
  if (a.kind == b.kind) return {a.kind, std::min(a.at_least, b.at_least)};
  for (const Retry::Kind eager : {Retry::with_backoff, Retry::slowly, Retry::when_woken}) {
    if (a.kind == eager) return a;
    if (b.kind == eager) return b;
  }
  return Retry::never;
}

Retry retry_after_create(const runtime::Error& error) {
  return error.reason == Reason::request_too_large ? Retry::slowly : retry_after_read(error);
}

Retry retry_after_write(const runtime::Error& error) {
  switch (error.reason) {
    case Reason::object_not_found:
    case Reason::another_object:
    case Reason::shutting_down:
      return Retry::never;
    case Reason::binding_forbidden:
      return Retry::slowly;
    default:
      return with_backoff(error);
  }
}

Retry retry_after_read(const runtime::Error& error) {
  return error.reason == Reason::shutting_down ? Retry::never : with_backoff(error);
}

}  // namespace dcm::resource_claim
