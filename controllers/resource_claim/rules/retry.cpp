#include "controllers/resource_claim/rules/retry.hpp"

#include <algorithm>

namespace dcm::resource_claim {

using runtime::Reason;

Outcome outcome_after_create(const runtime::Error& error) {
  return error.reason == Reason::request_too_large ? kLookAgain : outcome_after_read(error);
}

Outcome outcome_after_write(const runtime::Error& error) {
  if (runtime::is_object_gone(error)) return Outcome::done();
  if (is_binding_refused(error)) return kLookAgain;
  return outcome_after_read(error);
}

bool is_binding_refused(const runtime::Error& error) {
  return std::ranges::any_of(error.causes, [](const runtime::FieldCause& cause) {
    return cause.field == "status.allocation" && cause.message.contains("resourceclaims/binding");
  });
}

bool is_refusal(const runtime::Error& error) {
  return error.reason == Reason::forbidden || error.reason == Reason::invalid ||
         error.reason == Reason::request_too_large;
}

Outcome outcome_after_read(const runtime::Error& error) {
  if (error.reason == Reason::shutting_down) return Outcome::done();
  return Outcome::retry(error.retry_after.value_or(runtime::Duration::zero()));
}

bool is_fault(const runtime::Error& error) {
  return !runtime::is_conflict(error) && !runtime::is_object_gone(error) &&
         error.reason != Reason::shutting_down;
}

}  // namespace dcm::resource_claim
