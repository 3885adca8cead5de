#include "cel/library.hpp"
#include "cel/numbers.hpp"
#include "cel/text.hpp"
#include "cel/time.hpp"
#include "cel/types.hpp"

namespace dcm::cel {
namespace {

using Args = std::span<const Value>;

Value same(Args args, Frame&) {
  return args[0];
}

template <typename T, typename Make>
Value value_or(const std::optional<T>& value, Make make, std::string_view error) {
  return value ? make(*value) : Value::error(error);
}

constexpr std::string_view kIntegerOverflow = "integer overflow",
                           kUnsignedOverflow = "unsigned integer overflow";

Value string_to_bool(Args args, Frame&) {
  const auto text = args[0].as_text();
  for (const std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"})
    if (text == yes) return Value::boolean(true);
  for (const std::string_view no : {"0", "f", "F", "false", "FALSE", "False"})
    if (text == no) return Value::boolean(false);
  return Value::error("type conversion error from 'string' to 'bool'");
}

Value string_to_bytes(Args args, Frame&) {
  return Value::bytes(args[0].as_text());
}

Value integer_to_real(Args args, Frame&) {
  return Value::real(static_cast<double>(args[0].as_integer()));
}
Value unsigned_to_real(Args args, Frame&) {
  return Value::real(static_cast<double>(args[0].as_unsigned()));
}
Value string_to_real(Args args, Frame&) {
  return value_or(parse_real(args[0].as_text()), Value::real,
                  "type conversion error from 'string' to 'double'");
}

Value real_to_integer(Args args, Frame&) {
  return value_or(to_integer(args[0].as_real()), Value::integer, kIntegerOverflow);
}
Value string_to_integer(Args args, Frame&) {
  return value_or(parse_integer(args[0].as_text()), Value::integer,
                  "type conversion error from 'string' to 'int'");
}
Value seconds_to_integer(Args args, Frame&) {
  return Value::integer(args[0].as_integer());
}  // nanoseconds of durations
Value unsigned_to_integer(Args args, Frame&) {
  if (args[0].as_unsigned() > static_cast<std::uint64_t>(INT64_MAX))
    return Value::error(kIntegerOverflow);
  return Value::integer(static_cast<std::int64_t>(args[0].as_unsigned()));
}

Value integer_to_unsigned(Args args, Frame&) {
  if (args[0].as_integer() < 0) return Value::error(kUnsignedOverflow);
  return Value::unsigned_integer(static_cast<std::uint64_t>(args[0].as_integer()));
}
Value real_to_unsigned(Args args, Frame&) {
  return value_or(to_unsigned(args[0].as_real()), Value::unsigned_integer, kUnsignedOverflow);
}
Value string_to_unsigned(Args args, Frame&) {
  return value_or(parse_unsigned(args[0].as_text()), Value::unsigned_integer,
                  "type conversion error from 'string' to 'uint'");
}

Value string_of(std::string_view text, Frame& frame) {
  return Value::string(frame.arena.copy(text));
}

Value scalar_to_string(Args args, Frame& frame) {
  return string_of(describe(args[0], frame.arena), frame);
}
Value bytes_to_string(Args args, Frame&) {
  if (!is_utf8(args[0].as_text()))
    return Value::error("invalid UTF-8 in bytes, cannot convert to string");
  return Value::string(args[0].as_text());
}
Value timestamp_to_string(Args args, Frame& frame) {
  return string_of(text_of_timestamp(args[0]), frame);
}
Value duration_to_string(Args args, Frame& frame) {
  return string_of(text_of_duration(args[0].as_integer()), frame);
}

Value string_to_duration(Args args, Frame&) {
  return parse_duration(args[0].as_text())
      .value_or(Value::error("type conversion error from 'string' to 'google.protobuf.Duration'"));
}
Value string_to_timestamp(Args args, Frame&) {
  return parse_timestamp(args[0].as_text())
      .value_or(Value::error("type conversion error from 'string' to 'google.protobuf.Timestamp'"));
}
Value integer_to_timestamp(Args args, Frame&) {
  if (!is_timestamp(args[0].as_integer())) return Value::error("timestamp overflow");
  return Value::timestamp(args[0].as_integer(), 0);
}

Value type_of(Args args, Frame& frame) {
  if (const Type* const type = type_of_kind(args[0].kind())) return Value::type(type);
  return Value::type(frame.arena.make<Type>(Type::Kind::object, args[0].as_object().of->type_name));
}

constexpr FunctionRow kRows[] = {
    {"bool(bool) bool", same},
    {"bool(string) bool", string_to_bool},
    {"bytes(bytes) bytes", same},
    {"bytes(string) bytes", string_to_bytes, CostRule::to_bytes},
    {"double(double) double", same},
    {"double(int) double", integer_to_real},
    {"double(string) double", string_to_real},
    {"double(uint) double", unsigned_to_real},
    {"dyn(A) dyn", same},
    {"duration(duration) duration", same},
    {"duration(string) duration", string_to_duration},
    {"int(int) int", same},
    {"int(double) int", real_to_integer},
    {"int(duration) int", seconds_to_integer},
    {"int(string) int", string_to_integer},
    {"int(timestamp) int", seconds_to_integer},
    {"int(uint) int", unsigned_to_integer},
    {"string(string) string", same},
    {"string(bool) string", scalar_to_string},
    {"string(bytes) string", bytes_to_string, CostRule::to_text},
    {"string(double) string", scalar_to_string},
    {"string(duration) string", duration_to_string},
    {"string(int) string", scalar_to_string},
    {"string(timestamp) string", timestamp_to_string},
    {"string(uint) string", scalar_to_string},
    {"timestamp(timestamp) timestamp", same},
    {"timestamp(int) timestamp", integer_to_timestamp},
    {"timestamp(string) timestamp", string_to_timestamp},
    {"type(A) type(A)", type_of},
    {"uint(uint) uint", same},
    {"uint(double) uint", real_to_unsigned},
    {"uint(int) uint", integer_to_unsigned},
    {"uint(string) uint", string_to_unsigned},
};

}  // namespace

std::span<const FunctionRow> conversions() {
  return kRows;
}

}  // namespace dcm::cel
