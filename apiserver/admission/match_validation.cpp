#include "apiserver/admission/match_validation.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "apiserver/rules/label_selector.hpp"
#include "apiserver/rules/names.hpp"
#include "apiserver/rules/strategy.hpp"

namespace dcm::apiserver {

namespace {

std::string_view text_of(const Json& item) {
  return item.is_string() ? view(item.get_string()) : std::string_view();
}

// "*" must be alone in a list.
void validate_wildcard(const JsonObject& rule, std::string_view key, std::string_view others,
                       const std::string& path, Causes& causes) {
  const JsonArray& items = array_at(rule, {key});
  if (items.size() < 2 || std::ranges::find(items, Json("*")) == items.end()) return;
  causes.push_back(invalid_value(
      path, items, fmt::format("if '*' is present, must not specify other {}", others)));
}

void validate_operations(const JsonObject& rule, const std::string& path, Causes& causes) {
  const JsonArray& operations = array_at(rule, {"operations"});
  if (operations.empty()) causes.push_back(required_value(path));
  validate_wildcard(rule, "operations", "operations", path, causes);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const std::string_view text = text_of(operations[i]);
    const bool is_known = text == "*" || text == "CREATE" || text == "UPDATE" || text == "DELETE" ||
                          text == "CONNECT";
    if (is_known) continue;
    causes.push_back(not_supported(indexed(path, i), operations[i],
                                   {"*", "CONNECT", "CREATE", "DELETE", "UPDATE"}));
  }
}

void validate_versions(const JsonObject& rule, const std::string& path, Causes& causes) {
  const JsonArray& versions = array_at(rule, {"apiVersions"});
  if (versions.empty()) causes.push_back(required_value(path));
  validate_wildcard(rule, "apiVersions", "API versions", path, causes);
  for (std::size_t i = 0; i < versions.size(); ++i) {
    if (text_of(versions[i]).empty()) causes.push_back(required_value(indexed(path, i)));
  }
}

// "x/*" and "*/y" stand for all that they match.
void validate_resource_parts(const JsonArray& resources, const std::string& path, Causes& causes) {
  std::set<std::string_view> all_of, in_all;
  for (std::size_t i = 0; i < resources.size(); ++i) {
    const std::string_view text = text_of(resources[i]);
    if (text.empty()) causes.push_back(required_value(indexed(path, i)));
    const auto slash = text.find('/');
    if (slash == std::string_view::npos) continue;
    const std::string_view resource = text.substr(0, slash), sub = text.substr(slash + 1);
    const auto refuse = [&](const std::string& pattern) {
      causes.push_back(
          invalid_value(indexed(path, i), resources[i],
                        fmt::format("if '{}' is present, must not specify {}", pattern, text)));
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
  const auto has_one = [&](std::string_view text) {
    return std::ranges::find(resources, Json(text)) != resources.end();
  };
  if (resources.size() > 1 && has_one("*/*")) {
    causes.push_back(
        invalid_value(path, resources, "if '*/*' is present, must not specify other resources"));
  }
  // As in the real server, the last resource without a subresource decides.
  std::string_view last;
  for (const Json& item : resources) {
    if (!text_of(item).contains('/') && !text_of(item).empty()) last = text_of(item);
  }
  if (has_one("*") && !last.empty() && last != "*") {
    causes.push_back(
        invalid_value(path, resources,
                      "if '*' is present, must not specify other resources without subresources"));
  }
}

void validate_names(const JsonObject& rule, const std::string& path, Causes& causes) {
  std::set<std::string_view> seen;
  const JsonArray& names = array_at(rule, {"resourceNames"});
  for (std::size_t i = 0; i < names.size(); ++i) {
    validate_name(NameRule::path_segment, text_of(names[i]), indexed(path, i), causes);
    if (!seen.insert(text_of(names[i])).second) {
      causes.push_back(duplicate_value(indexed(path, i), names[i]));
    }
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
  if (scope != "*" && scope != "Cluster" && scope != "Namespaced" && has(rule, {"scope"})) {
    causes.push_back(not_supported(path + ".scope", Json(scope), {"*", "Cluster", "Namespaced"}));
  }
}

}  // namespace

void validate_match_resources(const JsonObject& resources, const std::string& path,
                              Causes& causes) {
  const std::string_view policy = text_at(resources, {"matchPolicy"});
  if (policy != "Exact" && policy != "Equivalent") {
    causes.push_back(not_supported(path + ".matchPolicy", Json(policy), {"Equivalent", "Exact"}));
  }
  for (const auto* key : {"namespaceSelector", "objectSelector"}) {
    validate_label_selector(object_at(resources, {key}), path + "." + key, causes);
  }
  for (const auto* key : {"resourceRules", "excludeResourceRules"}) {
    const JsonArray& rules = array_at(resources, {key});
    for (std::size_t i = 0; i < rules.size(); ++i) {
      validate_rule(as_object(rules[i]), indexed(path + "." + key, i), causes);
    }
  }
}

}  // namespace dcm::apiserver
