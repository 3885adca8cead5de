#include "client/api/json/metadata.hpp"

namespace dcm::api::json {

bool read_common_field(Reader& reader, std::string_view key, value field, ObjectMeta& meta,
                       bool& known) {
  if (key == "name") return reader.text(field, meta.key.name);
  if (key == "namespace") return reader.text(field, meta.key.namespace_);
  if (key == "uid") return reader.text(field, meta.uid);
  if (key == "resourceVersion") return reader.text(field, meta.resource_version);
  if (key == "deletionTimestamp") {
    std::string_view when;
    if (!reader.view(field, when)) return false;
    meta.is_being_deleted = !when.empty();
    return true;
  }
  known = false;
  return true;
}

bool read_metadata(Reader& reader, value metadata, ObjectMeta& meta) {
  return read_metadata(reader, metadata, meta, [](std::string_view, value) { return true; });
}

bool check_identity(Reader& reader, const ObjectMeta& meta) {
  if (meta.key.name.empty()) return reader.missing("metadata.name");
  if (meta.uid.empty()) return reader.missing("metadata.uid");
  if (meta.resource_version.empty()) return reader.missing("metadata.resourceVersion");
  return true;
}

}  // namespace dcm::api::json
