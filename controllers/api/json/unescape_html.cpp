#include "controllers/api/json/unescape_html.hpp"

#include <array>
#include <tuple>
#include <utility>

namespace dcm::api::json {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kEscapes = {{
    {"\\u003c", "<"},
    {"\\u003e", ">"},
    {"\\u0026", "&"},
    {"\\u2028", "\xe2\x80\xa8"},
    {"\\u2029", "\xe2\x80\xa9"},
}};

}  // namespace

std::string unescape_html(std::string_view json) {
  std::string out;
  while (true) {
    const std::size_t backslash = json.find('\\');
    out.append(json.substr(0, backslash));
    if (backslash == std::string_view::npos) return out;
    json.remove_prefix(backslash);
    std::string_view taken = json.substr(0, 2);  // an escaped backslash is one thing, too
    std::string_view plain = taken;
    for (const auto& [escape, character] : kEscapes) {
      if (json.starts_with(escape)) std::tie(taken, plain) = std::pair(escape, character);
    }
    out.append(plain);
    json.remove_prefix(taken.size());
  }
}

}  // namespace dcm::api::json
