#include "apiserver/definitions/definition_validation.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "apiserver/definitions/approval.hpp"
#include "apiserver/definitions/defined_kind.hpp"
#include "apiserver/definitions/defined_names.hpp"
#include "apiserver/definitions/schema_validation.hpp"
#include "apiserver/definitions/version_validation.hpp"
#include "apiserver/definitions/webhook_conversion.hpp"
#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/conditions.hpp"
#include "apiserver/rules/names.hpp"

namespace dcm::apiserver {

namespace {

// What all versions share is part of the spec in the internal version, and is named so in causes.
class Spec {
 public:
  Spec(const JsonObject& spec, Causes& causes)
      : spec_(spec),
        versions_(array_at(spec, {"versions"})),
        has_common_schema_(is_common("schema")),
        has_common_subresources_(is_common("subresources")),
        has_common_columns_(is_common("additionalPrinterColumns")),
        has_common_selectable_(is_common("selectableFields")),
        causes_(causes) {}

  void validate() {
    validate_group();
    require_choice(text_at(spec_, {"scope"}), {"Cluster", "Namespaced"}, "spec.scope", causes_);
    require_schemas();
    validate_versions();
    require_defined_names(object_at(spec_, {"names"}), "spec.names", causes_);
    validate_defined_names(object_at(spec_, {"names"}), "spec.names", causes_);
    if (!versions_.empty()) validate_common();
    validate_conversion(spec_, causes_);
  }

 private:
  void validate_group() {
    const std::string_view group = text_at(spec_, {"group"});
    const Problems problems = problems_with_name(NameRule::dns_subdomain, group);
    if (group.empty()) {
      causes_.push_back(required_value("spec.group"));
    } else if (!problems.empty()) {
      causes_.push_back(invalid_value("spec.group", Json(group), joined(problems, ",")));
    } else if (!group.contains('.')) {
      causes_.push_back(
          invalid_value("spec.group", Json(group), "should be a domain with at least one dot"));
    }
  }

  // Compares all versions.
  bool is_common(std::string_view name) const {
    const auto member = [&](const Json& version) -> const Json& {
      static const Json kNull;
      const Json* const value = as_object(version).if_contains(name);
      return value == nullptr ? kNull : *value;
    };
    return std::ranges::all_of(versions_, [&](const Json& version) {
      return member(version) == member(versions_.front());
    });
  }

  static const JsonObject& schema_of(const JsonObject& version) {
    return object_at(version, {"schema", "openAPIV3Schema"});
  }

  static bool has_schema(const JsonObject& version) {
    return has(version, {"schema", "openAPIV3Schema"});
  }

  void require_schemas() {
    if (!versions_.empty() && has_common_schema_ && has_schema(as_object(versions_.front())))
      return;
    for (const auto& [version, path] : with_paths(versions_, "spec.versions")) {
      if (has_schema(version) && !has_common_schema_) continue;
      causes_.push_back(required_value(path + ".schema.openAPIV3Schema"));
    }
  }

  static StatusIs status_of(const JsonObject& version) {
    return has(version, {"subresources", "status"}) ? StatusIs::apart : StatusIs::part;
  }

  void validate_versions() {
    std::set<std::string_view> names;
    std::size_t stored = 0;
    for (const auto& [version, path] : with_paths(versions_, "spec.versions")) {
      if (has_true(version, "storage")) ++stored;
      names.insert(text_at(version, {"name"}));
      validate_name_label(Json(text_at(version, {"name"})), path + ".name", causes_);
      validate_deprecation(version, path, causes_);
      if (!has_common_schema_) validate_schema_of(version, path + ".schema", status_of(version));
      if (!has_common_subresources_) {
        validate_subresources(object_at(version, {"subresources"}), path + ".subresources",
                              causes_);
      }
      if (!has_common_columns_) {
        validate_columns(array_at(version, {"additionalPrinterColumns"}),
                         path + ".additionalPrinterColumns", causes_);
      }
      if (!has_common_selectable_) {
        validate_selectable(array_at(version, {"selectableFields"}), schema_of(version),
                            path + ".selectableFields", causes_);
      }
    }
    if (names.size() != versions_.size()) {
      causes_.push_back(
          invalid_value("spec.versions", versions_, "must contain unique version names"));
    }
    if (stored != 1) {
      causes_.push_back(invalid_value("spec.versions", versions_,
                                      "must have exactly one version marked as storage version"));
    }
    if (!versions_.empty()) {
      const std::string_view first = text_at(as_object(versions_.front()), {"name"});
      if (!first.empty()) validate_name_label(Json(first), "spec.version", causes_);
    }
  }

