#include "controllers/resource_claim/retry.hpp"

namespace dcm::resource_claim {

using runtime::Reason;

Retry sooner(Retry a, Retry b) {
  if (a == Retry::with_backoff || b == Retry::with_backoff) return Retry::with_backoff;
  return a == Retry::slowly || b == Retry::slowly ? Retry::slowly : Retry::never;
}

Retry retry_after_create(const runtime::Error& error) {
  return retry_after_read(error);
}

Retry retry_after_write(const runtime::Error& error) {
  switch (error.reason) {
    case Reason::object_not_found:
    case Reason::another_object:
    case Reason::invalid:
    case Reason::shutting_down:
      return Retry::never;
    case Reason::binding_forbidden:
      return Retry::slowly;
    default:
      return Retry::with_backoff;
  }
}

Retry retry_after_read(const runtime::Error& error) {
  return error.reason == Reason::shutting_down ? Retry::never : Retry::with_backoff;
}

}  // namespace dcm::resource_claim
