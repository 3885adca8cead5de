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

// Whether there is a cause after which rules are not evaluated.
bool blocks_rules(const Causes& causes);

}  // namespace dcm::apiserver
