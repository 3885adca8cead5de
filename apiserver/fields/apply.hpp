// Server-side apply (KEP-555): merges the applied fields into the object, removes fields that the
// manager no longer applies, and records the owner of each field.
#pragma once

#include "apiserver/fields/managed_fields.hpp"
#include "apiserver/model/api_error.hpp"
#include "apiserver/model/resource_type.hpp"

namespace dcm::apiserver {

enum class ApplyForce { no, yes };

struct ApplyRequest {
  JsonObject wanted;
  Manager manager;
  ApplyForce force = ApplyForce::no;
  std::vector<std::string> reset;  // what the endpoint restores anyway
  std::string now;
};

// The new state, including managedFields. 409 with causes `FieldManagerConflict` if another manager
// owns a field with another value and `force` is not set.
Result<JsonObject> apply_configuration(const ResourceType& type, const JsonObject& live,
                                       const ApplyRequest& request);

}  // namespace dcm::apiserver
