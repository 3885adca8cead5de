// Server-side apply (KEP-555): merges what a manager wants into what is there, removes what it
// wanted before and does not want any more, and keeps the books of who owns what.
#pragma once

#include "apiserver/fields/managed_fields.hpp"
#include "apiserver/model/api_error.hpp"
#include "apiserver/model/resource_table.hpp"

namespace dcm::apiserver {

enum class ApplyForce { no, yes };

struct ApplyRequest {
  JsonObject wanted;
  Manager manager;
  ApplyForce force = ApplyForce::no;
  std::vector<std::string> reset;  // what the endpoint puts back anyway
  std::string now;
};

// The new state, with its managedFields. 409 with causes `FieldManagerConflict` when another
// manager owns a field with another value and `force` is not given.
Outcome<JsonObject> apply_configuration(const ResourceType& type, const JsonObject& live,
                                        const ApplyRequest& request);

}  // namespace dcm::apiserver
