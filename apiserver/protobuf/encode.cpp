
#include <protozero/pbf_writer.hpp>

#include "apiserver/protobuf/envelope.hpp"
#include "apiserver/protobuf/messages.hpp"
#include "apiserver/protobuf/protobuf.hpp"
#include "runtime/assert.hpp"
#include "runtime/base64.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::apiserver {

namespace {

using Type = ProtoField::Type;
using Count = ProtoField::Count;
using protozero::pbf_writer;

// A string that may be a number in JSON, such as a quantity.
std::string text_of(const Json& value) {
  return value.is_string() ? std::string(view(value.get_string())) : serialize(value);
}

std::int64_t integer_of(const Json& value) {
  boost::json::error_code failed;
  const auto number = value.is_number() ? value.to_number<std::int64_t>(failed) : 0;
  return failed ? 0 : number;
}

double number_of(const Json& value) {
  boost::json::error_code failed;
  const auto number = value.is_number() ? value.to_number<double>(failed) : 0.0;
  return failed ? 0.0 : number;
}

// Negative 32-bit numbers are written with 64 bits, so one encoding fits all.
void add_integer(std::string& out, std::uint32_t number, std::int64_t value) {
  pbf_writer(out).add_uint64(number, static_cast<std::uint64_t>(value));
}

// Appends the output of `fill` to `out`, as a nested message. An empty message is written too,
// though protozero would drop it: `emptyDir: {}` has a meaning.
template <class F>
void add_message(std::string& out, std::uint32_t number, F fill) {
  const std::size_t before = out.size();
  {
    pbf_writer outer(out);
    const pbf_writer inner(outer, number);
    fill();
  }
  if (out.size() == before) pbf_writer(out).add_message(number, "", 0);
}

void add_int_or_string(std::string& out, std::uint32_t number, const Json& value) {
  add_message(out, number, [&] {
    add_integer(out, 1, value.is_string() ? 1 : 0);
    if (value.is_string()) {
      pbf_writer(out).add_string(3, text_of(value));
    } else {
      add_integer(out, 2, integer_of(value));
    }
  });
}

// The fraction of a second in RFC 3339, in nanoseconds.
std::int64_t fraction_of(std::string_view time) {
  const auto dot = time.find('.');
  if (dot == std::string_view::npos) return 0;
  std::int64_t nanos = 0;
  std::int64_t unit = 100'000'000;
  for (const char c : time.substr(dot + 1)) {
    if (c < '0' || c > '9') break;
    nanos += (c - '0') * unit;
    unit /= 10;
  }
  return nanos;
}

void add_time(std::string& out, std::uint32_t number, Type type, const Json& value) {
  const std::string text = text_of(value);
  const auto time = runtime::parse_timestamp(text);
  if (!time) return;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time->time_since_epoch());
  add_message(out, number, [&] {
    add_integer(out, 1, seconds.count());
    add_integer(out, 2, type == Type::micro_time ? fraction_of(text) : 0);
  });
}

std::string bytes_of(const Json& value) {
  return runtime::decode_base64(text_of(value)).value_or("");
}

// A message that is an object in JSON, or one of its own fields.
void encode_inner(std::string& out, const ProtoMessage& message, const Json& value);

void add_strings(std::string& out, std::uint32_t number, const Json& value) {
  add_message(out, number, [&] {
    if (!value.is_array()) return;
    for (const Json& item : value.get_array()) pbf_writer(out).add_string(1, text_of(item));
  });
}

// `field` gives the type; `number` is its own, or that of a map's value.
void add_value(std::string& out, const ProtoField& field, std::uint32_t number, const Json& value) {
  switch (field.type) {
    case Type::text:
      return pbf_writer(out).add_string(number, text_of(value));
    case Type::bytes:
      return pbf_writer(out).add_bytes(number, bytes_of(value));
    case Type::integer:
      return add_integer(out, number, integer_of(value));
    case Type::number:
      return pbf_writer(out).add_double(number, number_of(value));
    case Type::boolean:
      return pbf_writer(out).add_bool(number, value == Json(true));
    case Type::raw:
      return add_message(out, number, [&] { pbf_writer(out).add_bytes(1, serialize(value)); });
    case Type::strings:
      return add_strings(out, number, value);
    case Type::quantity:
      return add_message(out, number, [&] { pbf_writer(out).add_string(1, text_of(value)); });
    case Type::int_or_string:
      return add_int_or_string(out, number, value);
    case Type::time:
    case Type::micro_time:
      return add_time(out, number, field.type, value);
    case Type::message:
      return add_message(out, number, [&] { encode_inner(out, *field.message, value); });
  }
}

