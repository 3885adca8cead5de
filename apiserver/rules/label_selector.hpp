// metav1.LabelSelector: a selector as a member of an object, not of a query (selectors.hpp).
#pragma once

#include <string>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// `selector` null selects nothing, an empty one everything; one with an operator that there is not,
// nothing.
bool selects(const JsonObject* selector, const JsonObject& labels);

void validate_label_selector(const JsonObject& selector, const std::string& path, Causes& causes);

}  // namespace dcm::apiserver
