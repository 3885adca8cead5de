// metav1.DeleteOptions: the body of a DELETE, or its query; and part of an eviction.
#pragma once

#include "apiserver/registry/registry.hpp"
#include "apiserver/requests/writes.hpp"

namespace dcm::apiserver {

struct DeleteOptions {
  DeleteWish wish;
  JsonArray dry_run;  // "All"; anything else is not valid
  std::string propagation_policy = {};
  std::optional<bool> orphan_dependents = {};  // what there was before the policy

  Commit commit() const { return dry_run.empty() ? Commit::write : Commit::dry_run; }
};

// The status of an answer that leaves the object in being: a client of the old days waits on 202.
int pending_status(const DeleteOptions& options);

// From a DeleteOptions object. Nothing is checked.
DeleteOptions delete_options_of(const JsonObject& options);

// As admission policies see them.
JsonObject encode(const DeleteOptions& options);

// 422 for values that there are not.
Outcome<> validate(const DeleteOptions& options);

// Of a DELETE: from its body, or, if it has none, from its query. Never from both.
Outcome<DeleteOptions> decode_delete_options(const WriteRequest& request);

}  // namespace dcm::apiserver
