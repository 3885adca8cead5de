#include "apiserver/rules/checks.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace dcm::apiserver {

void require_at_least(std::int64_t min, const JsonObject& object, std::string_view name,
                      const std::string& path, Causes& causes) {
  const auto number = integer_at(object, {name});
  if (!number || *number >= min) return;
  causes.push_back(invalid_value(fmt::format("{}.{}", path, name), Json(*number),
                                 fmt::format("must be greater than or equal to {}", min)));
}

void validate_counts(const JsonObject& object, std::initializer_list<std::string_view> names,
                     const std::string& path, Causes& causes) {
  for (const std::string_view name : names) require_at_least(0, object, name, path, causes);
}

bool validate_range(std::int64_t number, std::int64_t min, std::int64_t max,
                    const std::string& path, Causes& causes) {
  if (number >= min && number <= max) return true;
  causes.push_back(invalid_value(path, Json(number),
                                 fmt::format("must be between {} and {}, inclusive", min, max)));
  return false;
}

void require_text(const JsonObject& object, std::string_view name, const std::string& path,
                  Causes& causes) {
  if (text_at(object, {name}).empty())
    causes.push_back(required_value(fmt::format("{}.{}", path, name)));
}

bool validate_choice(std::string_view text, std::initializer_list<std::string_view> choices,
                     const std::string& path, Causes& causes) {
  if (std::ranges::find(choices, text) != choices.end()) return true;
  causes.push_back(not_supported(path, Json(text), choices));
  return false;
}

void require_choice(std::string_view text, std::initializer_list<std::string_view> choices,
                    const std::string& path, Causes& causes, std::string_view why) {
  if (text.empty()) return causes.push_back(required_value(path, why));
  validate_choice(text, choices, path, causes);
}

Texts texts_of(const JsonArray& items, std::string_view member) {
  Texts texts;
  for (const Json& item : items) texts.insert(text_at(as_object(item), {member}));
  return texts;
}

std::string indexed(std::string_view path, std::size_t index) {
  return fmt::format("{}[{}]", path, index);
}

}  // namespace dcm::apiserver
