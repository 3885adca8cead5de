#include "apiserver/model/version_order.hpp"

#include <charconv>
#include <cstdint>
#include <optional>
#include <tuple>

namespace dcm::apiserver {

namespace {

struct Parts {
  int stability;  // 2: stable, 1: beta, 0: alpha
  std::uint64_t major;
  std::uint64_t minor;
};

std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || text.front() == '0') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Of "v1", "v1beta2".
std::optional<Parts> parts_of(std::string_view version) {
  if (!take(version, "v")) return std::nullopt;
  const auto major = take_number(version);
  if (!major) return std::nullopt;
  if (version.empty()) return Parts{2, *major, 0};
  const int stability = take(version, "beta") ? 1 : take(version, "alpha") ? 0 : -1;
  const auto minor = stability < 0 ? std::nullopt : take_number(version);
  if (!minor || !version.empty()) return std::nullopt;
  return Parts{stability, *major, *minor};
}

}  // namespace

bool goes_before(std::string_view a, std::string_view b) {
  const auto left = parts_of(a);
  const auto right = parts_of(b);
  if (!left || !right) return left || (!right && a < b);
  return std::tie(left->stability, left->major, left->minor) >
         std::tie(right->stability, right->major, right->minor);
}

}  // namespace dcm::apiserver
