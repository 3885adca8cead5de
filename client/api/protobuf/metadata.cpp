#include "client/api/protobuf/metadata.hpp"

#include "client/api/meta_fields.hpp"
#include "client/api/protobuf/source.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::api::protobuf {
void read_list_metadata(const Field& metadata, ListMeta& list) {
  static_cast<void>(Source(metadata).read(list));
}

BookmarkEvent read_bookmark(const Field& object) {
  BookmarkEvent bookmark;
  static_cast<void>(Source(object).read(bookmark));
  return bookmark;
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
  static_cast<void>(Source(from).read(status));
  return status;
}

std::optional<runtime::Error> missing_identity(const ObjectMeta& meta) {
  if (meta.key.name.empty()) return malformed("metadata.name: missing");
  if (meta.uid.empty()) return malformed("metadata.uid: missing");
  if (meta.resource_version.empty()) return malformed("metadata.resourceVersion: missing");
  return std::nullopt;
}

}  // namespace dcm::api::protobuf
