#include "cel/unicode_class.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <utility>

#include "cel/ascii.hpp"

namespace dcm::cel {
namespace {

// unicode.CategoryAliases of Go, as canonical() writes them.
constexpr auto kAliases = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"Casedletter", "Lc"},
    {"Closepunctuation", "Pe"},
    {"Cntrl", "Cc"},
    {"Combiningmark", "M"},
    {"Connectorpunctuation", "Pc"},
    {"Control", "Cc"},
    {"Currencysymbol", "Sc"},
    {"Dashpunctuation", "Pd"},
    {"Decimalnumber", "Nd"},
    {"Digit", "Nd"},
    {"Enclosingmark", "Me"},
    {"Finalpunctuation", "Pf"},
    {"Format", "Cf"},
    {"Initialpunctuation", "Pi"},
    {"Letter", "L"},
    {"Letternumber", "Nl"},
    {"Lineseparator", "Zl"},
    {"Lowercaseletter", "Ll"},
    {"Mark", "M"},
    {"Mathsymbol", "Sm"},
    {"Modifierletter", "Lm"},
    {"Modifiersymbol", "Sk"},
    {"Nonspacingmark", "Mn"},
    {"Number", "N"},
    {"Openpunctuation", "Ps"},
    {"Other", "C"},
    {"Otherletter", "Lo"},
    {"Othernumber", "No"},
    {"Otherpunctuation", "Po"},
    {"Othersymbol", "So"},
    {"Paragraphseparator", "Zp"},
    {"Privateuse", "Co"},
    {"Punct", "P"},
    {"Punctuation", "P"},
    {"Separator", "Z"},
    {"Spaceseparator", "Zs"},
    {"Spacingmark", "Mc"},
    {"Surrogate", "Cs"},
    {"Symbol", "S"},
    {"Titlecaseletter", "Lt"},
    {"Unassigned", "Cn"},
    {"Uppercaseletter", "Lu"},
});

constexpr std::string_view kUnassigned =
#include "cel/unassigned.inc"
    ;

enum class Side : std::uint8_t { none, members, others };

// Classes that RE2 does not know by a name, or (C) knows without the unassigned characters.
struct CombinedClass {
  std::string_view name;
  std::string_view members;  // inside of brackets
  std::string_view others;
  Side unassigned = Side::none;  // where these are to be added
};
constexpr CombinedClass kCombined[] = {
    {"Ascii", "[:ascii:]", "[:^ascii:]"},
    {"Assigned", R"(\pL\pM\pN\pP\pS\pZ\pC)", "", Side::others},
    {"C", R"(\pC)", R"(\pL\pM\pN\pP\pS\pZ)", Side::members},
    {"Cn", "", R"(\pL\pM\pN\pP\pS\pZ\pC)", Side::members},
    {"Lc", R"(\p{Lu}\p{Ll}\p{Lt})", R"(\p{Lm}\p{Lo}\pM\pN\pP\pS\pZ\pC)", Side::others},
};

// Drops blanks, dashes and underscores, and writes only the first letter in upper case, as Go does.
// No script of several words (Old_Italic) has such a name, so Go refuses them.
std::string canonical(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '_' || c == '-' || c == ' ') continue;
    const bool is_large = c >= 'A' && c <= 'Z';
    const bool is_small = c >= 'a' && c <= 'z';
    constexpr char kBetweenCases = 'a' - 'A';
    out += out.empty() && is_small    ? static_cast<char>(c - kBetweenCases)
           : !out.empty() && is_large ? static_cast<char>(c + kBetweenCases)
                                      : c;
  }
  return out;
}

std::string in_brackets(const CombinedClass& of, bool is_negated) {
  std::string text(is_negated ? of.others : of.members);
  if (of.unassigned == (is_negated ? Side::others : Side::members)) text += kUnassigned;
  return text;
}

}  // namespace

std::optional<UnicodeClass> unicode_class_at_start(std::string_view pattern) {
  const bool is_negated = pattern.starts_with("\\P");
  if (!is_negated && !pattern.starts_with("\\p")) return std::nullopt;
  if (pattern.size() < 3 || static_cast<unsigned char>(pattern[2]) > 0x7f) return std::nullopt;
  UnicodeClass found{.text = pattern.substr(0, 3), .is_negated = is_negated};
  std::string_view name = pattern.substr(2, 1);
  if (name == "{") {
    const std::size_t end = pattern.find('}');
    if (end == pattern.npos) return std::nullopt;
    found.text = pattern.substr(0, end + 1);
    name = pattern.substr(3, end - 3);
    if (name.starts_with('^')) {
      found.is_negated = !is_negated;
      name.remove_prefix(1);
    }
  }
  found.name = canonical(name);
  const auto alias = std::ranges::find(kAliases, found.name,
                                       &std::pair<std::string_view, std::string_view>::first);
  if (alias != kAliases.end()) found.name = alias->second;
  const auto* const combined = std::ranges::find(kCombined, found.name, &CombinedClass::name);
  found.is_combined = combined != std::end(kCombined);
  found.in_brackets = found.is_combined ? in_brackets(*combined, found.is_negated)
                                        : (found.is_negated ? "\\P{" : "\\p{") + found.name + "}";
  return found;
}

}  // namespace dcm::cel
