#include "apiserver/admission/matching.hpp"

#include <algorithm>

#include "apiserver/rules/label_selector.hpp"

namespace dcm::apiserver {

namespace {

bool names(const JsonArray& items, std::string_view wanted) {
  return std::ranges::any_of(
      items, [&](const Json& item) { return item == Json("*") || item == Json(wanted); });
}

bool is_in_scope(std::string_view scope, const Attributes& attributes) {
  const bool is_clusterwide = attributes.ns.empty() || attributes.type->is("Namespace");
  if (scope == "Namespaced") return !is_clusterwide;
  if (scope == "Cluster") return is_clusterwide;
  return true;
}

// "pods", "pods/status", "pods/*", "*/status", "*".
bool names_resource(const JsonArray& resources, const ResourceType& type,
                    std::string_view subresource) {
  return std::ranges::any_of(resources, [&](const Json& item) {
    const std::string_view text = as_text(item);
    const auto slash = text.find('/');
    const std::string_view resource = text.substr(0, slash);
    const std::string_view sub = slash == std::string_view::npos ? "" : text.substr(slash + 1);
    return (resource == "*" || resource == type.plural) && (sub == "*" || sub == subresource);
  });
}

bool matches_rule(const JsonObject& rule, const Attributes& attributes, const ResourceType& type,
                  std::string_view version) {
  return is_in_scope(text_at(rule, {"scope"}), attributes) &&
         names(array_at(rule, {"operations"}), attributes.operation) &&
         names(array_at(rule, {"apiGroups"}), type.group) &&
         names(array_at(rule, {"apiVersions"}), version) &&
         names_resource(array_at(rule, {"resources"}), type, attributes.subresource);
}

bool names_object(const JsonObject& rule, std::string_view name) {
  const JsonArray& names = array_at(rule, {"resourceNames"});
  return names.empty() || has_item(names, name);
}

// A subresource with its own kind, such as a Binding, is the same in all versions.
GroupVersionKind kind_in(const Attributes& attributes, const ResourceType& type,
                         std::string_view version) {
  if (attributes.kind.kind != attributes.type->kind) return attributes.kind;
  return {type.group, std::string(version), type.kind};
}

std::optional<MatchedResource> match_rules(const JsonArray& rules, std::string_view policy,
                                           const Attributes& attributes,
                                           const ResourceTable& types) {
  const auto first_match = [&](const JsonObject& rule, const ResourceType& type,
                               const std::string& version) -> std::optional<MatchedResource> {
    if (!matches_rule(rule, attributes, type, version)) return std::nullopt;
    if (!names_object(rule, attributes.name)) return std::nullopt;
    return MatchedResource{&type, version, kind_in(attributes, type, version)};
  };
  for (const Json& rule : rules) {
    auto found = first_match(as_object(rule), *attributes.type, attributes.version);
    if (found) return found;
  }
  if (policy != "Equivalent") return std::nullopt;
  for (const Json& rule : rules) {
    for (const ResourceType& type : types.types()) {
      if (type.storage() != attributes.type->storage()) continue;
      for (const std::string& version : type.versions) {
        if (&type == attributes.type && version == attributes.version) continue;
        if (auto found = first_match(as_object(rule), type, version)) return found;
      }
    }
  }
  return std::nullopt;
}

const JsonObject& labels_of(const JsonObject* object) {
  static const JsonObject kNone;
  return object == nullptr ? kNone : object_at(*object, {"metadata", "labels"});
}

bool is_empty(const JsonObject& selector) {
  return object_at(selector, {"matchLabels"}).empty() &&
         array_at(selector, {"matchExpressions"}).empty();
}

// When a namespace is written, its new labels count.
bool matches_namespace(const JsonObject& selector, const Attributes& attributes,
                       const JsonObject* ns) {
  if (is_empty(selector) || (attributes.ns.empty() && !attributes.type->is("Namespace"))) {
    return true;
  }
  const bool is_written = attributes.type->is("Namespace") && attributes.subresource.empty() &&
                          attributes.operation != "DELETE";
  return selects(&selector, labels_of(is_written ? attributes.object : ns));
}

bool matches_object(const JsonObject& selector, const Attributes& attributes) {
  if (is_empty(selector)) return true;
  const auto matches = [&](const JsonObject* object) {
    return object != nullptr && selects(&selector, labels_of(object));
  };
  return matches(attributes.object) || matches(attributes.old_object);
}

}  // namespace

std::optional<MatchedResource> match(const JsonObject& constraints, const Attributes& attributes,
                                     const JsonObject* ns, const ResourceTable& types) {
  if (!matches_namespace(object_at(constraints, {"namespaceSelector"}), attributes, ns) ||
      !matches_object(object_at(constraints, {"objectSelector"}), attributes)) {
    return std::nullopt;
  }
  const std::string_view policy = text_at(constraints, {"matchPolicy"});
  const JsonArray& excluded = array_at(constraints, {"excludeResourceRules"});
  if (match_rules(excluded, policy, attributes, types)) return std::nullopt;
  const JsonArray& rules = array_at(constraints, {"resourceRules"});
  if (rules.empty()) return MatchedResource{attributes.type, attributes.version, attributes.kind};
  return match_rules(rules, policy, attributes, types);
}

}  // namespace dcm::apiserver
