#include "runtime/json.hpp"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

namespace dcm::runtime {

namespace json = boost::json;

namespace {

// As many as API servers take. The parser needs 2 MiB of the stack for them.
constexpr std::size_t kLevelsMax = 10'000;

std::string text_of(const json::value* found) {
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

std::int64_t integer_of(const json::value* found) {
  return found != nullptr && found->is_int64() ? found->get_int64() : 0;
}

const json::array& array_of(const json::value* found) {
  static const json::array kNone;
  return found != nullptr && found->is_array() ? found->get_array() : kNone;
}

}  // namespace

Result<json::value> parse_json(std::string_view text) {
  boost::system::error_code problem;
  json::value value = json::parse(text, problem, {}, {.max_depth = kLevelsMax});
  if (problem) return fail(Reason::malformed, "not JSON: " + problem.message());
  return value;
}

Result<json::object> parse_json_object(std::string_view text) {
  Result<json::value> value = parse_json(text);
  if (!value) return fail(value.error());
  if (!value->is_object()) return fail(Reason::malformed, "not a JSON object");
  return std::move(value->get_object());
}

const json::value* find_at(const json::value& whole, std::string_view pointer) {
  boost::system::error_code none;
  return whole.find_pointer(pointer, none);
}

const json::value* find_at(const json::object& whole, std::string_view pointer) {
  if (!pointer.starts_with('/')) return nullptr;
  const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
  const json::value* const first = whole.if_contains(pointer.substr(1, end - 1));
  return first != nullptr ? find_at(*first, pointer.substr(end)) : nullptr;
}

std::string text_at(const json::value& whole, std::string_view pointer) {
  return text_of(find_at(whole, pointer));
}

std::string text_at(const json::object& whole, std::string_view pointer) {
  return text_of(find_at(whole, pointer));
}

std::int64_t integer_at(const json::value& whole, std::string_view pointer) {
  return integer_of(find_at(whole, pointer));
}

std::int64_t integer_at(const json::object& whole, std::string_view pointer) {
  return integer_of(find_at(whole, pointer));
}

const json::array& array_at(const json::value& whole, std::string_view pointer) {
  return array_of(find_at(whole, pointer));
}

const json::array& array_at(const json::object& whole, std::string_view pointer) {
  return array_of(find_at(whole, pointer));
}

const json::object& object_at(const json::value& whole, std::string_view pointer) {
  static const json::object kNone;
  const json::value* const found = find_at(whole, pointer);
  return found != nullptr && found->is_object() ? found->get_object() : kNone;
}

}  // namespace dcm::runtime
