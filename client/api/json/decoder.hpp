// Objects, lists and watch frames of any kind, given how one kind's fields are read.
//
// Watch frames are `{"type": …, "object": …}` (metav1.WatchEvent), in any order.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "client/api/decoder.hpp"
#include "client/api/frame.hpp"
#include "client/api/json/document.hpp"
#include "client/api/json/source.hpp"
#include "client/api/status_body.hpp"

namespace dcm::api::json {

// False for an unknown type.
[[nodiscard]] bool read_frame_type(Reader& reader, value type, FrameType& out);
// A bookmark's object has the kind's shape, but only a resource version and possibly an annotation.
[[nodiscard]] bool read_bookmark_field(Reader& reader, std::string_view key, value field,
                                       BookmarkEvent& bookmark);
[[nodiscard]] bool check_bookmark(Reader& reader, const BookmarkEvent& bookmark);
[[nodiscard]] bool read_list_metadata(Reader& reader, value metadata, ListMeta& list);
// metav1.Status.
[[nodiscard]] bool read_status_field(Reader& reader, std::string_view key, value field,
                                     StatusBody& status);
// Every stored object has a name, a UID and a resource version, and our writes rely on them.
// Without them (a Status in the place of an object) there is no object.
[[nodiscard]] bool check_identity(Reader& reader, const ObjectMeta& meta);

// "kind", if present, must be `wanted` plus `suffix`: an answer to another request must not be
// mistaken for this one's.
[[nodiscard]] bool check_kind(Reader& reader, value field, std::string_view wanted,
                              std::string_view suffix = {});

// `Fields` knows the kind:
//   static constexpr std::string_view kKind               "Pod"; may be left out
//   bool read_field(std::string_view version, const auto& key, const auto& from, T&) const
//                                                         one top-level field (fields.hpp)
//   bool is_kept(const T&) const                          false: identity only, no object
//   void complete(T&) const                               after the last field; may be left out
template <class T, class Fields>
class JsonDecoder final : public Decoder<T> {
 public:
  // `version` is the one that discovery chose, for kinds whose versions differ.
  explicit JsonDecoder(Fields fields = Fields(), std::string_view version = {})
      : fields_(std::move(fields)), version_(version) {}

  std::string_view accept() const override { return kJson; }

  Result<Decoded<T>> decode_object(std::string_view body) const override {
    Document document(body);
    Reader& reader = document.reader();
    T object;
    Decoded<T> decoded;
    const bool is_read = document.each_field([&](std::string_view key, value field) {
      return read_field(reader, key, field, object);
    }) && finish(reader, object, decoded);
    if (!is_read) return runtime::fail(reader.error());
    return decoded;
  }

  Result<ListMeta> decode_list(std::string_view body,
                               const std::function<void(Decoded<T>)>& sink) const override {
    Document document(body);
    Reader& reader = document.reader();
    ListMeta list;
    bool has_items = false;
    const bool is_read = document.each_field([&](std::string_view key, value field) {
      if (key == "metadata") return read_list_metadata(reader, field, list);
      if constexpr (requires { Fields::kKind; }) {
        if (key == "kind") return check_kind(reader, field, Fields::kKind, "List");
      }
      if (key != "items") return true;
      has_items = true;
      return read_items(reader, field, sink);
    });
    if (!is_read || !check_list(reader, list, has_items)) return runtime::fail(reader.error());
    return list;
  }

  Result<WatchEvent<T>> decode_watch_event(std::string_view text) const override {
    Document document(text);
    Frame frame;
    if (!read_frame(document, frame)) return runtime::fail(document.reader().error());
    return to_event(std::move(frame));
  }

 private:
  struct Frame {
    std::optional<FrameType> type;
    bool has_object = false;
    bool is_object_skipped = false;  // it came before the type that determines how to read it
    Decoded<T> subject;
    BookmarkEvent bookmark;
    StatusBody status;
  };

