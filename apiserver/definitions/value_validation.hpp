// Whether an object satisfies its schema, in the words of kube-openapi's validator. An update is
// not rejected for what it leaves unchanged (KEP-4008, ratcheting).
#pragma once

#include "apiserver/definitions/structural.hpp"
#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// An object is refused if its validation takes more steps (about a second): many alternatives or
// fields for each of many values. The largest objects take a quarter of them with a plain schema.
inline constexpr std::size_t kStepsMax = 20'000'000;

// `old`: the value before an update, for comparison; null if new or incomparable. `base`: the path
// of the value, for the causes' fields; "" is a whole object.
void validate_value(const Json& value, const Json* old, const Structural& schema,
                    const std::string& base, Causes& causes);

// A default of a schema, of which the real server checks types by other rules (`Subject`). The
// defaults of a definition share their steps.
void validate_default(const Json& value, const Structural& schema, const std::string& base,
                      std::size_t& steps_left, Causes& causes);

// Whether there is a cause after which rules are not evaluated.
bool blocks_rules(const Causes& causes);

}  // namespace dcm::apiserver
