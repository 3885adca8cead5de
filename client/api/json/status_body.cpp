#include "client/api/json/status_body.hpp"

namespace dcm::api::json {
namespace {

bool read_cause(Reader& reader, value item, StatusCause& cause) {
  return reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "reason") return reader.text(field, cause.reason);
    if (key == "field") return reader.text(field, cause.field);
    if (key == "message") return reader.text(field, cause.message);
    return true;
  });
}

bool read_details(Reader& reader, value details, StatusBody& status) {
  return reader.each_field(details, [&](std::string_view key, value field) {
    if (key == "name") return reader.text(field, status.details_name);
    if (key == "kind") return reader.text(field, status.details_kind);
    if (key == "retryAfterSeconds") return reader.integer(field, status.retry_after_seconds);
    if (key == "causes") {
      return reader.each_item(field, [&](value item) {
        return read_cause(reader, item, status.causes.emplace_back());
      });
    }
    return true;
  });
}

}  // namespace

bool read_status_field(Reader& reader, std::string_view key, value field, StatusBody& status) {
  if (key == "kind") return reader.text(field, status.kind);
  if (key == "message") return reader.text(field, status.message);
  if (key == "reason") return reader.text(field, status.reason);
  if (key == "code") return reader.integer(field, status.code);
  if (key == "details") return read_details(reader, field, status);
  return true;
}

}  // namespace dcm::api::json
