#include "test/fuzz/fuzz.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "runtime/rng.hpp"

namespace dcm::fuzz {
namespace {

constexpr std::size_t kFewBytes = 256;

// FNV-1a; std::hash may differ between libraries.
std::uint64_t hash(std::string_view bytes) {
  std::uint64_t value = 14695981039346656037ULL;
  for (const char byte : bytes) {
    value = (value ^ static_cast<unsigned char>(byte)) * 1099511628211ULL;
  }
  return value;
}

Pieces cut_at_random(std::string_view bytes) {
  runtime::Rng rng(hash(bytes));
  Pieces pieces;
  while (!bytes.empty()) {
    const std::size_t longest = std::size_t{1} << rng.below(10);
    const std::size_t length = std::min(bytes.size(), 1 + std::size_t{rng.below(longest)});
    pieces.push_back(bytes.substr(0, length));
    bytes.remove_prefix(length);
  }
  return pieces;
}

Pieces cut_into_bytes(std::string_view bytes) {
  Pieces pieces;
  for (std::size_t i = 0; i < bytes.size(); ++i) pieces.push_back(bytes.substr(i, 1));
  return pieces;
}

bool is_control(char byte) {
  return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f;
}

}  // namespace

void expect(bool holds, std::string_view what, std::string_view detail) {
  if (holds) return;
  fmt::print(stderr, "broken: {}\n{}\n", what, detail);
  std::abort();
}

void expect_equal(std::string_view a, std::string_view b, std::string_view what) {
  if (a != b) expect(false, what, fmt::format("one:   {}\nother: {}", a, b));
}

void expect_readable(std::string_view message) {
  expect(!message.empty(), "a message says something");
  expect(std::ranges::none_of(message, is_control),
         "a message is one line without control characters", message);
}

std::vector<Pieces> ways_to_cut(std::string_view bytes) {
  std::vector<Pieces> ways = {{bytes}, cut_at_random(bytes)};
  if (bytes.empty()) ways.front().clear();
  if (bytes.size() <= kFewBytes) ways.push_back(cut_into_bytes(bytes));
  return ways;
}

FirstLine split_first_line(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return {.line = text, .rest = {}};
  return {.line = text.substr(0, end), .rest = text.substr(end + 1)};
}

}  // namespace dcm::fuzz
