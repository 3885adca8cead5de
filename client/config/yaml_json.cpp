#include "client/config/yaml_json.hpp"

#include <charconv>
#include <cmath>
#include <string_view>

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <simdjson.h>

namespace dcm::client {
namespace {

namespace json = boost::json;

constexpr int kDepthMax = 30;  // Boost.JSON reads 32 levels

std::string quote(const std::string& text) {
  return json::serialize(json::value(json::string(text)));
}

template <class Number>
bool is_number(const std::string& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  if constexpr (std::is_floating_point_v<Number>) return std::isfinite(number);
  return true;
}

// An unquoted scalar may be something else than a string. JSON and YAML write numbers alike, except
// for a leading or trailing decimal point.
std::string scalar(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() != "?") return quote(text);
  if (text == "true" || text == "false") return text;
  const bool is_octal = text != "0" && (text.starts_with('0') || text.starts_with("-0"));
  if (is_number<std::int64_t>(text) && !is_octal) return text;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole_text = error == std::errc() && end == text.data() + text.size();
  if (is_whole_text && std::isfinite(number)) return json::serialize(json::value(number));
  return quote(text);
}

class Writer {
 public:
  explicit Writer(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  bool write(const YAML::Node& node, int depth) {
    if (depth > kDepthMax || text_.size() > bytes_max_) return false;
    if (node.IsMap()) return write_map(node, depth);
    if (node.IsSequence()) return write_list(node, depth);
    text_ += node.IsScalar() ? scalar(node) : "null";
    return true;
  }
  std::string take() { return std::move(text_); }

 private:
  bool write_map(const YAML::Node& node, int depth) {
    text_ += '{';
    for (std::string_view comma; const auto& pair : node) {
      if (!pair.first.IsScalar()) return false;
      text_.append(comma).append(quote(pair.first.Scalar())) += ':';
      if (!write(pair.second, depth + 1)) return false;
      comma = ",";
    }
    text_ += '}';
    return true;
  }

  bool write_list(const YAML::Node& node, int depth) {
    text_ += '[';
    for (std::string_view comma; const YAML::Node& element : node) {
      text_.append(comma);
      if (!write(element, depth + 1)) return false;
      comma = ",";
    }
    text_ += ']';
    return true;
  }

  std::size_t bytes_max_;
  std::string text_;
};

}  // namespace

std::optional<std::string> to_json(const YAML::Node& node, std::size_t bytes_max) {
  Writer writer(bytes_max);
  if (!writer.write(node, 0)) return std::nullopt;
  std::string text = writer.take();
  if (!simdjson::validate_utf8(text)) return std::nullopt;
  return text;
}

}  // namespace dcm::client
