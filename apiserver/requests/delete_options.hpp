// metav1.DeleteOptions: the body of a DELETE, or its query; also part of an eviction.
#pragma once

#include "apiserver/registry/registry.hpp"
#include "apiserver/requests/writes.hpp"

namespace dcm::apiserver {

struct DeleteOptions {
  DeleteWish wish;
  JsonArray dry_run;  // "All"; anything else is invalid
  std::string propagation_policy = {};
  std::optional<bool> orphan_dependents = {};  // the predecessor of propagationPolicy

  Commit commit() const { return dry_run.empty() ? Commit::write : Commit::dry_run; }
};

// The status of an answer that keeps the object: old clients wait on 202.
int pending_status(const DeleteOptions& options);

// From a DeleteOptions object, without validation.
DeleteOptions delete_options_of(const JsonObject& options);

// The options as admission policies see them.
JsonObject encode(const DeleteOptions& options);

// 422 for unknown values.
Result<> validate(const DeleteOptions& options);

// From the body of a DELETE, or from its query if it has no body. Never from both.
Result<DeleteOptions> decode_delete_options(const WriteRequest& request);

}  // namespace dcm::apiserver
