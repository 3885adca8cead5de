#include <algorithm>
#include <cmath>
#include <ranges>
#include <stdexcept>

#include <fmt/format.h>
#include <protozero/pbf_message.hpp>
#include <protozero/pbf_reader.hpp>

#include "apiserver/protobuf/envelope.hpp"
#include "apiserver/protobuf/messages.hpp"
#include "apiserver/protobuf/protobuf.hpp"
#include "apiserver/text/item_budget.hpp"
#include "runtime/base64.hpp"
#include "runtime/one_line.hpp"
#include "runtime/timestamp.hpp"

// protozero throws if bytes are missing or of the wrong type; decode_protobuf() catches it.

namespace dcm::apiserver {

namespace {

using Type = ProtoField::Type;
using Count = ProtoField::Count;
using protozero::pbf_reader;
using protozero::pbf_wire_type;

// What a body may still have.
struct Budget : ItemBudget {
  std::size_t levels = kLevelsMax;  // of messages within each other
};

// protozero only asserts that a field has the type for which it is asked.
void require_type(const pbf_reader& reader, pbf_wire_type type) {
  if (reader.wire_type() != type) throw protozero::invalid_tag_exception();
}

std::string_view bytes_in(pbf_reader& reader) {
  require_type(reader, pbf_wire_type::length_delimited);
  const protozero::data_view data = reader.get_view();
  return {data.data(), data.size()};
}

pbf_reader message_in(pbf_reader& reader) {
  const std::string_view bytes = bytes_in(reader);
  return {bytes.data(), bytes.size()};
}

// Also a flag: get_bool() reads past the end of a truncated body.
std::int64_t integer_in(pbf_reader& reader) {
  require_type(reader, pbf_wire_type::varint);
  return static_cast<std::int64_t>(reader.get_uint64());
}

Json number_in(pbf_reader& reader) {
  require_type(reader, pbf_wire_type::fixed64);
  const double number = reader.get_double();
  if (!std::isfinite(number)) throw protozero::invalid_tag_exception();
  return number_as_go(number);
}

// Types that JSON represents as strings.
Json text_in(pbf_reader& reader) {
  return Json(runtime::valid_utf8(bytes_in(reader)));
}

// The field `number` of a nested message; "" if missing.
std::string wrapped_bytes(pbf_reader& reader, std::uint32_t number) {
  std::string bytes;
  pbf_reader inner = message_in(reader);
  while (inner.next()) {
    if (inner.tag() == number) {
      bytes = bytes_in(inner);
    } else {
      inner.skip();
    }
  }
  return bytes;
}

// The type (1), the number (2), the text (3).
Json int_or_string_in(pbf_reader& reader) {
  std::int64_t is_text = 0;
  std::int64_t number = 0;
  Json text("");
  pbf_reader inner = message_in(reader);
  while (inner.next()) {
    if (inner.tag() == 1) {
      is_text = integer_in(inner);
    } else if (inner.tag() == 2) {
      number = integer_in(inner);
    } else if (inner.tag() == 3) {
      text = text_in(inner);
    } else {
      inner.skip();
    }
  }
  return is_text != 0 ? text : Json(number);
}

// Null for the zero time. Seconds (1) since the epoch and nanoseconds (2).
Json time_in(pbf_reader& reader, Type type) {
  std::int64_t seconds = 0;
  std::int64_t nanos = 0;
  pbf_reader inner = message_in(reader);
  while (inner.next()) {
    if (inner.tag() == 1) {
      seconds = integer_in(inner);
    } else if (inner.tag() == 2) {
      nanos = integer_in(inner);
    } else {
      inner.skip();
    }
  }
  // A time beyond four-digit years is omitted as well.
  constexpr std::int64_t kYear10000 = 253'402'300'800;
  const bool is_far = seconds >= kYear10000 || seconds <= -kYear10000;
  if ((seconds == 0 && nanos == 0) || is_far) return nullptr;
  std::string text = runtime::timestamp(runtime::time_of_seconds(seconds));
  if (type == Type::micro_time) {
    text.pop_back();
    text += fmt::format(".{:06}Z", std::clamp<std::int64_t>(nanos, 0, 999'999'999) / 1000);
  }
  return Json(text);
}

Json strings_in(pbf_reader& reader, Budget& budget) {
  JsonArray items;
  pbf_reader inner = message_in(reader);
  while (inner.next(1)) {
    budget.spend();
    items.push_back(text_in(inner));
  }
  return items;
}

Json raw_in(pbf_reader& reader, Budget& budget) {
  const std::string bytes = wrapped_bytes(reader, 1);
  if (bytes.empty()) return nullptr;
  budget.spend(count_values(bytes));
  std::string problem;
  auto json = parse(bytes, problem);
  if (!json) throw protozero::invalid_tag_exception();
  return std::move(*json);
}

// Schemas nest in schemas; Budget::levels bounds the recursion.
void decode_message(pbf_reader reader, const ProtoMessage& message, JsonObject& object,
                    Budget& budget);

// As Go chooses: a list before a schema, a schema before a flag.
Json chosen(const ProtoMessage& message, JsonObject& values) {
  for (const ProtoField& field : message.fields | std::views::reverse) {
    if (Json* value = values.if_contains(field.name)) return std::move(*value);
    if (field.type == Type::boolean) return false;
  }
  return nullptr;
}

Json decode_value(pbf_reader& reader, const ProtoField& field, Budget& budget) {
  switch (field.type) {
    case Type::text:
      return text_in(reader);
    case Type::bytes:
      return Json(runtime::encode_base64(bytes_in(reader)));
    case Type::integer:
      return integer_in(reader);
    case Type::number:
      return number_in(reader);
    case Type::boolean:
      return integer_in(reader) != 0;
    case Type::raw:
      return raw_in(reader, budget);
    case Type::strings:
      return strings_in(reader, budget);
    case Type::quantity:
      return Json(runtime::valid_utf8(wrapped_bytes(reader, 1)));
    case Type::int_or_string:
      return int_or_string_in(reader);
    case Type::time:
    case Type::micro_time:
      return time_in(reader, field.type);
    case Type::message: {
      JsonObject inner;
      decode_message(message_in(reader), *field.message, inner, budget);
      if (field.message->is_choice) return chosen(*field.message, inner);
      return inner;
    }
  }
  return nullptr;
}

// Whether Go omits the value in JSON: empty strings, numbers and flags, except behind a pointer.
// (An int-or-string is always behind a pointer, or required.)
bool is_left_out(const ProtoField& field, const Json& value) {
  if (value.is_null()) return true;
  if (field.pointer || field.kept) return false;
  return value == Json("") || value == Json(0) || value == Json(false);
}

void decode_entry(pbf_reader& reader, const ProtoField& field, JsonObject& map, Budget& budget) {
  Json key("");
  Json value(nullptr);
  pbf_reader entry = message_in(reader);
  while (entry.next()) {
    if (entry.tag() == 1) {
      key = text_in(entry);
    } else if (entry.tag() == 2) {
      value = decode_value(entry, field, budget);
    } else {
      entry.skip();
    }
  }
  if (value.is_null() && field.type == Type::text) value = "";
  if (value.is_null() && field.type == Type::message) value = JsonObject();
  map[view(key.get_string())] = std::move(value);
}

// Go writes one number at a time; other writers may pack them.
void decode_item(pbf_reader& reader, const ProtoField& field, JsonArray& list, Budget& budget) {
  const bool is_number = field.type == Type::integer || field.type == Type::boolean;
  if (!is_number || reader.wire_type() != pbf_wire_type::length_delimited) {
    list.push_back(decode_value(reader, field, budget));
    return;
  }
  for (const auto value : reader.get_packed_int64()) {
    budget.spend();
    list.push_back(field.type == Type::boolean ? Json(value != 0) : Json(value));
  }
}

void decode_field(pbf_reader& reader, const ProtoField& field, JsonObject& object, Budget& budget) {
  budget.spend();
  if (field.embedded) {
    decode_message(message_in(reader), *field.message, object, budget);
  } else if (field.count == Count::map) {
    decode_entry(reader, field, child(object, field.name), budget);
  } else if (field.count == Count::list) {
    Json& list = object[field.name];
    if (!list.is_array()) list.emplace_array();
    decode_item(reader, field, list.get_array(), budget);
  } else if (field.type == Type::message && !field.message->is_choice) {
    // A message that comes in pieces is one message.
    decode_message(message_in(reader), *field.message, child(object, field.name), budget);
  } else {
    Json value = decode_value(reader, field, budget);
    if (!is_left_out(field, value)) object[field.name] = std::move(value);
  }
}

void decode_message(pbf_reader reader, const ProtoMessage& message, JsonObject& object,
                    Budget& budget) {
  if (budget.levels == 0) {
    throw std::length_error(fmt::format("more than {} levels", kLevelsMax));
  }
  --budget.levels;
  while (reader.next()) {
    const auto field = std::ranges::find(message.fields, reader.tag(), &ProtoField::number);
    if (field == message.fields.end()) {
      reader.skip();
    } else {
      decode_field(reader, *field, object, budget);
    }
  }
  ++budget.levels;
}

struct Envelope {
  std::string api_version = {};
  std::string kind = {};
  std::string_view object = {};
};

Envelope open_envelope(std::string_view body) {
  Envelope envelope;
  protozero::pbf_message<EnvelopeTag> reader(body.data(), body.size());
  while (reader.next()) {
    if (reader.tag() == EnvelopeTag::object) {
      envelope.object = bytes_in(reader);
    } else if (reader.tag() == EnvelopeTag::type) {
      protozero::pbf_message<TypeTag> type(message_in(reader));
      while (type.next()) {
        const TypeTag tag = type.tag();
        (tag == TypeTag::kind ? envelope.kind : envelope.api_version) = bytes_in(type);
      }
    } else {
      reader.skip();
    }
  }
  return envelope;
}

}  // namespace

Result<JsonObject> decode_protobuf(std::string_view body) {
  const auto broken = [] {
    return std::unexpected(bad_request("the body of the request is not Kubernetes protobuf"));
  };
  if (!body.starts_with(kProtobufMagic)) return broken();
  try {
    const Envelope envelope = open_envelope(body.substr(kProtobufMagic.size()));
    const ProtoMessage* message = proto_message(envelope.api_version, envelope.kind);
    if (message == nullptr) {
      return std::unexpected(bad_request(fmt::format(
          "no kind \"{}\" is registered for version \"{}\" in scheme \"pkg/runtime/scheme.go:111\"",
          runtime::valid_utf8(envelope.kind), runtime::valid_utf8(envelope.api_version))));
    }
    JsonObject object{{"apiVersion", envelope.api_version}, {"kind", envelope.kind}};
    Budget budget;
    decode_message({envelope.object.data(), envelope.object.size()}, *message, object, budget);
    return object;
  } catch (const std::length_error& error) {
    return std::unexpected(
        bad_request(fmt::format("the body of the request has {}", error.what())));
  } catch (const protozero::exception&) {
    return broken();
  }
}

}  // namespace dcm::apiserver
