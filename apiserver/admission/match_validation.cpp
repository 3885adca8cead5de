#include "apiserver/admission/match_validation.hpp"

#include <set>

#include <fmt/format.h>

#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/label_selector.hpp"
#include "apiserver/rules/names.hpp"

namespace dcm::apiserver {

namespace {

// "*" must be alone in a list.
void validate_wildcard(const JsonObject& rule, std::string_view key, std::string_view others,
                       const std::string& path, Causes& causes) {
  const JsonArray& items = array_at(rule, {key});
  if (items.size() < 2 || !has_item(items, "*")) return;
  causes.push_back(invalid_value(
      path, items, fmt::format("if '*' is present, must not specify other {}", others)));
}

void validate_operations(const JsonObject& rule, const std::string& path, Causes& causes) {
  const JsonArray& operations = array_at(rule, {"operations"});
  if (operations.empty()) causes.push_back(required_value(path));
  validate_wildcard(rule, "operations", "operations", path, causes);
  for (const auto& [operation, at] : texts_with_paths(operations, path)) {
    validate_choice(operation, {"*", "CONNECT", "CREATE", "DELETE", "UPDATE"}, at, causes);
  }
}

void validate_versions(const JsonObject& rule, const std::string& path, Causes& causes) {
  const JsonArray& versions = array_at(rule, {"apiVersions"});
  if (versions.empty()) causes.push_back(required_value(path));
  validate_wildcard(rule, "apiVersions", "API versions", path, causes);
  for (const auto& [version, at] : texts_with_paths(versions, path)) {
    if (version.empty()) causes.push_back(required_value(at));
  }
}

// "x/*" and "*/y" stand for all that they match.
void validate_resource_parts(const JsonArray& resources, const std::string& path, Causes& causes) {
  std::set<std::string_view> all_of, in_all;
  for (const auto& [text, at] : texts_with_paths(resources, path)) {
    if (text.empty()) causes.push_back(required_value(at));
    const auto slash = text.find('/');
    if (slash == std::string_view::npos) continue;
    const std::string_view resource = text.substr(0, slash), sub = text.substr(slash + 1);
    const auto refuse = [&](const std::string& pattern) {
      causes.push_back(invalid_value(
          at, Json(text), fmt::format("if '{}' is present, must not specify {}", pattern, text)));
    };
    if (all_of.contains(resource)) refuse(fmt::format("{}/*", resource));
    if (in_all.contains(sub)) refuse(fmt::format("*/{}", sub));
    if (sub == "*") all_of.insert(resource);
    if (resource == "*") in_all.insert(sub);
  }
}

void validate_resources(const JsonObject& rule, const std::string& path, Causes& causes) {
  const JsonArray& resources = array_at(rule, {"resources"});
  if (resources.empty()) causes.push_back(required_value(path));
  validate_resource_parts(resources, path, causes);
  const auto has_one = [&](std::string_view text) { return has_item(resources, text); };
  if (resources.size() > 1 && has_one("*/*")) {
    causes.push_back(
        invalid_value(path, resources, "if '*/*' is present, must not specify other resources"));
  }
  // As in the real server, the last resource without a subresource decides.
  std::string_view last;
  for (const Json& item : resources) {
    if (!as_text(item).contains('/') && !as_text(item).empty()) last = as_text(item);
  }
  if (has_one("*") && !last.empty() && last != "*") {
    causes.push_back(
        invalid_value(path, resources,
                      "if '*' is present, must not specify other resources without subresources"));
  }
}

void validate_names(const JsonObject& rule, const std::string& path, Causes& causes) {
  std::set<std::string_view> seen;
  for (const auto& [name, at] : texts_with_paths(array_at(rule, {"resourceNames"}), path)) {
    validate_name(NameRule::path_segment, name, at, causes);
    if (!seen.insert(name).second) causes.push_back(duplicate_value(at, Json(name)));
  }
}

void validate_rule(const JsonObject& rule, const std::string& path, Causes& causes) {
  validate_names(rule, path + ".resourceNames", causes);
  validate_operations(rule, path + ".operations", causes);
  if (array_at(rule, {"apiGroups"}).empty()) causes.push_back(required_value(path + ".apiGroups"));
  validate_wildcard(rule, "apiGroups", "API groups", path + ".apiGroups", causes);
  validate_versions(rule, path + ".apiVersions", causes);
  validate_resources(rule, path + ".resources", causes);
  const std::string_view scope = text_at(rule, {"scope"});
  if (!has(rule, {"scope"})) return;
  validate_choice(scope, {"*", "Cluster", "Namespaced"}, path + ".scope", causes);
}

}  // namespace

void validate_match_resources(const JsonObject& resources, const std::string& path,
                              Causes& causes) {
  validate_choice(text_at(resources, {"matchPolicy"}), {"Equivalent", "Exact"},
                  path + ".matchPolicy", causes);
  for (const auto* key : {"namespaceSelector", "objectSelector"}) {
    validate_label_selector(object_at(resources, {key}), path + "." + key, causes);
  }
  for (const auto* key : {"resourceRules", "excludeResourceRules"}) {
    for (const auto& [rule, at] : with_paths(array_at(resources, {key}), path + "." + key)) {
      validate_rule(rule, at, causes);
    }
  }
}

}  // namespace dcm::apiserver
