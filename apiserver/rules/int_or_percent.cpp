#include "apiserver/rules/int_or_percent.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace dcm::apiserver {

namespace {

// The number before the percent sign, or 100'000 if it is greater; nullopt if it is no percentage.
std::optional<std::int64_t> percent_of(const Json& value) {
  if (!value.is_string()) return std::nullopt;
  std::string_view text = view(value.get_string());
  if (text.size() < 2 || text.back() != '%') return std::nullopt;
  text.remove_suffix(1);
  if (!std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
  constexpr std::int64_t kMost = 100'000;
  std::int64_t number = kMost;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return std::min(number, kMost);
}

}  // namespace

void validate_int_or_percent(const Json& value, const std::string& path, Causes& causes) {
  if (value.is_int64()) {
    if (value.get_int64() >= 0) return;
    causes.push_back(invalid_value(path, value, "must be greater than or equal to 0"));
  } else if (value.is_string() && !percent_of(value)) {
    causes.push_back(invalid_value(
        path, value,
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  "
        "or '93%', regex used for validation is '[0-9]+%')"));
  }
}

void validate_at_most_100_percent(const Json& value, const std::string& path, Causes& causes) {
  if (percent_of(value).value_or(0) <= 100) return;
  causes.push_back(invalid_value(path, value, "must not be greater than 100%"));
}

std::int64_t amount_of(const Json& value) {
  return value.is_int64() ? value.get_int64() : percent_of(value).value_or(0);
}

}  // namespace dcm::apiserver
