#include "controllers/resource_claim/sync/retry.hpp"

namespace dcm::resource_claim {

using runtime::Reason;

Retry sooner(Retry a, Retry b) {
  for (const Retry eager : {Retry::with_backoff, Retry::slowly, Retry::when_woken}) {
    if (a == eager || b == eager) return eager;
  }
  return Retry::never;
}

Retry retry_after_create(const runtime::Error& error) {
  return retry_after_read(error);
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
      return Retry::with_backoff;
  }
}

Retry retry_after_read(const runtime::Error& error) {
  return error.reason == Reason::shutting_down ? Retry::never : Retry::with_backoff;
}

}  // namespace dcm::resource_claim
