// The rules of the kind CustomResourceDefinition (k8s.io/apiextensions-apiserver
// pkg/registry/customresourcedefinition).
#include "apiserver/definitions/definition_strategy.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "apiserver/definitions/conditions.hpp"
#include "apiserver/definitions/definition_validation.hpp"
#include "apiserver/definitions/formats.hpp"
#include "apiserver/definitions/schema_writing.hpp"
#include "apiserver/definitions/stored_version.hpp"
#include "apiserver/definitions/webhook_conversion.hpp"
#include "apiserver/text/words.hpp"

namespace dcm::apiserver {

namespace {

void note_stored_version(JsonObject& definition) {
  const std::string stored(text_at(stored_version(object_at(definition, {"spec"})), {"name"}));
  if (stored.empty()) return;
  add_once(child_list(child(definition, "status"), "storedVersions"), stored);
}

// Parts of schemas that have no meaning here.
void collect_unusual(const Json& schema, std::vector<std::string>& texts) {
  if (schema.is_array()) {
    for (const Json& one : schema.get_array()) collect_unusual(one, texts);
  }
  if (!schema.is_object()) return;
  const JsonObject& object = schema.get_object();
  const std::string_view format = text_at(object, {"format"});
  if (!format.empty() && !is_known_format(text_at(object, {"type"}), format)) {
    texts.push_back(fmt::format("unrecognized format \"{}\"", format));
  }
  const std::string_view item = text_at(object, {"items", "type"});
  if (text_at(object, {"x-kubernetes-list-type"}) == "set" &&
      (item == "object" || item == "array")) {
    texts.push_back(
        fmt::format("x-kubernetes-list-type: set for items of type \"{}\" is not "
                    "supported by server-side apply or CEL validation rules",
                    item));
  }
  for (const auto* name : {"items", "additionalProperties", "not", "allOf", "anyOf", "oneOf"}) {
    if (object.contains(name)) collect_unusual(object.at(name), texts);
  }
  for (const auto& [name, property] : object_at(object, {"properties"})) {
    collect_unusual(property, texts);
  }
}

std::vector<std::string> unusual(const JsonObject& definition) {
  std::vector<std::string> texts;
  for (const Json& version : array_at(definition, {"spec", "versions"})) {
    collect_unusual(object_at(as_object(version), {"schema", "openAPIV3Schema"}), texts);
  }
  std::ranges::sort(texts);
  texts.erase(std::ranges::unique(texts).begin(), texts.end());
  return texts;
}

class DefinitionStrategy final : public Strategy {
 public:
  void set_defaults(JsonObject& definition, const WriteContext&) const override {
    write_definition_as_go(definition);
    JsonObject& spec = child(definition, "spec");
    JsonObject& names = child(spec, "names");
    const std::string kind(text_at(names, {"kind"}));
    if (!is_set(names, "singular")) names["singular"] = lower(kind);
    if (!is_set(names, "listKind") && !kind.empty()) names["listKind"] = kind + "List";
    set_conversion_defaults(spec);
  }

  void prepare_create(JsonObject& definition, const WriteContext&) const override {
    child(definition, "metadata")["generation"] = 1;
    definition["status"] = JsonObject{{"conditions", nullptr},
                                      {"acceptedNames", JsonObject{{"plural", ""}, {"kind", ""}}},
                                      {"storedVersions", JsonArray()}};
    note_stored_version(definition);
  }

  void prepare_update(JsonObject& next, const JsonObject& old, Endpoint endpoint,
                      const WriteContext&) const override {
    if (endpoint == Endpoint::status) {
      restore(next, old, "spec");
      return;
    }
    restore(next, old, "status");
    if (object_at(next, {"spec"}) != object_at(old, {"spec"})) {
      const auto before = integer_at(old, {"metadata", "generation"}).value_or(0);
      child(next, "metadata")["generation"] = before + 1;
    }
    note_stored_version(next);
  }

  std::vector<std::string> warnings(const JsonObject& next, const JsonObject* old) const override {
    std::vector<std::string> before = old == nullptr ? std::vector<std::string>() : unusual(*old);
    std::vector<std::string> texts;
    for (std::string& text : unusual(next)) {
      if (std::ranges::find(before, text) == before.end()) texts.push_back(std::move(text));
    }
    std::string conversion = conversion_warning(object_at(next, {"spec"}));
    if (old == nullptr && !conversion.empty()) texts.push_back(std::move(conversion));
    return texts;
  }

  std::vector<std::string> reset_fields(Endpoint endpoint) const override {
    return {endpoint == Endpoint::main ? "status" : "spec"};
  }

  void validate_create(const JsonObject& definition, const WriteContext&,
                       Causes& causes) const override {
    validate_definition(definition, nullptr, causes);
  }

  void validate_update(const JsonObject& next, const JsonObject& old, Endpoint endpoint,
                       Causes& causes) const override {
    if (endpoint == Endpoint::main) return validate_definition(next, &old, causes);
    validate_definition_status(next, causes);
  }

  // Its objects are deleted first.
  bool begin_deletion(JsonObject& definition, const std::string& now) const override {
    JsonObject& metadata = child(definition, "metadata");
    metadata["deletionTimestamp"] = now;
    add_once(child_list(metadata, "finalizers"), kCleanupFinalizer);
    set_condition(definition,
                  {"Terminating", "True", "InstanceDeletionPending",
                   "CustomResourceDefinition marked for deletion; CustomResource deletion will "
                   "begin soon"},
                  now);
    return true;
  }
};

}  // namespace

const Strategy& definition_strategy() {
  static const DefinitionStrategy kStrategy;
  return kStrategy;
}

}  // namespace dcm::apiserver
