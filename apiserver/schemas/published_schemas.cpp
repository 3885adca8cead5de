#include "apiserver/schemas/published_schemas.hpp"

#include "apiserver/schemas/openapi_schemas.hpp"
#include "runtime/assert.hpp"

namespace dcm::apiserver {

const PublishedSchemas& PublishedSchemas::of(std::string_view api_version) {
  static std::map<std::string, PublishedSchemas, std::less<>> documents;
  const auto found = documents.find(api_version);
  if (found != documents.end()) return found->second;
  return documents.try_emplace(std::string(api_version), api_version).first->second;
}

PublishedSchemas::PublishedSchemas(std::string_view api_version) {
  std::string problem;
  auto parsed = parse("{" + std::string(openapi_schemas(api_version)) + "}", problem);
  DCM_ASSERT(parsed && parsed->is_object());
  schemas_ = std::move(parsed->get_object());
  for (const auto& [name, schema] : schemas_) {
    for (const Json& gvk : array_at(schema.get_object(), {"x-kubernetes-group-version-kind"})) {
      const JsonObject& shown = gvk.get_object();
      const std::string_view group = text_at(shown, {"group"});
      std::string version(group);
      if (!group.empty()) version += '/';
      version += text_at(shown, {"version"});
      if (version == api_version) kinds_[std::string(text_at(shown, {"kind"}))] = name;
    }
  }
}

std::string_view PublishedSchemas::name_of_kind(std::string_view kind) const {
  const auto found = kinds_.find(kind);
  return found == kinds_.end() ? std::string_view() : found->second;
}

Json PublishedSchemas::resolved(const Json& schema) const {
  if (!schema.is_object()) return schema;
  const std::string_view name = referred(schema.get_object());
  JsonObject whole;
  for (const auto& [key, member] : name.empty() ? schema.get_object() : named(name)) {
    whole[key] = resolved(member);
  }
  return whole;
}

std::string_view PublishedSchemas::referred(const JsonObject& schema) {
  constexpr std::string_view kReference = "#/components/schemas/";
  std::string_view reference = text_at(schema, {"$ref"});
  if (const JsonArray& all = array_at(schema, {"allOf"}); !all.empty()) {
    reference = text_at(all.front().get_object(), {"$ref"});
  }
  return reference.empty() ? reference : reference.substr(kReference.size());
}

}  // namespace dcm::apiserver
