// Semantic versions, strict 2.0.0 (semver.org).
#pragma once

#include <compare>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace dcm::cel {

// A semantic version 2.0.0. Views the text that it was parsed from.
struct Semver {
  std::uint64_t major = 0, minor = 0, patch = 0;
  std::string_view prerelease, build;  // without '-' and '+'

  // Strict. The error is a sentence without its subject ("No Major.Minor.Patch elements found").
  static std::expected<Semver, std::string> parse(std::string_view text);

  // Build metadata is ignored (point 10 of the specification).
  friend std::strong_ordering operator<=>(const Semver& a, const Semver& b);
  friend bool operator==(const Semver& a, const Semver& b) { return (a <=> b) == 0; }

  std::string text() const;
};

// Drops a leading "v" and leading zeros, and pads to three parts: "v01.2" becomes "1.2.0".
std::expected<std::string, std::string> normalize_semver(std::string_view text);

}  // namespace dcm::cel
