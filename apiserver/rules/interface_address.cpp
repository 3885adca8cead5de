#include "apiserver/rules/interface_address.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apiserver/text/words.hpp"

namespace dcm::apiserver {

namespace {

using Groups = std::array<std::uint16_t, 8>;
using Bytes = std::array<std::uint8_t, 4>;

template <class T>
std::optional<T> number(std::string_view text, int base, std::size_t digits_max) {
  T value{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  const bool is_all = failed == std::errc() && end == text.data() + text.size();
  if (!is_all || text.empty() || text.size() > digits_max || text.front() == '-') return {};
  return value;
}

std::optional<Bytes> parse_ipv4(std::string_view text) {
  const auto parts = split(text, '.');
  if (parts.size() != 4) return std::nullopt;
  Bytes bytes{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto byte = number<std::uint8_t>(parts[i], 10, parts[i].size());
    if (!byte) return std::nullopt;
    bytes[i] = *byte;
  }
  return bytes;
}

// Colon-separated groups, the last of which may be an IPv4 address.
std::optional<std::vector<std::uint16_t>> parse_groups(std::string_view text) {
  std::vector<std::uint16_t> groups;
  if (text.empty()) return groups;
  const auto parts = split(text, ':');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i + 1 == parts.size() && parts[i].contains('.')) {
      const auto bytes = parse_ipv4(parts[i]);
      if (!bytes) return std::nullopt;
      for (const std::size_t half : {0U, 2U}) {
        groups.push_back(static_cast<std::uint16_t>((*bytes)[half] << 8 | (*bytes)[half + 1]));
      }
    } else if (const auto group = number<std::uint16_t>(parts[i], 16, 4)) {
      groups.push_back(*group);
    } else {
      return std::nullopt;
    }
  }
  return groups;
}

std::optional<Groups> parse_ipv6(std::string_view text) {
  const auto gap = text.find("::");
  const auto head = parse_groups(text.substr(0, gap));
  if (!head) return std::nullopt;
  Groups groups{};
  std::ranges::copy_n(head->begin(),
                      static_cast<std::ptrdiff_t>(std::min<std::size_t>(head->size(), 8)),
                      groups.begin());
  if (gap == std::string_view::npos) {
    return head->size() == groups.size() ? std::optional(groups) : std::nullopt;
  }
  const auto tail = parse_groups(text.substr(gap + 2));
  if (!tail || head->size() + tail->size() >= groups.size()) return std::nullopt;
  std::ranges::copy(*tail, groups.end() - static_cast<std::ptrdiff_t>(tail->size()));
  return groups;
}

// The longest run of two or more zeros, the first of equal ones; empty if there is none.
std::pair<std::size_t, std::size_t> longest_gap(const Groups& groups) {
  std::pair<std::size_t, std::size_t> longest{0, 0};
  for (std::size_t begin = 0; begin < groups.size(); ++begin) {
    std::size_t end = begin;
    while (end < groups.size() && groups[end] == 0) ++end;
    const std::size_t most = longest.second - longest.first;
    if (end - begin >= 2 && end - begin > most) longest = {begin, end};
  }
  return longest;
}

std::string to_text(const Groups& groups) {
  const auto [begin, end] = longest_gap(groups);
  const auto hex = [](auto from, auto to) {
    std::string text;
    for (; from != to; ++from) text += fmt::format("{}{:x}", text.empty() ? "" : ":", *from);
    return text;
  };
  if (begin == end) return hex(groups.begin(), groups.end());
  const auto at = [&](std::size_t index) {
    return groups.begin() + static_cast<std::ptrdiff_t>(index);
  };
  return hex(groups.begin(), at(begin)) + "::" + hex(at(end), groups.end());
}

std::string to_text(const Bytes& bytes) {
  return fmt::format("{}", fmt::join(bytes, "."));
}

// The IPv4 address within ::ffff:0:0/96.
std::optional<Bytes> mapped(const Groups& groups) {
  const bool is_mapped = std::ranges::all_of(groups.begin(), groups.begin() + 5,
                                             [](auto group) { return group == 0; }) &&
                         groups[5] == 0xffff;
  if (!is_mapped) return std::nullopt;
  const auto high = [](std::uint16_t group) { return static_cast<std::uint8_t>(group >> 8); };
  const auto low = [](std::uint16_t group) { return static_cast<std::uint8_t>(group & 0xff); };
  return Bytes{high(groups[6]), low(groups[6]), high(groups[7]), low(groups[7])};
}

}  // namespace

std::optional<std::string> canonical_interface_address(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view address = text.substr(0, slash);
  const std::string_view mask = text.substr(slash + 1);
  const auto bits = number<unsigned>(mask, 10, mask.size());
  if (!bits) return std::nullopt;
  if (!address.contains(':')) {
    const auto bytes = parse_ipv4(address);
    if (!bytes || *bits > 32) return std::nullopt;
    return fmt::format("{}/{}", to_text(*bytes), *bits);
  }
  const auto groups = parse_ipv6(address);
  if (!groups || *bits > 128) return std::nullopt;
  if (const auto bytes = mapped(*groups)) {
    return fmt::format("{}/{}", to_text(*bytes), *bits > 32 ? *bits - 96 : *bits);
  }
  return fmt::format("{}/{}", to_text(*groups), *bits);
}

}  // namespace dcm::apiserver
