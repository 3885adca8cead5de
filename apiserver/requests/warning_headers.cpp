#include "apiserver/requests/warning_headers.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace dcm::apiserver {

namespace {

constexpr std::size_t kCharactersMax = 4 * 1024;
constexpr std::size_t kCharactersOfOne = 256;

bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

std::string_view cut(std::string_view text) {
  std::size_t left = kCharactersOfOne + 1;
  const auto end =
      std::ranges::find_if(text, [&](char c) { return begins_character(c) && --left == 0; });
  return {text.begin(), end};
}

std::vector<std::string_view> shown(const std::vector<std::string>& texts) {
  std::set<std::string_view> seen;
  std::vector<std::string_view> shown;
  std::size_t total = 0;
  bool are_cut = false;
  for (const std::string_view text : texts) {
    if (are_cut && total >= kCharactersMax) break;
    if (text.empty() || !seen.insert(text).second) continue;
    if (!are_cut && total + characters(text) > kCharactersMax) {
      are_cut = true;
      total = 0;
      for (std::string_view& earlier : shown) {
        earlier = cut(earlier);
        total += characters(earlier);
      }
    }
    shown.push_back(are_cut ? cut(text) : text);
    total += characters(shown.back());
  }
  return shown;
}

}  // namespace

void add_warning_headers(const std::vector<std::string>& texts, Response& response) {
  for (const std::string_view text : shown(texts)) {
    response.headers.emplace_back("Warning", fmt::format("299 - {}", serialize(Json(text))));
  }
}

}  // namespace dcm::apiserver
