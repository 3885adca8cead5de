// A kind defined by a client, in one of its versions: what it has in addition to its row in the
// table of kinds. Immutable; a changed definition creates new ones.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/definitions/json_path.hpp"
#include "apiserver/definitions/structural.hpp"
#include "apiserver/model/resource_type.hpp"
#include "apiserver/rules/strategy.hpp"

namespace dcm::apiserver {

class Rules;

// The fields behind `/scale`; `selector` may be "".
struct ScalePaths {
  std::string spec;
  std::string status;
  std::string selector;
};

struct SelectableField {
  std::string name;  // "spec.color"
  JsonPath path;
};

struct DefinedKind : DefinedTraits {
  void convert(JsonObject& object) const override;
  void drop_unknown(JsonObject& object) const override;
  void drop_unstored(JsonObject& object) const override;

  Structural schema;
  std::shared_ptr<const Structural> stored;  // of the version that is stored; null: this one
  std::shared_ptr<const Rules> rules;        // of the schema; null if none
  std::optional<ScalePaths> scale;
  std::map<std::string, std::vector<std::string>> replicas_paths;  // of all versions
  std::vector<SelectableField> selectable;
  std::unique_ptr<const Strategy> strategy;
  JsonObject type_meta = {};  // apiVersion and kind
  JsonObject published = {};  // the schema as written in the definition
};

// Requires a kind that a client has defined.
const DefinedKind& defined_kind(const ResourceType& type);

enum class Versions { served, all };

// A row for each served version of a definition; none before its names are accepted.
std::vector<ResourceType> types_of_definition(const JsonObject& definition,
                                              Versions which = Versions::served);

}  // namespace dcm::apiserver
