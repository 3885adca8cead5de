#include "client/api/json/decoder.hpp"
#include "client/api/json/source.hpp"
#include "client/api/meta_fields.hpp"

namespace dcm::api::json {
bool read_frame_type(Reader& reader, value type, FrameType& out) {
  std::string_view text;
  if (!reader.view(type, text)) return false;
  const auto found = frame_type(text);
  if (!found) return reader.fail("unknown type of event");
  out = *found;
  return true;
}

bool check_kind(Reader& reader, value field, std::string_view wanted, std::string_view suffix) {
  std::string_view kind;
  if (!reader.view(field, kind)) return false;
  const bool is_wanted = kind.starts_with(wanted) && kind.substr(wanted.size()) == suffix;
  return kind.empty() || is_wanted || reader.fail("not the kind that was asked for");
}

bool read_bookmark_field(Reader& reader, std::string_view key, value field,
                         BookmarkEvent& bookmark) {
  return read_field(kFieldsOf<BookmarkEvent>, key, Source(reader, field), bookmark);
}

bool read_list_metadata(Reader& reader, value metadata, ListMeta& list) {
  return Source(reader, metadata).read(list);
}

bool read_status_field(Reader& reader, std::string_view key, value field, StatusBody& status) {
  return read_field(kFieldsOf<StatusBody>, key, Source(reader, field), status);
}

bool check_bookmark(Reader& reader, const BookmarkEvent& bookmark) {
  return !bookmark.resource_version.empty() || reader.missing("metadata.resourceVersion");
}

bool check_identity(Reader& reader, const ObjectMeta& meta) {
  if (meta.key.name.empty()) return reader.missing("metadata.name");
  if (meta.uid.empty()) return reader.missing("metadata.uid");
  if (meta.resource_version.empty()) return reader.missing("metadata.resourceVersion");
  return true;
}

}  // namespace dcm::api::json