  void validate_schema_of(const JsonObject& version, const std::string& path, StatusIs status) {
    if (has_schema(version)) validate_schema(schema_of(version), path, status, causes_);
  }

  void validate_common() {
    const JsonObject& first = as_object(versions_.front());
    const bool has_any_apart = std::ranges::any_of(versions_, [](const Json& version) {
      return status_of(as_object(version)) == StatusIs::apart;
    });
    if (has_common_schema_) {
      validate_schema_of(first, "spec.validation",
                         has_any_apart ? StatusIs::apart : StatusIs::part);
    }
    if (has_common_subresources_) {
      validate_subresources(object_at(first, {"subresources"}), "spec.subresources", causes_);
    }
    if (has_common_columns_) {
      validate_columns(array_at(first, {"additionalPrinterColumns"}),
                       "spec.additionalPrinterColumns", causes_);
    }
    if (has_common_selectable_) {
      validate_selectable(array_at(first, {"selectableFields"}), schema_of(first),
                          "spec.selectableFields", causes_);
    }
  }

  const JsonObject& spec_;
  const JsonArray& versions_;
  const bool has_common_schema_;
  const bool has_common_subresources_;
  const bool has_common_columns_;
  const bool has_common_selectable_;
  Causes& causes_;
};

void require_same(const JsonObject& next, const JsonObject& old, Path path, Causes& causes) {
  if (text_at(next, path) == text_at(old, path)) return;
  causes.push_back(invalid_value(fmt::format("{}", fmt::join(path, ".")), Json(text_at(next, path)),
                                 "field is immutable"));
}

void validate_stored_versions(const JsonObject& definition, Causes& causes) {
  const JsonArray& stored = array_at(definition, {"status", "storedVersions"});
  if (stored.empty()) {
    causes.push_back(
        invalid_value("status.storedVersions", nullptr, "must have at least one stored version"));
  }
  std::size_t index = 0;
  for (const Json& name : stored) {
    const std::string path = indexed("status.storedVersions", index++);
    const bool is_there = std::ranges::any_of(
        array_at(definition, {"spec", "versions"}),
        [&](const Json& version) { return Json(text_at(as_object(version), {"name"})) == name; });
    if (is_there || !name.is_string()) continue;
    causes.push_back(invalid_value(
        path, name,
        fmt::format("missing from spec.versions; {0} was previously a storage version, and must "
                    "remain in spec.versions until a storage migration ensures no data remains "
                    "persisted in {0} and removes {0} from status.storedVersions",
                    view(name.get_string()))));
  }
}

void validate_name(const JsonObject& definition, Causes& causes) {
  const std::string required =
      fmt::format("{}.{}", text_at(definition, {"spec", "names", "plural"}),
                  text_at(definition, {"spec", "group"}));
  const std::string_view name = text_at(definition, {"metadata", "name"});
  if (name == required) return;
  causes.push_back(
      invalid_value("metadata.name", Json(name), "must be spec.names.plural+\".\"+spec.group"));
}

}  // namespace

void validate_definition(const JsonObject& definition, const JsonObject* old, Causes& causes) {
  if (old == nullptr) validate_name(definition, causes);
  Spec(object_at(definition, {"spec"}), causes).validate();
  if (old != nullptr) {
    if (has_condition(*old, "Established")) {
      require_same(definition, *old, {"spec", "scope"}, causes);
      require_same(definition, *old, {"spec", "names", "kind"}, causes);
      validate_ca_bundle(object_at(definition, {"spec"}), object_at(*old, {"spec"}), causes);
    }
    require_same(definition, *old, {"spec", "group"}, causes);
    require_same(definition, *old, {"spec", "names", "plural"}, causes);
  }
  validate_definition_status(definition, causes);
  validate_stored_versions(definition, causes);
  validate_approval(definition, old, causes);
  if (has_true(object_at(definition, {"spec"}), "preserveUnknownFields")) {
    causes.push_back(invalid_value("spec.preserveUnknownFields", Json(true),
                                   "cannot set to true, set x-kubernetes-preserve-unknown-fields "
                                   "to true in spec.versions[*].schema instead"));
  }
}

void validate_definition_status(const JsonObject& definition, Causes& causes) {
  validate_defined_names(object_at(definition, {"status", "acceptedNames"}), "status.acceptedNames",
                         causes);
}

}  // namespace dcm::apiserver
