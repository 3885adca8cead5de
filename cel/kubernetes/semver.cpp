#include "cel/kubernetes/semver.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "cel/ascii.hpp"
#include "cel/text.hpp"

namespace dcm::cel {
namespace {

using Error = std::unexpected<std::string>;

bool is_word(char c) {
  return is_digit(c) || is_letter(c) || c == '-';
}

// Cuts off the part before `separator`; without one, everything.
std::string_view cut(std::string_view& text, char separator) {
  const auto end = text.find(separator);
  const auto part = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return part;
}

std::expected<std::uint64_t, std::string> number(std::string_view digits) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc{}) return value;
  return Error("strconv.ParseUint: parsing " + quoted(digits) +
               (digits.empty() ? ": invalid syntax" : ": value out of range"));
}

bool has_leading_zero(std::string_view digits) {
  return digits.size() > 1 && digits[0] == '0';
}

std::expected<std::uint64_t, std::string> part(std::string_view digits, std::string_view lower,
                                               std::string_view upper) {
  if (!std::ranges::all_of(digits, is_digit))
    return Error("Invalid character(s) found in " + std::string(lower) + " number " +
                 quoted(digits));
  if (has_leading_zero(digits))
    return Error(std::string(upper) + " number must not contain leading zeroes " + quoted(digits));
  return number(digits);
}

// The first error among the identifiers between the dots.
std::optional<std::string> fault_of_prerelease(std::string_view text) {
  for (bool more = true; more;) {
    more = text.contains('.');
    const auto word = cut(text, '.');
    if (word.empty()) return "Prerelease is empty";
    if (std::ranges::all_of(word, is_digit)) {
      if (has_leading_zero(word))
        return "Numeric PreRelease version must not contain leading zeroes " + quoted(word);
      if (const auto value = number(word); !value) return value.error();
    } else if (!std::ranges::all_of(word, is_word)) {
      return "Invalid character(s) found in prerelease " + quoted(word);
    }
  }
  return std::nullopt;
}

std::optional<std::string> fault_of_build(std::string_view text) {
  for (bool more = true; more;) {
    more = text.contains('.');
    const auto word = cut(text, '.');
    if (word.empty()) return "Build meta data is empty";
    if (!std::ranges::all_of(word, is_word))
      return "Invalid character(s) found in build meta data " + quoted(word);
  }
  return std::nullopt;
}

// Numbers before words; numbers by value, words by byte.
std::strong_ordering compare_identifiers(std::string_view a, std::string_view b) {
  const bool a_is_number = std::ranges::all_of(a, is_digit),
             b_is_number = std::ranges::all_of(b, is_digit);
  if (a_is_number != b_is_number) return b_is_number <=> a_is_number;
  if (a_is_number && a.size() != b.size()) return a.size() <=> b.size();
  return a <=> b;
}

std::strong_ordering compare_prereleases(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty())
    return a.empty() <=> b.empty();  // a release is later than its prereleases
  while (!a.empty() && !b.empty())
    if (const auto order = compare_identifiers(cut(a, '.'), cut(b, '.')); order != 0) return order;
  return b.empty() <=> a.empty();
}

}  // namespace

std::expected<Semver, std::string> Semver::parse(std::string_view text) {
  if (text.empty()) return Error("Version string empty");
  if (std::ranges::count(text, '.') < 2) return Error("No Major.Minor.Patch elements found");
  Semver version;
  const auto major = part(cut(text, '.'), "major", "Major");
  if (!major) return Error(major.error());
  const auto minor = part(cut(text, '.'), "minor", "Minor");
  if (!minor) return Error(minor.error());
  const auto plus = text.find('+');
  const bool has_build = plus != text.npos;
  if (has_build) version.build = text.substr(plus + 1);
  text = text.substr(0, plus);
  const auto minus = text.find('-');
  const bool has_prerelease = minus != text.npos;
  if (has_prerelease) version.prerelease = text.substr(minus + 1);
  const auto patch = part(text.substr(0, minus), "patch", "Patch");
  if (!patch) return Error(patch.error());
  if (has_prerelease)
    if (auto fault = fault_of_prerelease(version.prerelease)) return Error(*std::move(fault));
  if (has_build)
    if (auto fault = fault_of_build(version.build)) return Error(*std::move(fault));
  version.major = *major;
  version.minor = *minor;
  version.patch = *patch;
  return version;
}

std::strong_ordering operator<=>(const Semver& a, const Semver& b) {
  if (const auto order = a.major <=> b.major; order != 0) return order;
  if (const auto order = a.minor <=> b.minor; order != 0) return order;
  if (const auto order = a.patch <=> b.patch; order != 0) return order;
  return compare_prereleases(a.prerelease, b.prerelease);
}

std::string Semver::text() const {
  std::string text =
      std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
  if (!prerelease.empty()) text.append("-").append(prerelease);
  if (!build.empty()) text.append("+").append(build);
  return text;
}

std::expected<std::string, std::string> normalize_semver(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  const auto parts = std::min<std::ptrdiff_t>(std::ranges::count(text, '.'), 2) + 1;
  std::string normal;
  std::string_view part;
  for (int i = 0; i < parts; ++i) {
    part = i < 2 ? cut(text, '.') : text;
    if (i > 0) normal.push_back('.');
    if (part.size() > 1) {
      part.remove_prefix(std::min(part.find_first_not_of('0'), part.size()));
      if (part.empty() || !is_digit(part[0])) normal.push_back('0');
    }
    normal += part;
  }
  if (parts < 3 && part.find_first_of("+-") != part.npos)
    return Error("short version cannot contain PreRelease/Build meta data");
  for (auto i = parts; i < 3; ++i) normal += ".0";
  return normal;
}

}  // namespace dcm::cel
