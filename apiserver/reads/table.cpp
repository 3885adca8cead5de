#include "apiserver/reads/table.hpp"

#include <fmt/format.h>

#include "apiserver/fields/conversion.hpp"
#include "apiserver/fields/encode.hpp"
#include "apiserver/printers/printers.hpp"

namespace dcm::apiserver {

namespace {

using Include = TableStyle::Include;

Json encode_columns(const Printer& printer, ColumnHeads heads) {
  if (heads == ColumnHeads::omitted) return nullptr;
  JsonArray columns;
  for (const Column& column : printer.columns) {
    columns.push_back(JsonObject{{"name", column.name},
                                 {"type", column.type},
                                 {"format", column.format},
                                 {"description", column.description},
                                 {"priority", static_cast<int>(column.priority)}});
  }
  return columns;
}

std::string encode_subject(const ListTarget& target, const JsonObject& object,
                           const TableStyle& style) {
  if (style.include == Include::none) return "null";
  if (style.include == Include::object)
    return encode(*target.type, target.version, object, Encoding::json);
  return fmt::format(
      R"({{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/{}","metadata":{}}})",
      style.version, serialize(object_at(object, {"metadata"})));
}

// Columns of a defined kind may show any field, also of its type.
JsonArray cells_of(const ListTarget& target, const JsonObject& object, runtime::WallTime now) {
  const Printer& printer = printer_of(*target.type);
  if (target.type->defined == nullptr) return printer.cells(object, now);
  JsonObject shown = object;
  from_stored_version(*target.type, target.version, shown);
  shown["apiVersion"] = target.type->api_version(target.version);
  shown["kind"] = target.type->kind;
  return printer.cells(shown, now);
}

}  // namespace

Result<TableStyle> table_style(const Form& form, const Query& query) {
  const std::string_view include = query.get("includeObject");
  TableStyle style{.version = form.version};
  if (include == "None") {
    style.include = Include::none;
  } else if (include == "Object") {
    style.include = Include::object;
  } else if (!include.empty() && include != "Metadata") {
    return std::unexpected(bad_request(
        fmt::format("Unable to convert to Table as requested: includeObject: Invalid value: {}: "
                    "must be 'Metadata', 'Object', 'None', or empty",
                    serialize(Json(include)))));
  }
  return style;
}

ListText table_text(const ListTarget& target, const JsonObject& metadata, const TableStyle& style,
                    ColumnHeads heads, runtime::WallTime now) {
  std::string head = fmt::format(
      R"({{"kind":"Table","apiVersion":"meta.k8s.io/{}","metadata":{},"columnDefinitions":{},)"
      R"("rows":[)",
      style.version, serialize(metadata),
      serialize(encode_columns(printer_of(*target.type), heads)));
  return {.item =
              [=](const Stored& object) {
                return fmt::format(R"({{"cells":{},"object":{}}})",
                                   serialize(cells_of(target, *object, now)),
                                   encode_subject(target, *object, style));
              },
          .between = ",",
          .head = [head = std::move(head)](std::size_t) { return head; },
          .tail = "]}"};
}

std::string encode_table(const ListTarget& target, const Stored& object, const TableStyle& style,
                         ColumnHeads heads, runtime::WallTime now) {
  const JsonObject metadata{{"resourceVersion", text_at(*object, {"metadata", "resourceVersion"})}};
  return whole(table_text(target, metadata, style, heads, now), {object});
}

}  // namespace dcm::apiserver
