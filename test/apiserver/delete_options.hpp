// metav1.DeleteOptions: the body of a DELETE, or its query; and part of an eviction.
#pragma once

#include "test/apiserver/registry.hpp"
#include "test/apiserver/writes.hpp"

namespace dcm::apiserver {

struct DeleteOptions {
  DeleteWish wish;
  JsonArray dry_run;  // "All"; anything else is not valid

  Commit commit() const { return dry_run.empty() ? Commit::write : Commit::dry_run; }
};

// From a DeleteOptions object. Nothing is checked.
DeleteOptions delete_options_of(const JsonObject& options);

// 422 for values that there are not.
Outcome<> validate(const DeleteOptions& options);

// Of a DELETE: from its body, or, if it has none, from its query. Never from both.
Outcome<DeleteOptions> decode_delete_options(const WriteRequest& request);

}  // namespace dcm::apiserver
