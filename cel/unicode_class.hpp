// Character classes in patterns, as in Go's regexp: `\pN`, `\p{Greek}`, `\P{letter}`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dcm::cel {

struct UnicodeClass {
  std::string_view text;  // as it is written
  bool is_negated = false;
  std::string name = {};  // RE2's, if it knows the class: "N", "Greek", "L"
  // In RE2's syntax, inside of brackets. It may be long: unassigned characters are listed.
  std::string in_brackets = {};
  bool is_combined = false;  // of classes that RE2 knows, and has no other name
};

// The class at the start of a pattern; nullopt: there is none, or it is incomplete.
std::optional<UnicodeClass> unicode_class_at_start(std::string_view pattern);

}  // namespace dcm::cel
