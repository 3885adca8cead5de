// Whether an object satisfies its schema, in the words of kube-openapi's validator. What an update
// leaves as it was is not refused for it (KEP-4008, ratcheting).
#pragma once

#include "apiserver/definitions/structural.hpp"
#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// `old`: the value before an update, to be compared with; null: a new one, or nothing to compare.
// `base`: where the value is, for the causes' fields; "" is a whole object.
void validate_value(const Json& value, const Json* old, const Structural& schema,
                    const std::string& base, Causes& causes);

// The item of an old list that a new item stands for: only lists that are maps tell. Null: none.
const Json* correlated_item(const Json& item, const Json* old_list, const Structural& list);

// Items that are there twice, in lists that are sets or maps.
void validate_unique_items(const Json& value, const Structural& schema, const std::string& path,
                           Causes& causes);

// After such a cause, rules are not evaluated.
bool blocks_rules(const Causes& causes);

}  // namespace dcm::apiserver
