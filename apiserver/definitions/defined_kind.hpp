// A kind that a client has defined, in one of its versions: what is special to it beside its row in
// the table of kinds. Immutable; a definition that changes makes new ones.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/definitions/json_path.hpp"
#include "apiserver/definitions/structural.hpp"
#include "apiserver/printers/printers.hpp"
#include "apiserver/rules/strategy.hpp"
#include "apiserver/schemas/schema.hpp"

namespace dcm::apiserver {

class Rules;
struct ResourceType;

// Where the numbers of `/scale` are; `selector` may be "".
struct ScalePaths {
  std::string spec;
  std::string status;
  std::string selector;
};

struct SelectableField {
  std::string name;  // "spec.color"
  JsonPath path;
};

struct DefinedKind {
  std::string storage;  // the definition's name: "jobsets.jobset.x-k8s.io"
  std::string edition;  // another one for each change of the definition's spec
  std::string list_kind;
  std::vector<std::string> categories;
  std::string deprecation;  // the warning to each of its users; "": none
  bool has_status = false;
  bool is_terminating = false;
  Structural schema;
  std::shared_ptr<const Rules> rules;  // of the schema; null: it has none
  Schema merge;
  Printer printer;
  std::optional<ScalePaths> scale;
  std::vector<SelectableField> selectable;
  std::unique_ptr<const Strategy> strategy;
  JsonObject published = {};  // the schema as it is in the definition
};

enum class Versions { served, all };

// A row for each of those versions of a definition; none before its names are accepted.
std::vector<ResourceType> types_of_definition(const JsonObject& definition,
                                              Versions which = Versions::served);

// Whether a condition of a definition's status is true.
bool is_true(const JsonObject& definition, std::string_view condition);

}  // namespace dcm::apiserver
