#include "client/api/protobuf/metadata.hpp"

#include <chrono>

#include "client/api/frame.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::api::protobuf {
namespace {

StatusCause read_cause(const Field& from) {
  StatusCause cause;
  each_field(from, [&](const Field& field) {
    if (field.number() == 1) cause.reason = field.text();
    if (field.number() == 2) cause.message = field.text();
    if (field.number() == 3) cause.field = field.text();
  });
  return cause;
}

void read_details(const Field& details, StatusBody& status) {
  each_field(details, [&](const Field& field) {
    if (field.number() == 1) status.details_name = field.text();
    if (field.number() == 3) status.details_kind = field.text();
    if (field.number() == 4) status.causes.push_back(read_cause(field));
    if (field.number() == 5) status.retry_after_seconds = field.integer();
  });
}

}  // namespace

void read_common_field(const Field& field, ObjectMeta& meta) {
  switch (field.number()) {
    case 1:
      meta.key.name = field.text();
      break;
    case 3:
      meta.key.namespace_ = InternedString(field.text());
      break;
    case 5:
      meta.uid = Uid(field.text());
      break;
    case 6:
      meta.resource_version = ResourceVersion(field.text());
      break;
    case 9:  // deletionTimestamp
      meta.is_being_deleted = !field.bytes().empty();
      break;
    default:
      break;
  }
}

void read_metadata(const Field& metadata, ObjectMeta& meta) {
  each_field(metadata, [&](const Field& field) { read_common_field(field, meta); });
}

void read_list_metadata(const Field& metadata, ListMeta& list) {
  each_field(metadata, [&](const Field& field) {
    if (field.number() == 2) list.resource_version = ResourceVersion(field.text());
    if (field.number() == 3) list.continue_token = field.text();
  });
}

void read_bookmark(const Field& metadata, BookmarkEvent& bookmark) {
  ObjectMeta meta;
  read_metadata(metadata, meta, [&](const Field& field) {
    if (field.number() != kAnnotations) return;
    read_entry(field, [&](std::string_view key, std::string_view value) {
      if (key == kInitialEventsEndAnnotation) bookmark.is_initial_events_end = value == "true";
    });
  });
  bookmark.resource_version = std::move(meta.resource_version);
}

std::optional<runtime::WallTime> read_time(const Field& time) {
  if (time.bytes().empty()) return std::nullopt;
  std::int64_t seconds = 0;
  each_field(time, [&](const Field& field) {
    if (field.number() == 1) seconds = field.integer();
  });
  return runtime::time_of_seconds(seconds);
}

StatusBody read_status(const Field& from) {
  StatusBody status;
  each_field(from, [&](const Field& field) {
    if (field.number() == 3) status.message = field.text();
    if (field.number() == 4) status.reason = field.text();
    if (field.number() == 5) read_details(field, status);
    if (field.number() == 6) status.code = field.integer();
  });
  return status;
}

std::optional<runtime::Error> missing_identity(const ObjectMeta& meta) {
  if (meta.key.name.empty()) return malformed("metadata.name: missing");
  if (meta.uid.empty()) return malformed("metadata.uid: missing");
  if (meta.resource_version.empty()) return malformed("metadata.resourceVersion: missing");
  return std::nullopt;
}

}  // namespace dcm::api::protobuf
