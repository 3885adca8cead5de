#include "apiserver/rules/node_selector.hpp"

#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/names.hpp"

namespace dcm::apiserver {

namespace {

void check_operator(const JsonObject& requirement, const std::string& path, Causes& causes) {
  const std::string_view operation = text_at(requirement, {"operator"});
  const std::size_t values = array_at(requirement, {"values"}).size();
  if (operation == "In" || operation == "NotIn") {
    if (values > 0) return;
    causes.push_back(
        required_value(path + ".values", "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (operation == "Exists" || operation == "DoesNotExist") {
    if (values == 0) return;
    causes.push_back(forbidden_value(
        path + ".values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  } else if (operation == "Gt" || operation == "Lt") {
    if (values == 1) return;
    causes.push_back(required_value(
        path + ".values", "must be specified single value when `operator` is 'Lt' or 'Gt'"));
  } else {
    causes.push_back(
        invalid_value(path + ".operator", Json(operation), "not a valid selector operator"));
  }
}

void check_label_requirement(const JsonObject& requirement, const std::string& path,
                             Causes& causes) {
  check_operator(requirement, path, causes);
  validate_qualified_name(text_at(requirement, {"key"}), path + ".key", causes);
  const JsonArray& values = array_at(requirement, {"values"});
  for (const auto& [value, at] : texts_with_paths(values, path + ".values")) {
    validate_label_value(value, at, causes);
  }
}

void check_field_requirement(const JsonObject& requirement, const std::string& path,
                             Causes& causes) {
  const std::string_view operation = text_at(requirement, {"operator"});
  const JsonArray& values = array_at(requirement, {"values"});
  if (operation != "In" && operation != "NotIn") {
    causes.push_back(
        invalid_value(path + ".operator", Json(operation), "not a valid selector operator"));
  } else if (values.size() != 1) {
    causes.push_back(required_value(
        path + ".values",
        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"));
  }
  const std::string_view key = text_at(requirement, {"key"});
  if (key != "metadata.name") {
    causes.push_back(invalid_value(path + ".key", Json(key), "not a valid field selector key"));
    return;
  }
  for (const auto& [value, at] : texts_with_paths(values, path + ".values")) {
    validate_name(NameRule::dns_subdomain, value, at, causes);
  }
}

void check_each(const JsonObject& term, const char* list, const std::string& path, auto check,
                Causes& causes) {
  for (const auto& [requirement, at] : with_paths(array_at(term, {list}), path + "." + list)) {
    check(requirement, at, causes);
  }
}

}  // namespace

void validate_node_selector(const JsonObject& selector, const std::string& path, Causes& causes) {
  const std::string terms_path = path + ".nodeSelectorTerms";
  const JsonArray& terms = array_at(selector, {"nodeSelectorTerms"});
  if (terms.empty()) {
    causes.push_back(required_value(terms_path, "must have at least one node selector term"));
  }
  for (const auto& [term, at] : with_paths(terms, terms_path)) {
    check_each(term, "matchExpressions", at, check_label_requirement, causes);
    check_each(term, "matchFields", at, check_field_requirement, causes);
  }
}

}  // namespace dcm::apiserver