void encode_field(std::string& out, const ProtoField& field, const Json& value) {
  if (field.count == Count::map) {
    for (const auto& [key, item] : as_object(value)) {
      add_message(out, field.number, [&] {
        pbf_writer(out).add_string(1, key.data(), key.size());
        add_value(out, field, 2, item);
      });
    }
  } else if (field.count == Count::list) {
    if (!value.is_array()) return;
    for (const Json& item : value.get_array()) add_value(out, field, field.number, item);
  } else {
    add_value(out, field, field.number, value);
  }
}

void encode_message(std::string& out, const ProtoMessage& message, const JsonObject& object) {
  for (const ProtoField& field : message.fields) {
    if (field.embedded) {
      add_message(out, field.number, [&] { encode_message(out, *field.message, object); });
      continue;
    }
    const Json* value = object.if_contains(field.name);
    if (value != nullptr && !value->is_null()) encode_field(out, field, *value);
  }
}

void encode_inner(std::string& out, const ProtoMessage& message, const Json& value) {
  if (!message.is_choice) return encode_message(out, message, as_object(value));
  for (const ProtoField& field : message.fields) {
    if (field.type == Type::boolean) {
      add_value(out, field, field.number, Json(value != Json(false)));
    } else if (field.count == Count::list ? value.is_array() : value.is_object()) {
      encode_field(out, field, value);
    }
  }
}

// The key of a bytes field, and their length.
void add_length(std::string& text, std::uint32_t tag, std::size_t bytes) {
  constexpr std::uint32_t kLengthDelimited = 2;
  protozero::write_varint(std::back_inserter(text), (tag << 3U) | kLengthDelimited);
  protozero::write_varint(std::back_inserter(text), bytes);
}

// The part of an envelope before the bytes of its object, given their length.
std::string envelope_of(std::string_view api_version, std::string_view kind, std::size_t bytes) {
  std::string type;
  pbf_writer type_writer(type);
  type_writer.add_string(1, api_version.data(), api_version.size());
  type_writer.add_string(2, kind.data(), kind.size());
  std::string text(kProtobufMagic);
  pbf_writer(text).add_message(static_cast<std::uint32_t>(EnvelopeTag::type), type);
  add_length(text, static_cast<std::uint32_t>(EnvelopeTag::object), bytes);
  return text;
}

}  // namespace

bool encodes_protobuf(std::string_view api_version, std::string_view kind) {
  return proto_message(api_version, kind) != nullptr;
}

std::string encode_protobuf_item(std::string_view api_version, std::string_view kind,
                                 const JsonObject& object) {
  const ProtoMessage* message = proto_message(api_version, kind);
  DCM_ASSERT(message != nullptr);
  std::string text;
  encode_message(text, *message, object);
  return text;
}

std::string encode_protobuf(std::string_view api_version, std::string_view kind,
                            const JsonObject& object) {
  const std::string item = encode_protobuf_item(api_version, kind, object);
  return envelope_of(api_version, kind, item.size()) + item;
}

std::string protobuf_list_head(std::string_view api_version, std::string_view list_kind,
                               const JsonObject& metadata, std::size_t bytes) {
  const std::string list =
      encode_protobuf_item(api_version, list_kind, JsonObject{{"metadata", metadata}});
  return envelope_of(api_version, list_kind, list.size() + bytes) + list;
}

std::string protobuf_list_item(std::string_view item) {
  std::string text;
  text.reserve(item.size() + 8);
  pbf_writer(text).add_message(2, item.data(), item.size());
  return text;
}

std::string protobuf_event(std::string_view type, std::string_view object) {
  std::string event;
  pbf_writer(event).add_string(1, type.data(), type.size());
  add_message(event, 2, [&] { pbf_writer(event).add_bytes(1, object.data(), object.size()); });
  const auto size = static_cast<std::uint32_t>(event.size());
  std::string frame;
  frame.reserve(event.size() + 4);
  for (const unsigned shift : {24U, 16U, 8U, 0U}) frame += static_cast<char>(size >> shift);
  return frame += event;
}

}  // namespace dcm::apiserver
