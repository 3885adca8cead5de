// Whether an object satisfies its schema, in the words of kube-openapi's validator. An update is
// not rejected for what it leaves unchanged (KEP-4008, ratcheting).
#pragma once

#include "apiserver/definitions/structural.hpp"
#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// `old`: the value before an update, for comparison; null if new or incomparable. `base`: the path
// of the value, for the causes' fields; "" is a whole object.
void validate_value(const Json& value, const Json* old, const Structural& schema,
                    const std::string& base, Causes& causes);

// A default of a schema, of which the real server checks types by other rules (`Subject`).
void validate_default(const Json& value, const Structural& schema, const std::string& base,
                      Causes& causes);

// Whether there is a cause after which rules are not evaluated.
bool blocks_rules(const Causes& causes);

}  // namespace dcm::apiserver
