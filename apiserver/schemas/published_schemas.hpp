// The parsed OpenAPI schemas of one group version.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

class PublishedSchemas {
 public:
  // Schemas of a group version ("v1", "resource.k8s.io/v1"); empty if it has none. Lives as long as
  // the process.
  static const PublishedSchemas& of(std::string_view api_version);

  explicit PublishedSchemas(std::string_view api_version);

  // "io.k8s.api.core.v1.Pod" for "Pod"; "" for a kind without a schema.
  std::string_view name_of_kind(std::string_view kind) const;
  // By full name; empty if there is none.
  const JsonObject& named(std::string_view name) const { return object_at(schemas_, {name}); }
  // With the schemas that it refers to in their places. Requires that none refers to itself.
  Json resolved(const Json& schema) const;
  // The name of the schema that this one refers to; "" if it is one itself.
  static std::string_view referred(const JsonObject& schema);

 private:
  JsonObject schemas_;
  std::map<std::string, std::string, std::less<>> kinds_;
};

}  // namespace dcm::apiserver