  // Hands over the object, or only its identity.
  bool finish(Reader& reader, T& object, Decoded<T>& decoded) const {
    if (!check_identity(reader, object.meta)) return false;
    if (!fields_.is_kept(object)) {
      decoded.meta = std::move(object.meta);
      return true;
    }
    if constexpr (requires { fields_.complete(object); }) fields_.complete(object);
    decoded.meta = object.meta;
    decoded.object = ObjectPtr<T>(std::move(object));
    return true;
  }

  bool read_field(Reader& reader, std::string_view key, value field, T& object) const {
    if constexpr (requires { Fields::kKind; }) {
      if (key == "kind") return check_kind(reader, field, Fields::kKind);
    }
    return fields_.read_field(version_, key, Source(reader, field), object);
  }

  bool read_object(Reader& reader, value from, Decoded<T>& decoded) const {
    T object;
    reader.begin_object();
    const bool is_read = reader.each_field(from, [&](std::string_view key, value field) {
      return read_field(reader, key, field, object);
    }) && finish(reader, object, decoded);
    if (!is_read && !object.meta.key.name.empty()) reader.blame(object.meta.key.str());
    return is_read;
  }

  bool read_items(Reader& reader, value items, const std::function<void(Decoded<T>)>& sink) const {
    return reader.each_object(items, [&](value item) {
      Decoded<T> decoded;
      if (!read_object(reader, item, decoded)) return false;
      sink(std::move(decoded));
      return true;
    });
  }

  // An answer without items or version is not a list, and must not empty a cache.
  static bool check_list(Reader& reader, const ListMeta& list, bool has_items) {
    if (!has_items) return reader.missing("items");
    if (list.resource_version.empty()) return reader.missing("metadata.resourceVersion");
    return true;
  }

  bool read_frame(Document& document, Frame& frame) const {
    Reader& reader = document.reader();
    const auto on_field = [&](std::string_view key, value field) {
      return read_frame_field(reader, key, field, frame);
    };
    if (!document.each_field(on_field)) return false;
    if (!frame.type) return reader.missing("type");
    if (!frame.has_object) return reader.missing("object");
    if (!frame.is_object_skipped) return true;
    document.rewind();
    return document.each_field(on_field);
  }

  bool read_frame_field(Reader& reader, std::string_view key, value field, Frame& frame) const {
    if (key == "type") return read_frame_type(reader, field, frame.type.emplace());
    if (key != "object") return true;
    frame.has_object = true;
    frame.is_object_skipped = !frame.type;
    return frame.is_object_skipped || read_frame_object(reader, field, frame);
  }

  bool read_frame_object(Reader& reader, value from, Frame& frame) const {
    switch (*frame.type) {
      case FrameType::added:
      case FrameType::modified:
      case FrameType::deleted:
        return read_object(reader, from, frame.subject);
      case FrameType::bookmark:
        return reader.each_field(from, [&](std::string_view key, value field) {
          return read_bookmark_field(reader, key, field, frame.bookmark);
        }) && check_bookmark(reader, frame.bookmark);
      case FrameType::error:
        return reader.each_field(from, [&](std::string_view key, value field) {
          return read_status_field(reader, key, field, frame.status);
        });
    }
    return false;
  }

  static WatchEvent<T> to_event(Frame&& frame) {
    switch (*frame.type) {
      case FrameType::added:
        return ChangeEvent<T>{ChangeType::added, std::move(frame.subject)};
      case FrameType::modified:
        return ChangeEvent<T>{ChangeType::modified, std::move(frame.subject)};
      case FrameType::deleted:
        return ChangeEvent<T>{ChangeType::deleted, std::move(frame.subject)};
      case FrameType::bookmark:
        return std::move(frame.bookmark);
      case FrameType::error:
        break;
    }
    return ErrorEvent{frame_error(frame.status)};
  }

  Fields fields_;
  std::string version_;
};

template <class T, class Fields>
std::unique_ptr<Decoder<T>> make_decoder(Fields fields, std::string_view version = {}) {
  return std::make_unique<JsonDecoder<T, Fields>>(std::move(fields), version);
}

}  // namespace dcm::api::json
