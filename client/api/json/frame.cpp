#include "client/api/json/decoder.hpp"

namespace dcm::api::json {
namespace {

bool read_bookmark_annotations(Reader& reader, value annotations, BookmarkEvent& bookmark) {
  return reader.each_field(annotations, [&](std::string_view key, value field) {
    if (key != kInitialEventsEndAnnotation) return true;
    std::string_view text;
    if (!reader.view(field, text)) return false;
    bookmark.is_initial_events_end = text == "true";
    return true;
  });
}

}  // namespace

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
  if (key != "metadata") return true;
  return reader.each_field(field, [&](std::string_view name, value part) {
    if (name == "resourceVersion") return reader.text(part, bookmark.resource_version);
    if (name == "annotations") return read_bookmark_annotations(reader, part, bookmark);
    return true;
  });
}

bool read_list_metadata(Reader& reader, value metadata, ListMeta& list) {
  return reader.each_field(metadata, [&](std::string_view key, value field) {
    if (key == "resourceVersion") return reader.text(field, list.resource_version);
    if (key == "continue") return reader.text(field, list.continue_token);
    return true;
  });
}

bool check_bookmark(Reader& reader, const BookmarkEvent& bookmark) {
  return !bookmark.resource_version.empty() || reader.missing("metadata.resourceVersion");
}

}  // namespace dcm::api::json
