#include "cel/messages.hpp"

namespace dcm::cel {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kSecondsMax = 315'576'000'000;

std::int64_t field(std::span<const std::string_view> fields, std::span<const Value> values,
                   std::string_view name) {
  std::int64_t value = 0;
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (fields[i] == name && values[i].is(Kind::integer)) value = values[i].as_integer();
  return value;
}

Value duration(std::span<const std::string_view> fields, std::span<const Value> values, Arena&) {
  const auto seconds = field(fields, values, "seconds");
  if (seconds > kSecondsMax || seconds < -kSecondsMax) return Value::error("duration out of range");
  std::int64_t total = 0;
  if (__builtin_mul_overflow(seconds, kSecond, &total) ||
      __builtin_add_overflow(total, field(fields, values, "nanos"), &total))
    return Value::error("duration out of range");
  return Value::duration(total);
}

Value timestamp(std::span<const std::string_view> fields, std::span<const Value> values, Arena&) {
  const auto nanos = field(fields, values, "nanos");
  if (nanos < 0 || nanos >= kSecond) return Value::error("timestamp out of range");
  return Value::timestamp(field(fields, values, "seconds"), static_cast<std::uint32_t>(nanos));
}

template <Value (*kZero)()>
Value wrapped(std::span<const std::string_view>, std::span<const Value> values, Arena&) {
  return values.empty() ? kZero() : values.back();
}

Value zero_boolean() {
  return Value::boolean(false);
}
Value zero_integer() {
  return Value::integer(0);
}
Value zero_unsigned() {
  return Value::unsigned_integer(0);
}
Value zero_real() {
  return Value::real(0);
}
Value zero_string() {
  return Value::string("");
}
Value zero_bytes() {
  return Value::bytes("");
}
Value null() {
  return Value();
}

Value short_real(std::span<const std::string_view> fields, std::span<const Value> values,
                 Arena& arena) {
  const Value value = wrapped<zero_real>(fields, values, arena);
  return value.is(Kind::real)
             ? Value::real(static_cast<double>(static_cast<float>(value.as_real())))
             : value;
}

Value empty_list(std::span<const std::string_view>, std::span<const Value> values, Arena& arena) {
  return values.empty() ? make_list({}, arena) : values.back();
}

Value empty_map(std::span<const std::string_view>, std::span<const Value> values, Arena& arena) {
  return values.empty() ? make_map({}, arena) : values.back();
}

// No schema is known here, so nothing can be unpacked.
Value any(std::span<const std::string_view> fields, std::span<const Value> values, Arena& arena) {
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (fields[i] == "type_url" && values[i].is(Kind::string)) {
      const auto url = values[i].as_text();
      return make_error(arena, "unknown type: '", url.substr(url.rfind('/') + 1), "'");
    }
  return Value::error("unsupported conversion to ref.Val: (*dynamicpb.Message)");
}

using Field = Message::Field;
constexpr const Type* kDynamic[] = {&types::dyn};
constexpr const Type* kNamedDynamic[] = {&types::string, &types::dyn};
constexpr Type kList(Type::Kind::list, "list", kDynamic);
constexpr Type kMap(Type::Kind::map, "map", kNamedDynamic);

constexpr const Type* kBoolean[] = {&types::boolean};
constexpr const Type* kInteger[] = {&types::integer};
constexpr const Type* kUnsigned[] = {&types::unsigned_integer};
constexpr const Type* kReal[] = {&types::real};
constexpr const Type* kString[] = {&types::string};
constexpr const Type* kBytes[] = {&types::bytes};
constexpr Type wrapper_of(std::span<const Type* const> of) {
  return {Type::Kind::wrapper, "wrapper", of};
}
constexpr Type kBooleanValue = wrapper_of(kBoolean), kIntegerValue = wrapper_of(kInteger),
               kUnsignedValue = wrapper_of(kUnsigned), kRealValue = wrapper_of(kReal),
               kStringValue = wrapper_of(kString), kBytesValue = wrapper_of(kBytes);

constexpr Field kTime[] = {{"seconds", &types::integer}, {"nanos", &types::integer}};
constexpr Field kBooleanField[] = {{"value", &types::boolean}};
constexpr Field kIntegerField[] = {{"value", &types::integer}};
constexpr Field kUnsignedField[] = {{"value", &types::unsigned_integer}};
constexpr Field kRealField[] = {{"value", &types::real}};
constexpr Field kStringField[] = {{"value", &types::string}};
constexpr Field kBytesField[] = {{"value", &types::bytes}};
constexpr Field kListField[] = {{"values", &kList}};
constexpr Field kStructField[] = {{"fields", &kMap}};
constexpr Field kValueFields[] = {{"null_value", &types::null},     {"number_value", &types::real},
                                  {"string_value", &types::string}, {"bool_value", &types::boolean},
                                  {"struct_value", &kMap},          {"list_value", &kList}};
constexpr Field kAnyFields[] = {{"type_url", &types::string}, {"value", &types::bytes}};

constexpr Message kMessages[] = {
    {"google.protobuf.Duration", &types::duration, kTime, duration},
    {"google.protobuf.Timestamp", &types::timestamp, kTime, timestamp},
    {"google.protobuf.BoolValue", &kBooleanValue, kBooleanField, wrapped<zero_boolean>},
    {"google.protobuf.Int64Value", &kIntegerValue, kIntegerField, wrapped<zero_integer>},
    {"google.protobuf.Int32Value", &kIntegerValue, kIntegerField, wrapped<zero_integer>},
    {"google.protobuf.UInt64Value", &kUnsignedValue, kUnsignedField, wrapped<zero_unsigned>},
    {"google.protobuf.UInt32Value", &kUnsignedValue, kUnsignedField, wrapped<zero_unsigned>},
    {"google.protobuf.DoubleValue", &kRealValue, kRealField, wrapped<zero_real>},
    {"google.protobuf.FloatValue", &kRealValue, kRealField, short_real},
    {"google.protobuf.StringValue", &kStringValue, kStringField, wrapped<zero_string>},
    {"google.protobuf.BytesValue", &kBytesValue, kBytesField, wrapped<zero_bytes>},
    {"google.protobuf.ListValue", &kList, kListField, empty_list},
    {"google.protobuf.Struct", &kMap, kStructField, empty_map},
    {"google.protobuf.Value", &types::dyn, kValueFields, wrapped<null>},
    {"google.protobuf.Any", &types::any, kAnyFields, any},
};

}  // namespace

const Message* find_message(std::string_view name) {
  if (name.starts_with('.')) name.remove_prefix(1);
  for (const Message& message : kMessages)
    if (message.name == name) return &message;
  return nullptr;
}

const Type* field_type(const Message& message, std::string_view field) {
  for (const Field& known : message.fields)
    if (known.name == field) return known.type;
  return nullptr;
}

}  // namespace dcm::cel
