// Decodes objects, lists and watch frames of any kind from Kubernetes' protobuf, given how to read
// the fields of one kind. Same structure as json/decoder.hpp.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "client/api/decoder.hpp"
#include "client/api/frame.hpp"
#include "client/api/protobuf/envelope.hpp"
#include "client/api/protobuf/metadata.hpp"
#include "client/api/protobuf/source.hpp"

namespace dcm::api::protobuf {

// `Fields` knows the kind:
//   static constexpr std::string_view kKind               "Pod"; may be left out
//   bool read_field(std::string_view version, const auto& key, const auto& from, T&) const
//                                                         one top-level field (fields.hpp)
//   bool is_kept(const T&) const                          false: identity only, no object
//   void complete(T&) const                               after the last field; may be left out
template <class T, class Fields>
class ProtobufDecoder final : public Decoder<T> {
 public:
  explicit ProtobufDecoder(Fields fields = Fields()) : fields_(std::move(fields)) {}

  std::string_view accept() const override { return kProtobuf; }

  Result<Decoded<T>> decode_object(std::string_view body) const override {
    return read_bytes([&]() -> Result<Decoded<T>> {
      Texts texts;
      const Envelope envelope = open_envelope(body, texts);
      if (!is_kind(envelope.kind)) return runtime::fail(malformed("kind: not the one expected"));
      return read_object(Field(envelope.object, texts), envelope.api_version);
    });
  }

  Result<ListMeta> decode_list(std::string_view body,
                               const std::function<void(Decoded<T>)>& sink) const override {
    return read_bytes([&]() -> Result<ListMeta> {
      Texts texts;
      const Envelope envelope = open_envelope(body, texts);
      // A list without items has no such field, so the kind shows that it is a list: another
      // document must not empty a cache.
      if (!is_list(envelope.kind)) {
        return runtime::fail(malformed("kind: not the list that was asked for"));
      }
      return read_list(Field(envelope.object, texts), envelope.api_version, sink);
    });
  }

  // metav1.WatchEvent: the type (1), and a RawExtension (2) that has the object's bytes (1).
  Result<WatchEvent<T>> decode_watch_event(std::string_view text) const override {
    return read_bytes([&]() -> Result<WatchEvent<T>> {
      Texts texts;
      std::optional<FrameType> type;
      std::string_view object;
      each_field(Field(text, texts), [&](const Field& field) {
        if (field.number() == 1) type = frame_type(field.bytes());
        if (field.number() != 2) return;
        each_field(field, [&](const Field& raw) {
          if (raw.number() == 1) object = raw.bytes();
        });
      });
      if (!type) return runtime::fail(malformed("type: no type of event that is known"));
      return read_event(*type, open_envelope(object, texts), texts);
    });
  }

 private:
  static bool is_kind(std::string_view kind) {
    if constexpr (requires { Fields::kKind; }) return kind == Fields::kKind;
    return true;
  }
  static bool is_list(std::string_view kind) {
    constexpr std::string_view kSuffix = "List";
    if (!kind.ends_with(kSuffix)) return false;
    kind.remove_suffix(kSuffix.size());
    return is_kind(kind);
  }

  // The object itself, or only its identity.
  Result<Decoded<T>> read_object(const Field& from, std::string_view api_version) const {
    T object;
    from.texts().begin_object();
    each_field(from, [&](const Field& field) {
      static_cast<void>(fields_.read_field(api_version, field.number(), Source(field), object));
    });
    if (auto missing = missing_identity(object.meta)) return runtime::fail(*std::move(missing));
    if (!fields_.is_kept(object)) return Decoded<T>{std::move(object.meta), nullptr};
    if constexpr (requires { fields_.complete(object); }) fields_.complete(object);
    ObjectMeta meta = object.meta;
    return Decoded<T>{std::move(meta), ObjectPtr<T>(std::move(object))};
  }

  Result<ListMeta> read_list(const Field& from, std::string_view api_version,
                             const std::function<void(Decoded<T>)>& sink) const {
    ListMeta list;
    std::optional<runtime::Error> error;
    each_field(from, [&](const Field& field) {
      if (field.number() == 1) read_list_metadata(field, list);
      if (field.number() != 2 || error) return;
      auto item = read_object(field, api_version);
      if (item) return sink(*std::move(item));
      error = std::move(item.error());
    });
    if (error) return runtime::fail(*std::move(error));
    if (list.resource_version.empty()) {
      return runtime::fail(malformed("metadata.resourceVersion: missing"));
    }
    return list;
  }

  Result<WatchEvent<T>> read_event(FrameType type, const Envelope& envelope, Texts& texts) const {
    const Field object(envelope.object, texts);
    if (type == FrameType::error) return ErrorEvent{frame_error(read_status(object))};
    if (type == FrameType::bookmark) return read_bookmark_event(object);
    if (!is_kind(envelope.kind)) return runtime::fail(malformed("kind: not the one expected"));
    auto subject = read_object(object, envelope.api_version);
    if (!subject) return runtime::fail(std::move(subject.error()));
    return ChangeEvent<T>{change_of(type), *std::move(subject)};
  }

  static Result<WatchEvent<T>> read_bookmark_event(const Field& object) {
    BookmarkEvent bookmark = read_bookmark(object);
    if (!bookmark.resource_version.empty()) return bookmark;
    return runtime::fail(malformed("metadata.resourceVersion: missing"));
  }

  static ChangeType change_of(FrameType type) {
    if (type == FrameType::added) return ChangeType::added;
    return type == FrameType::modified ? ChangeType::modified : ChangeType::deleted;
  }

  Fields fields_;
};

template <class T, class Fields>
std::unique_ptr<Decoder<T>> make_decoder(Fields fields) {
  return std::make_unique<ProtobufDecoder<T, Fields>>(std::move(fields));
}

}  // namespace dcm::api::protobuf
