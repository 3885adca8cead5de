#include "apiserver/definitions/columns.hpp"

#include <fmt/format.h>

#include "apiserver/definitions/json_path.hpp"
#include "apiserver/printers/human_duration.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::apiserver {

namespace {

struct DefinedColumn {
  std::string type;
  std::optional<JsonPath> path;
};

// Printed like Go's text/template: objects and lists as JSON, numbers unchanged.
Json as_printed(const Json& value) {
  if (value.is_string()) return value;
  if (value.is_double()) return Json(fmt::format("{}", value.get_double()));
  return Json(value.is_null() ? "<nil>" : serialize(value));
}

Json as_number(const Json& value) {
  if (!value.is_number()) return nullptr;
  return value.to_number<double>();
}

Json as_integer(const Json& value) {
  if (value.is_double()) return static_cast<std::int64_t>(value.get_double());
  return value.is_number() ? value : Json();
}

Json as_age(const Json& value, runtime::WallTime now) {
  if (!value.is_string()) return nullptr;
  const std::string_view text = view(value.get_string());
  return Json(runtime::parse_timestamp(text) ? age_of(text, now) : "<invalid>");
}

Json cell_of(const DefinedColumn& column, const JsonObject& object, runtime::WallTime now) {
  const auto found = column.path ? column.path->find(object) : std::vector<const Json*>();
  if (found.empty()) return nullptr;
  const Json& value = *found.front();
  if (column.type == "string") return as_printed(value);
  if (value.is_null()) return nullptr;
  if (column.type == "integer") return as_integer(value);
  if (column.type == "number") return as_number(value);
  if (column.type == "date") return as_age(value, now);
  return column.type == "boolean" && value.is_bool() ? value : Json();
}

constexpr std::string_view kNameDescription =
    "Name must be unique within a namespace. Is required when creating resources, although some "
    "resources may allow a client to request the generation of an appropriate name automatically. "
    "Name is primarily intended for creation idempotence and configuration definition. Cannot be "
    "updated. More info: "
    "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";
constexpr std::string_view kAgeDescription =
    "CreationTimestamp is a timestamp representing the server time when this object was created. "
    "It is not guaranteed to be set in happens-before order across separate operations. Clients "
    "may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the "
    "system. Read-only. Null for lists. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/"
    "api-conventions.md#metadata";

Column column_of(const JsonObject& shown) {
  const auto priority = integer_at(shown, {"priority"}).value_or(0);
  std::string description(text_at(shown, {"description"}));
  if (description.empty()) {
    description = fmt::format("Custom resource definition column (in JSONPath format): {}",
                              text_at(shown, {"jsonPath"}));
  }
  return {.name = std::string(text_at(shown, {"name"})),
          .type = std::string(text_at(shown, {"type"})),
          .format = std::string(text_at(shown, {"format"})),
          .description = std::move(description),
          .priority = static_cast<Column::Priority>(priority)};
}

}  // namespace

Printer printer_of_definition(const JsonObject& version) {
  Printer printer{
      {{.name = "Name", .format = "name", .description = std::string(kNameDescription)}}, {}};
  std::vector<DefinedColumn> columns;
  for (const Json& item : array_at(version, {"additionalPrinterColumns"})) {
    const JsonObject& shown = as_object(item);
    printer.columns.push_back(column_of(shown));
    columns.push_back({printer.columns.back().type, JsonPath::parse(text_at(shown, {"jsonPath"}))});
  }
  if (columns.empty()) {
    printer.columns.push_back(
        {.name = "Age", .type = "date", .description = std::string(kAgeDescription)});
    columns.push_back({"date", JsonPath::parse(".metadata.creationTimestamp")});
  }
  printer.cells = [columns = std::move(columns)](const JsonObject& object, runtime::WallTime now) {
    JsonArray cells{Json(text_at(object, {"metadata", "name"}))};
    for (const DefinedColumn& column : columns) cells.push_back(cell_of(column, object, now));
    return cells;
  };
  return printer;
}

}  // namespace dcm::apiserver
