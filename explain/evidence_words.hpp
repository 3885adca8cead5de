// How evidence is quoted in sentences: messages of other components, times, and advice by parts of
// messages.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "runtime/one_line.hpp"
#include "runtime/time_words.hpp"

namespace dcm::explain {

// Advice by a part of a message. The first matching row counts.
struct Advice {
  std::string_view part;
  std::string_view text;
};

template <std::size_t size>
std::string_view advice_about(std::string_view message, const std::array<Advice, size>& table) {
  const auto row = std::ranges::find_if(
      table, [&](const Advice& advice) { return message.contains(advice.part); });
  return row == table.end() ? std::string_view() : row->text;
}

inline std::string quote(std::string_view message) {
  constexpr std::size_t kQuotedMax = 1000;
  return fmt::format("\"{}\"", runtime::one_line(runtime::cut_utf8(message, kQuotedMax)));
}

inline std::string with(const std::string& text, std::string_view advice) {
  return advice.empty() ? text : fmt::format("{} {}", text, advice);
}

// " at 2027-03-01T09:00:00Z (1 min 0 s ago)", or "".
inline std::string at(std::optional<runtime::WallTime> when, runtime::WallTime now) {
  return when ? fmt::format(" at {}", runtime::in_words(*when, now)) : std::string();
}

}  // namespace dcm::explain
