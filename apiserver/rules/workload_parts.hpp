// What workloads of several kinds have: templates of pods, selectors, counts.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// `path` is that of the template; `claims` are a StatefulSet's volumeClaimTemplates.
void validate_template(const JsonObject& pod_template, const std::string& path, Causes& causes,
                       const JsonArray& claims = {});
// The template's labels are those that the selector selects.
void validate_template_labels(const JsonObject* selector, const JsonObject& pod_template,
                              const std::string& path, Causes& causes);
// Whether anything can be selected with it.
bool validate_own_selector(const JsonObject& selector, const std::string& path, Causes& causes);
// Whole numbers that are not negative, as far as they are set.
void validate_counts(const JsonObject& spec, std::initializer_list<std::string_view> names,
                     const std::string& path, Causes& causes);
// Members of the spec that an update must leave alone.
void validate_immutable(const JsonObject& next, const JsonObject& old, std::string_view name,
                        Causes& causes);

}  // namespace dcm::apiserver
