// Checks of values that many kinds share, and the paths of items in their causes.
#pragma once

#include <cstdint>
#include <ranges>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// The number `name`, if set, must be at least `min`.
void require_at_least(std::int64_t min, const JsonObject& object, std::string_view name,
                      const std::string& path, Causes& causes);
// The numbers with these names, if set, must not be negative.
void validate_counts(const JsonObject& object, std::initializer_list<std::string_view> names,
                     const std::string& path, Causes& causes);
// Returns whether the number is in the range.
bool validate_range(std::int64_t number, std::int64_t min, std::int64_t max,
                    const std::string& path, Causes& causes);
inline constexpr std::int64_t kPortMax = 65535;
inline constexpr std::int64_t kDeadlineMax = 2'147'483'647;
void require_text(const JsonObject& object, std::string_view name, const std::string& path,
                  Causes& causes);
// The text must be one of the choices. Returns whether it is.
bool validate_choice(std::string_view text, std::initializer_list<std::string_view> choices,
                     const std::string& path, Causes& causes);
// The same, where a text is required; `why` follows "Required value: ".
void require_choice(std::string_view text, std::initializer_list<std::string_view> choices,
                    const std::string& path, Causes& causes, std::string_view why = {});
// "spec.devices.requests[3]".
std::string indexed(std::string_view path, std::size_t index);

// The texts of a member of the objects in the list, which may be thousands.
using Texts = std::set<std::string_view>;
Texts texts_of(const JsonArray& items, std::string_view member);

// The items of the list at `path`, each with its path: objects, and texts. An item of another type
// is an empty one.
template <const auto& read>
auto items_with_paths(const JsonArray& items, std::string path) {
  using Read = decltype(read(Json()));
  return std::views::iota(std::size_t{0}, items.size()) |
         std::views::transform([&items, path = std::move(path)](std::size_t index) {
           return std::pair<Read, std::string>(read(items[index]), indexed(path, index));
         });
}
inline auto with_paths(const JsonArray& objects, std::string path) {
  return items_with_paths<as_object>(objects, std::move(path));
}
inline auto texts_with_paths(const JsonArray& texts, std::string path) {
  return items_with_paths<as_text>(texts, std::move(path));
}

}  // namespace dcm::apiserver
