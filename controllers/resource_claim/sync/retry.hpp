// When a work item that failed is tried again.
#pragma once

#include <cstdint>

#include "runtime/error.hpp"

namespace dcm::resource_claim {

struct Retry {
  enum Kind : std::uint8_t {
    never,         // an event will bring the item back, or nothing can be done
    with_backoff,  // the queue's, per item
    when_woken,    // somebody else does what it needs; whether that goes well is not known yet
    slowly,        // what it waits for takes its time, and is not told: permissions, unseen pods
  };
  Retry(Kind what, runtime::Duration wait = {}) : kind(what), at_least(wait) {}

  Kind kind;
  runtime::Duration at_least;  // with_backoff: the server's wish

  friend bool operator==(const Retry&, const Retry&) = default;
};

// The more eager of two: an item with several failures is tried again for the first that can pass.
Retry sooner(Retry a, Retry b);

// After a create: every refusal may pass (quota, policies and labels change unseen), but one that
// is too large does so slowly.
Retry retry_after_create(const runtime::Error& error);
// After a patch or delete: of an object that is gone, or that another one has replaced, there is
// nothing left to do. Every other refusal may pass, also one that is called invalid: that is what a
// ValidatingAdmissionPolicy says where it denies.
Retry retry_after_write(const runtime::Error& error);
// After a look-up.
Retry retry_after_read(const runtime::Error& error);

}  // namespace dcm::resource_claim
