// metav1.LabelSelector: a selector as a member of an object, not of a query (selectors.hpp).
#pragma once

#include <string>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// A null `selector` selects nothing, an empty one everything; one with an unknown operator,
// nothing.
bool selects(const JsonObject* selector, const JsonObject& labels);

// As `kubectl get -o wide` shows them: "a=b,c in (d,e),!f", by the keys; "<none>" for what is empty
// or null, "<error>" for an unknown operator.
std::string selector_text(const Json* selector);
std::string labels_text(const JsonObject& labels);

void validate_label_selector(const JsonObject& selector, const std::string& path, Causes& causes);

}  // namespace dcm::apiserver
