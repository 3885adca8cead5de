#include "apiserver/text/protobuf.hpp"

#include <algorithm>
#include <vector>

#include "apiserver/text/base64.hpp"
#include "apiserver/text/protobuf_reader.hpp"

namespace dcm::apiserver {

namespace {

struct Message;

// A member of an object: its number in the generated.proto of its API group. What a client would
// leave empty in a new object (timestamps, status) has no row, and is passed over.
struct Field {
  enum class Type { text, integer, boolean, message, int_or_string, text_map, bytes_map };
  enum class Count { one, many };

  std::uint64_t number;
  std::string_view name;
  Type type = Type::text;
  Count count = Count::one;
  const Message* message = nullptr;
};

struct Message {
  std::vector<Field> fields;
};

using Type = Field::Type;
constexpr auto kOne = Field::Count::one;
constexpr auto kMany = Field::Count::many;

const Message& owner_reference() {
  static const Message kMessage{{{1, "kind"},
                                 {3, "name"},
                                 {4, "uid"},
                                 {5, "apiVersion"},
                                 {6, "controller", Type::boolean},
                                 {7, "blockOwnerDeletion", Type::boolean}}};
  return kMessage;
}

const Message& object_meta() {
  static const Message kMessage{{{1, "name"},
                                 {2, "generateName"},
                                 {3, "namespace"},
                                 {5, "uid"},
                                 {6, "resourceVersion"},
                                 {11, "labels", Type::text_map},
                                 {12, "annotations", Type::text_map},
                                 {13, "ownerReferences", Type::message, kMany, &owner_reference()},
                                 {14, "finalizers", Type::text, kMany}}};
  return kMessage;
}

Field metadata() {
  return {1, "metadata", Type::message, kOne, &object_meta()};
}

const Message& config_map() {
  static const Message kMessage{{metadata(),
                                 {2, "data", Type::text_map},
                                 {3, "binaryData", Type::bytes_map},
                                 {4, "immutable", Type::boolean}}};
  return kMessage;
}

const Message& name_space() {
  static const Message kSpec{{{1, "finalizers", Type::text, kMany}}};
  static const Message kMessage{{metadata(), {2, "spec", Type::message, kOne, &kSpec}}};
  return kMessage;
}

const Message& label_selector() {
  static const Message kRequirement{
      {{1, "key"}, {2, "operator"}, {3, "values", Type::text, kMany}}};
  static const Message kMessage{{{1, "matchLabels", Type::text_map},
                                 {2, "matchExpressions", Type::message, kMany, &kRequirement}}};
  return kMessage;
}

const Message& budget() {
  static const Message kSpec{{{1, "minAvailable", Type::int_or_string},
                              {2, "selector", Type::message, kOne, &label_selector()},
                              {3, "maxUnavailable", Type::int_or_string},
                              {4, "unhealthyPodEvictionPolicy"}}};
  static const Message kMessage{{metadata(), {2, "spec", Type::message, kOne, &kSpec}}};
  return kMessage;
}

const Message& delete_options() {
  static const Message kPreconditions{{{1, "uid"}, {2, "resourceVersion"}}};
  static const Message kMessage{{{1, "gracePeriodSeconds", Type::integer},
                                 {2, "preconditions", Type::message, kOne, &kPreconditions},
                                 {4, "propagationPolicy"},
                                 {5, "dryRun", Type::text, kMany}}};
  return kMessage;
}

const Message& eviction() {
  static const Message kMessage{
      {metadata(), {2, "deleteOptions", Type::message, kOne, &delete_options()}}};
  return kMessage;
}

const Message* message_of(std::string_view api_version, std::string_view kind) {
  if (api_version == "v1" && kind == "ConfigMap") return &config_map();
  if (api_version == "v1" && kind == "Namespace") return &name_space();
  if (api_version == "policy/v1" && kind == "PodDisruptionBudget") return &budget();
  if (api_version == "policy/v1" && kind == "Eviction") return &eviction();
  // Of whichever group the object is.
  return kind == "DeleteOptions" ? &delete_options() : nullptr;
}

std::string padded_base64(std::string_view bytes) {
  std::string text = base64_encoded(bytes);
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  text.append((4 - text.size() % 4) % 4, '=');
  return text;
}

// A message is deep only as its description is, so the recursion below is bounded.
bool decode_message(std::string_view bytes, const Message& message, JsonObject& object);

// An entry of a map: key 1, value 2.
bool decode_entry(std::string_view bytes, Type type, JsonObject& map) {
  WireReader reader(bytes);
  std::string_view key;
  std::string_view value;
  while (const auto field = reader.next()) {
    if (field->number == 1) key = field->bytes;
    if (field->number == 2) value = field->bytes;
  }
  map[key] = type == Type::bytes_map ? Json(padded_base64(value)) : Json(value);
  return !reader.broken();
}

// Which of the two it is (1), the number (2), the text (3).
bool decode_int_or_string(std::string_view bytes, Json& value) {
  WireReader reader(bytes);
  std::uint64_t is_text = 0;
  std::uint64_t number = 0;
  std::string_view text;
  while (const auto field = reader.next()) {
    if (field->number == 1) is_text = field->value;
    if (field->number == 2) number = field->value;
    if (field->number == 3) text = field->bytes;
  }
  value = is_text != 0 ? Json(text) : Json(static_cast<std::int64_t>(number));
  return !reader.broken();
}

bool decode_value(const WireField& wire, const Field& field, Json& value) {
  switch (field.type) {
    case Type::text:
      value = Json(wire.bytes);
      return true;
    case Type::integer:
      value = static_cast<std::int64_t>(wire.value);
      return true;
    case Type::boolean:
      value = wire.value != 0;
      return true;
    case Type::message:
      return decode_message(wire.bytes, *field.message, value.emplace_object());
    case Type::int_or_string:
      return decode_int_or_string(wire.bytes, value);
    case Type::text_map:
    case Type::bytes_map:
      if (!value.is_object()) value.emplace_object();
      return decode_entry(wire.bytes, field.type, value.get_object());
  }
  return false;
}

bool decode_field(const WireField& wire, const Field& field, JsonObject& object) {
  // Go writes a string that is not there as an empty one.
  if (field.type == Type::text && field.count == kOne && wire.bytes.empty()) return true;
  if (field.count == kOne) return decode_value(wire, field, object[field.name]);
  Json& list = object[field.name];
  if (!list.is_array()) list.emplace_array();
  return decode_value(wire, field, list.get_array().emplace_back(nullptr));
}

bool decode_message(std::string_view bytes, const Message& message, JsonObject& object) {
  WireReader reader(bytes);
  while (const auto wire = reader.next()) {
    const auto field = std::ranges::find(message.fields, wire->number, &Field::number);
    if (field != message.fields.end() && !decode_field(*wire, *field, object)) return false;
  }
  return !reader.broken();
}

// k8s.io/apimachinery's runtime.Unknown: type meta (1) and the object itself (2).
struct Envelope {
  std::string_view api_version;
  std::string_view kind;
  std::string_view object;
};

std::optional<Envelope> open_envelope(std::string_view body) {
  constexpr std::string_view kMagic("k8s\0", 4);
  if (!body.starts_with(kMagic)) return std::nullopt;
  Envelope envelope;
  std::string_view type_meta;
  WireReader reader(body.substr(kMagic.size()));
  while (const auto field = reader.next()) {
    if (field->number == 1) type_meta = field->bytes;
    if (field->number == 2) envelope.object = field->bytes;
  }
  WireReader types(type_meta);
  while (const auto field = types.next()) {
    if (field->number == 1) envelope.api_version = field->bytes;
    if (field->number == 2) envelope.kind = field->bytes;
  }
  if (reader.broken() || types.broken()) return std::nullopt;
  return envelope;
}

}  // namespace

Outcome<JsonObject> decode_protobuf(std::string_view body) {
  const auto broken = [] {
    return std::unexpected(bad_request("the body of the request is no Kubernetes protobuf"));
  };
  const auto envelope = open_envelope(body);
  if (!envelope) return broken();
  const Message* message = message_of(envelope->api_version, envelope->kind);
  if (message == nullptr) {
    return std::unexpected(unsupported_media_type("application/json, application/yaml"));
  }
  JsonObject object{{"apiVersion", envelope->api_version}, {"kind", envelope->kind}};
  if (!decode_message(envelope->object, *message, object)) return broken();
  return object;
}

}  // namespace dcm::apiserver
