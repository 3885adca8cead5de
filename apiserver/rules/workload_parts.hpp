// What several kinds of workloads share: pod templates and selectors.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// `path` is that of the template. `claims` are a StatefulSet's volumeClaimTemplates.
void validate_template(const JsonObject& pod_template, const std::string& path, Causes& causes,
                       const JsonArray& claims = {});
// The selector must select the template's labels; null selects nothing.
void validate_template_labels(const JsonObject* selector, const JsonObject& pod_template,
                              const std::string& path, Causes& causes);
// Returns whether the selector is valid.
bool validate_selector(const JsonObject& selector, const std::string& path, Causes& causes);
// An update must not change this member of the spec.
void validate_immutable(const JsonObject& next, const JsonObject& old, std::string_view name,
                        Causes& causes);

}  // namespace dcm::apiserver
