// A kind as a table of the fields that a controller reads: for custom kinds.
//
//   struct Greeting {
//     api::ObjectMeta meta;
//     std::string who;
//     std::int64_t generation = 0;
//     std::map<std::string, std::string> labels;
//   };
//   auto decoder = json::make_projection<Greeting>({{"spec.who", &Greeting::who},
//                                                   {"metadata.generation", &Greeting::generation},
//                                                   {"metadata.labels", &Greeting::labels}});
//
// The types that a field may have, and how to add one: field_value.hpp. Other fields are skipped
// and take no memory.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/api/decoder.hpp"
#include "client/api/json/field_value.hpp"

namespace dcm::api::json {

// An object without its type, so that the parser is compiled only once.
struct AnyObject {
  ObjectMeta meta;
  std::shared_ptr<void> object;
};

struct AnyField {
  std::string path;
  std::function<bool(FieldValue, void* object)> read;
};

struct AnyKind {
  std::vector<AnyField> fields;
  std::function<std::shared_ptr<void>()> make;
  std::function<void(const ObjectMeta& meta, void* object)> identify;
};

// Throws std::invalid_argument if one field contains another, and for fields that every object's
// `meta` already has: programming errors.
std::unique_ptr<Decoder<AnyObject>> make_any_decoder(AnyKind kind);

// A field's path ("spec.name", "metadata.labels", "data.tls.crt") and the member that it is read
// into. A dot separates names, or belongs to one; the names in the object decide.
template <class T>
struct Field {
  template <class M>
  Field(std::string_view where, M T::* member)
      : path(where),
        read([member](FieldValue from, T& object) { return from.read(object.*member); }) {}

  std::string path;
  std::function<bool(FieldValue, T&)> read;
};

template <class T>
class ProjectionDecoder final : public Decoder<T> {
 public:
  explicit ProjectionDecoder(AnyKind kind) : any_(make_any_decoder(std::move(kind))) {}

  std::string_view accept() const override { return any_->accept(); }
  Result<Decoded<T>> decode_object(std::string_view body) const override {
    Result<Decoded<AnyObject>> any = any_->decode_object(body);
    if (!any) return runtime::fail(std::move(any.error()));
    return typed(*std::move(any));
  }
  Result<ListMeta> decode_list(std::string_view body,
                               const std::function<void(Decoded<T>)>& sink) const override {
    return any_->decode_list(body, [&](Decoded<AnyObject> one) { sink(typed(std::move(one))); });
  }
  Result<WatchEvent<T>> decode_watch_event(std::string_view frame) const override {
    Result<WatchEvent<AnyObject>> event = any_->decode_watch_event(frame);
    if (!event) return runtime::fail(std::move(event.error()));
    if (auto* bookmark = std::get_if<BookmarkEvent>(&*event)) return std::move(*bookmark);
    if (auto* error = std::get_if<ErrorEvent>(&*event)) return std::move(*error);
    auto& change = std::get<ChangeEvent<AnyObject>>(*event);
    return ChangeEvent<T>{change.type, typed(std::move(change.subject))};
  }

 private:
  static Decoded<T> typed(Decoded<AnyObject> any) {
    Decoded<T> decoded{std::move(any.meta), nullptr};
    if (!any.object) return decoded;
    decoded.object = ObjectPtr<T>(std::move(*static_cast<T*>(any.object->object.get())));
    return decoded;
  }

  std::unique_ptr<Decoder<AnyObject>> any_;
};

template <class T>
std::unique_ptr<Decoder<T>> make_projection(std::vector<Field<T>> fields) {
  static_assert(
      requires(T object) {
        { object.meta } -> std::same_as<ObjectMeta&>;
      }, "a kind has a member `dcm::api::ObjectMeta meta`");
  AnyKind kind;
  kind.make = [] { return std::make_shared<T>(); };
  for (Field<T>& field : fields) {
    kind.fields.push_back(
        {std::move(field.path), [read = std::move(field.read)](FieldValue from, void* object) {
           return read(from, *static_cast<T*>(object));
         }});
  }
  kind.identify = [](const ObjectMeta& meta, void* object) {
    static_cast<T*>(object)->meta = meta;
  };
  return std::make_unique<ProjectionDecoder<T>>(std::move(kind));
}

}  // namespace dcm::api::json
