// The types of a schema as rules see them, and the maximum size of their values, which determines
// what a rule can cost (k8s.io/apiserver pkg/cel/common, SchemaDeclType).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "apiserver/definitions/structural.hpp"
#include "cel/library.hpp"

namespace dcm::apiserver {

// The name of a property in an expression: "__dash__" and the like replace invalid characters.
// nullopt if it cannot be named.
std::optional<std::string> escaped(std::string_view property);

struct RuleType {
  const cel::Type* type = nullptr;
  std::uint64_t size_max = 0;  // code points, items, entries
  std::int64_t bytes_min = 0;  // as JSON
  std::map<std::string, RuleType, std::less<>> fields = {};
  std::unique_ptr<RuleType> element = {};  // of a list or map

  // The maximum size of the value at an inner path ("@items", "@values").
  std::optional<std::uint64_t> size_of(std::span<const std::string> path) const;
};

enum class IsResource { no, yes };
inline IsResource resource_of(const Structural& schema) {
  return schema.is_embedded_resource ? IsResource::yes : IsResource::no;
}

// Declares the types in the library. nullopt if rules do not see such values.
std::optional<RuleType> declare_type(const Structural& schema, IsResource resource,
                                     cel::Library& library);

// How often a value can occur in an object without further limits.
std::uint64_t cardinality_of(const RuleType& type);

}  // namespace dcm::apiserver
