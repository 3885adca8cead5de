#include "runtime/json.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

namespace dcm::runtime {

namespace json = boost::json;

namespace {

// As many as API servers take. The parser needs 2 MiB of the stack for them.
constexpr std::size_t kLevelsMax = 10'000;

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

std::string text_at(const json::value& whole, std::string_view pointer) {
  const json::value* const found = find_at(whole, pointer);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

std::int64_t integer_at(const json::value& whole, std::string_view pointer) {
  const json::value* const found = find_at(whole, pointer);
  return found != nullptr && found->is_int64() ? found->get_int64() : 0;
}

const json::array& array_at(const json::value& whole, std::string_view pointer) {
  static const json::array kNone;
  const json::value* const found = find_at(whole, pointer);
  return found != nullptr && found->is_array() ? found->get_array() : kNone;
}

const json::object& object_at(const json::value& whole, std::string_view pointer) {
  static const json::object kNone;
  const json::value* const found = find_at(whole, pointer);
  return found != nullptr && found->is_object() ? found->get_object() : kNone;
}

}  // namespace dcm::runtime
