#include <algorithm>
#include <array>
#include <limits>

#include "client/api/json/decoder.hpp"

namespace dcm::api::json {
namespace {

constexpr std::string_view kInitialEventsEndAnnotation = "k8s.io/initial-events-end";

struct FrameName {
  std::string_view name;
  FrameType type;
};
constexpr std::array<FrameName, 5> kFrameNames = {{
    {"ADDED", FrameType::added},
    {"MODIFIED", FrameType::modified},
    {"DELETED", FrameType::deleted},
    {"BOOKMARK", FrameType::bookmark},
    {"ERROR", FrameType::error},
}};

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
  const auto* found = std::ranges::find(kFrameNames, text, &FrameName::name);
  if (found == kFrameNames.end()) return reader.fail("unknown type of event");
  out = found->type;
  return true;
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

runtime::Error frame_error(const StatusBody& status) {
  constexpr std::int64_t kCodeMax = std::numeric_limits<std::uint16_t>::max();
  if (status.code > 0 && status.code <= kCodeMax) {
    return to_error(static_cast<std::uint16_t>(status.code), status);
  }
  const bool is_gone = status.reason == "Expired" || status.reason == "Gone";
  runtime::Error error = to_error(is_gone ? 410 : 0, status);
  error.http_status.reset();
  return error;
}

}  // namespace dcm::api::json
