#include "apiserver/definitions/defined_kind.hpp"

#include <fmt/format.h>

#include "apiserver/definitions/columns.hpp"
#include "apiserver/definitions/custom_strategy.hpp"
#include "apiserver/definitions/embedded.hpp"
#include "apiserver/definitions/merge_schema.hpp"
#include "apiserver/definitions/rules.hpp"
#include "apiserver/definitions/scale.hpp"
#include "apiserver/definitions/shaping.hpp"
#include "apiserver/definitions/stored_version.hpp"
#include "apiserver/definitions/webhook_conversion.hpp"
#include "apiserver/model/version_order.hpp"
#include "apiserver/rules/conditions.hpp"
#include "runtime/assert.hpp"

namespace dcm::apiserver {

namespace {

std::vector<std::string> texts_at(const JsonObject& object, Path path) {
  std::vector<std::string> texts;
  for (const Json& item : array_at(object, path)) {
    if (item.is_string()) texts.emplace_back(view(item.get_string()));
  }
  return texts;
}

std::optional<ScalePaths> scale_of(const JsonObject& version) {
  if (!has(version, {"subresources", "scale"})) return std::nullopt;
  const JsonObject& scale = object_at(version, {"subresources", "scale"});
  return ScalePaths{std::string(text_at(scale, {"specReplicasPath"})),
                    std::string(text_at(scale, {"statusReplicasPath"})),
                    std::string(text_at(scale, {"labelSelectorPath"}))};
}

std::vector<SelectableField> selectable_fields_of(const JsonObject& version) {
  std::vector<SelectableField> fields;
  for (const Json& item : array_at(version, {"selectableFields"})) {
    const std::string_view path = text_at(as_object(item), {"jsonPath"});
    auto parsed = JsonPath::parse(path);
    if (parsed)
      fields.push_back({std::string(path.substr(path.starts_with('.') ? 1 : 0)), *parsed});
  }
  return fields;
}

// The best version that is not deprecated and precedes this one; "" if none.
std::string_view replacement_of(const JsonObject& spec, const JsonObject& version) {
  std::string_view best = text_at(version, {"name"});
  for (const Json& item : array_at(spec, {"versions"})) {
    const JsonObject& other = as_object(item);
    if (!has_true(other, "served") || has_true(other, "deprecated")) continue;
    if (goes_before(text_at(other, {"name"}), best)) best = text_at(other, {"name"});
  }
  return best == text_at(version, {"name"}) ? std::string_view() : best;
}

std::string deprecation_of(const JsonObject& spec, const JsonObject& version) {
  if (!has_true(version, "deprecated")) return {};
  const std::string_view own = text_at(version, {"deprecationWarning"});
  if (!own.empty()) return std::string(own);
  const std::string_view group = text_at(spec, {"group"});
  const std::string_view kind = text_at(spec, {"names", "kind"});
  std::string text = fmt::format("{}/{} {} is deprecated", group, text_at(version, {"name"}), kind);
  if (const std::string_view better = replacement_of(spec, version); !better.empty()) {
    text += fmt::format("; use {}/{} {}", group, better, kind);
  }
  return text;
}

Structural structural_of(const JsonObject& version) {
  Structural schema = read_structural(object_at(version, {"schema", "openAPIV3Schema"}));
  prune_defaults(schema);
  return schema;
}

std::map<std::string, std::vector<std::string>> replicas_paths_of(const JsonObject& spec) {
  std::map<std::string, std::vector<std::string>> paths;
  for (const Json& version : array_at(spec, {"versions"})) {
    const auto scale = scale_of(as_object(version));
    if (!scale) continue;
    paths.emplace(
        fmt::format("{}/{}", text_at(spec, {"group"}), text_at(as_object(version), {"name"})),
        steps_of(scale->spec));
  }
  return paths;
}

std::shared_ptr<const DefinedKind> make_kind(const JsonObject& definition,
                                             const JsonObject& version,
                                             std::shared_ptr<const Structural> stored) {
  const JsonObject& spec = object_at(definition, {"spec"});
  const JsonObject& names = object_at(definition, {"status", "acceptedNames"});
  auto kind = std::make_shared<DefinedKind>();
  kind->storage = text_at(definition, {"metadata", "name"});
  kind->edition = fmt::format("{}/{}", text_at(definition, {"metadata", "uid"}),
                              integer_at(definition, {"metadata", "generation"}).value_or(0));
  kind->list_kind = text_at(names, {"listKind"});
  kind->categories = texts_at(names, {"categories"});
  kind->deprecation = deprecation_of(spec, version);
  kind->has_status = has(version, {"subresources", "status"});
  kind->is_terminating = has(definition, {"metadata", "deletionTimestamp"}) ||
                         has_condition(definition, "Terminating");
  kind->unconverted = unconverted_of(spec, version);
  kind->published = object_at(version, {"schema", "openAPIV3Schema"});
  kind->type_meta = {
      {"apiVersion", fmt::format("{}/{}", text_at(spec, {"group"}), text_at(version, {"name"}))},
      {"kind", text_at(names, {"kind"})}};
  kind->schema = structural_of(version);
  if (!has_true(version, "storage")) kind->stored = std::move(stored);
  kind->rules = Rules::compile(kind->schema, IsResource::yes);
  kind->merge = merge_schema_of(kind->schema);
  kind->printer = printer_of_definition(version);
  kind->scale = scale_of(version);
  kind->replicas_paths = replicas_paths_of(spec);
  kind->selectable = selectable_fields_of(version);
  kind->strategy = std::make_unique<CustomStrategy>(*kind);
  return kind;
}

}  // namespace

void DefinedKind::convert(JsonObject& object) const {
  if (stored != nullptr) set_defaults(object, *stored);
  drop_unknown(object);
  if (stored == nullptr) set_defaults(object, schema);
}

void DefinedKind::drop_unstored(JsonObject& object) const {
  if (stored != nullptr) prune(object, *stored, Root::resource);
}

void DefinedKind::drop_unknown(JsonObject& object) const {
  prune(object, schema, Root::resource);
  drop_nulls(object, schema);
  decode_embedded(object, schema, Root::value);
}

const DefinedKind& defined_kind(const ResourceType& type) {
  DCM_ASSERT(type.defined != nullptr);
  return static_cast<const DefinedKind&>(*type.defined);  // the only type that is ever created
}

std::vector<ResourceType> types_of_definition(const JsonObject& definition, Versions which) {
  std::vector<ResourceType> types;
  if (!has_condition(definition, "Established")) return types;
  const JsonObject& spec = object_at(definition, {"spec"});
  const JsonObject& names = object_at(definition, {"status", "acceptedNames"});
  const JsonArray& versions = array_at(spec, {"versions"});
  const auto stored = versions.size() == 1
                          ? nullptr
                          : std::make_shared<const Structural>(structural_of(stored_version(spec)));
  for (const Json& item : versions) {
    const JsonObject& version = as_object(item);
    if (!has_true(version, "served") && which == Versions::served) continue;
    auto kind = make_kind(definition, version, stored);
    const Strategy* const strategy = kind->strategy.get();
    types.push_back(
        {.group = std::string(text_at(spec, {"group"})),
         .plural = std::string(text_at(names, {"plural"})),
         .singular = std::string(text_at(names, {"singular"})),
         .kind = std::string(text_at(names, {"kind"})),
         .short_names = texts_at(names, {"shortNames"}),
         .scope = text_at(spec, {"scope"}) == "Namespaced" ? Scope::namespaced : Scope::cluster,
         .status = kind->has_status ? StatusSubresource::present : StatusSubresource::none,
         .put_without_version = UnconditionalUpdate::refused,
         .answer_to_delete = DeleteAnswer::status,
         .strategy = strategy,
         .versions = {std::string(text_at(version, {"name"}))},
         .defined = std::move(kind)});
  }
  return types;
}

}  // namespace dcm::apiserver
