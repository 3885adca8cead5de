#include "client/api/json/reader.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "client/api/format.hpp"

namespace dcm::api::json {
namespace {

constexpr std::size_t kKeyMax = 64;
constexpr std::size_t kNameMax = 320;  // of a namespace and an object

// Our own keys are printable; a key chosen by a user (a label's) may be anything.
bool is_presentable(std::string_view key, std::size_t most = kKeyMax) {
  return key.size() <= most &&
         std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

bool has_escape(std::string_view text) {
  return std::memchr(text.data(), '\\', text.size()) != nullptr;
}

}  // namespace

bool is_null(value field) {
  bool result = false;
  return field.is_null().get(result) == simdjson::SUCCESS && result;
}

bool Reader::count_item() {
  if (++items_ <= kItemsMax) return true;
  return fail(kTooManyItems);
}

bool Reader::view(value string, std::string_view& out) {
  out = {};
  // The token extends to the start of the next one, so its end needs no search. Without escapes,
  // which is nearly always the case, the text needs no copy. (Stage one has checked UTF-8, control
  // characters and the closing quote.)
  const std::string_view token = string.raw_json_token();
  if (token.empty() || token.front() != '"' || has_escape(token)) {
    const auto code = string.get_string().get(out);
    return code == simdjson::SUCCESS || null_or_fail(string, code, "a string");
  }
  if (const auto code = string.get_raw_json_string().error()) return fail(code, "a string");
  out = token.substr(1, token.rfind('"') - 1);
  return true;
}

bool Reader::flag(value boolean, bool& out) {
  const auto code = boolean.get_bool().get(out);
  return code == simdjson::SUCCESS || null_or_fail(boolean, code, "true or false");
}

bool Reader::integer(value number, std::int64_t& out) {
  const auto code = number.get_int64().get(out);
  return code == simdjson::SUCCESS || null_or_fail(number, code, "an integer");
}

bool Reader::null_or_fail(value scalar, simdjson::error_code code, std::string_view expected) {
  return is_null(scalar) || fail(code, expected);
}

bool Reader::key_of(ondemand::field& field, std::string_view& out) {
  const char* const begin = field.key().raw();
  const char* end = begin;
  while (*end != '"' && *end != '\\') ++end;
  out = std::string_view(begin, static_cast<std::size_t>(end - begin));
  if (*end == '"') return true;
  const auto code = field.unescaped_key().get(out);
  return code == simdjson::SUCCESS || fail(code, "a key");
}

bool Reader::fail(std::string_view why) {
  why_ = why;
  return false;
}

bool Reader::fail(simdjson::error_code code, std::string_view expected) {
  if (code == simdjson::INCORRECT_TYPE) return fail(fmt::format("expected {}", expected));
  return fail(simdjson::error_message(code));
}

bool Reader::missing(std::string_view field) {
  path_ = field;
  return fail("missing");
}

bool Reader::within(std::string_view key) {
  if (!path_.empty() && path_.front() != '[') path_.insert(0, ".");
  path_.insert(0, is_presentable(key) ? key : "(key)");
  return false;
}

bool Reader::within(std::size_t index) {
  if (!path_.empty() && path_.front() != '[') path_.insert(0, ".");
  path_.insert(0, fmt::format("[{}]", index));
  return false;
}

void Reader::blame(std::string_view object) {
  if (is_presentable(object, kNameMax)) object_ = object;
}

runtime::Error Reader::error() const {
  std::string text = path_.empty() ? "JSON: " + why_ : fmt::format("JSON: {}: {}", path_, why_);
  if (!object_.empty()) text += fmt::format(" (in {})", object_);
  return {runtime::Reason::malformed, std::move(text)};
}

}  // namespace dcm::api::json
