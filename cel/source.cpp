#include "cel/source.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "cel/text.hpp"

namespace dcm::cel {
namespace {

constexpr std::size_t kIssuesMax = 100;
constexpr std::size_t kLineMax = 16384;

struct Place {
  std::size_t line = 1;
  std::size_t column = 0;
  std::string_view text;  // of the line
};

Place place_of(std::string_view source, std::uint32_t offset) {
  Place place;
  std::string_view rest = source;
  for (place.text = rest; offset > 0 && !rest.empty(); --offset) {
    if (take_code_point(rest) == U'\n') {
      ++place.line;
      place.column = 0;
      place.text = rest;
    } else {
      ++place.column;
    }
  }
  place.text = place.text.substr(0, place.text.find('\n'));
  return place;
}

std::string describe_issue(std::string_view source, const Issue& issue) {
  const auto [line, column, text] = place_of(source, issue.offset);
  std::string result = "ERROR: <input>:" + std::to_string(line) + ":" + std::to_string(column + 1) +
                       ": " + issue.message;
  if (text.size() > kLineMax) return result;
  std::string shown(text);
  std::ranges::replace(shown, '\t', ' ');
  result += "\n | " + shown + "\n | ";
  std::string_view rest = shown;
  for (std::size_t i = 0; i < column && !rest.empty(); ++i) {
    const auto before = rest.size();
    take_code_point(rest);
    result += before - rest.size() > 1 ? "\uff0e" : ".";
  }
  const bool is_wide = !rest.empty() && static_cast<unsigned char>(rest[0]) >= 0x80;
  return result + (is_wide ? "\uff3e" : "^");
}

}  // namespace

std::string describe_issues(std::string_view source, std::vector<Issue> issues) {
  std::vector<std::size_t> order(issues.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(issues[i].offset, i); });
  std::string text;
  for (std::size_t i = 0; i < std::min(issues.size(), kIssuesMax); ++i)
    text += (i > 0 ? "\n" : "") + describe_issue(source, issues[order[i]]);
  if (issues.size() > kIssuesMax)
    text += "\n" + std::to_string(issues.size() - kIssuesMax) + " more errors were truncated";
  return text;
}

}  // namespace dcm::cel
