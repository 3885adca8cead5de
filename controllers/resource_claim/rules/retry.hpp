// When failed work is retried, depending only on the error.
#pragma once

#include <chrono>

#include "runtime/error.hpp"
#include "workqueue/outcome.hpp"

namespace dcm::resource_claim {

using workqueue::Outcome;

// Poll interval for changes that no watch reports: a new permission, or the end of a pod outside
// the cache.
inline constexpr Outcome kLookAgain = Outcome::requeue_after(std::chrono::minutes(1));

// After a create: every refusal may be temporary (quota, policies and labels change unnoticed), but
// "too large" is retried slowly.
Outcome outcome_after_create(const runtime::Error& error);
// After a patch or delete: if the object is gone or was replaced, nothing is left to do. Every
// other refusal may be temporary, even `Invalid`, which a ValidatingAdmissionPolicy returns when it
// denies.
Outcome outcome_after_write(const runtime::Error& error);
// Whether a write was refused because this process may not change allocations (since Kubernetes
// 1.36). The API server checks the permission for the synthetic subresource
// `resourceclaims/binding` during validation, and so reports it as a field error.
bool is_binding_refused(const runtime::Error& error);
// Whether the API server has understood a create, and rejects the claim: a quota, a policy or
// validation. Users can fix that.
bool is_refusal(const runtime::Error& error);
// After a look-up.
Outcome outcome_after_read(const runtime::Error& error);

// Whether an operator should know. Conflicts and missing objects are no faults: others change the
// same objects. Neither is a request that a stopping process does not send.
bool is_fault(const runtime::Error& error);

}  // namespace dcm::resource_claim
