// Texts about the CEL expressions of users: rules of definitions and admission policies.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "apiserver/text/words.hpp"

namespace dcm::apiserver {

inline constexpr std::string_view kOutOfBudget =
    "validation failed due to running out of cost budget, no further validation rules will be run";

// The result of a message expression as clients see it; empty if it is too long or has several
// lines.
inline std::string shown_message(std::string_view result) {
  constexpr std::size_t kBytesMax = 5 * 1024;
  const std::string_view message = trimmed(result);
  const bool is_shown = message.size() <= kBytesMax && !message.contains('\n');
  return is_shown ? std::string(message) : std::string();
}

}  // namespace dcm::apiserver
