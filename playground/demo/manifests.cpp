#include "playground/demo/manifests.hpp"

#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

namespace dcm::playground {
namespace {

namespace json = boost::json;

constexpr const char* kQuoted = "!";

template <class Number>
std::optional<Number> as_number(const std::string& text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

// A plain scalar as YAML 1.2's core schema reads it; a quoted one is a string.
json::value to_scalar(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() == kQuoted) return json::value(text);
  if (text == "true") return true;
  if (text == "false") return false;
  if (text == "null" || text == "~" || text.empty()) return nullptr;
  if (const auto integer = as_number<std::int64_t>(text)) return *integer;
  const bool may_be_real = text.find_first_of("0123456789") != std::string::npos;
  if (const auto real = may_be_real ? as_number<double>(text) : std::nullopt) return *real;
  return json::value(text);
}

json::value to_json(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Sequence: {
      json::array array;
      for (const YAML::Node& item : node) array.push_back(to_json(item));
      return array;
    }
    case YAML::NodeType::Map: {
      json::object object;
      for (const auto& entry : node) object[entry.first.Scalar()] = to_json(entry.second);
      return object;
    }
    case YAML::NodeType::Scalar:
      return to_scalar(node);
    case YAML::NodeType::Null:
    case YAML::NodeType::Undefined:
      break;
  }
  return nullptr;
}

std::string text_of(const YAML::Node& node) {
  return node && node.IsScalar() ? node.Scalar() : std::string();
}

std::unexpected<runtime::Error> refuse(const std::string& file, int line, std::string_view why) {
  return runtime::fail(runtime::Reason::configuration, fmt::format("{}:{}: {}", file, line, why));
}

runtime::Result<> add(const YAML::Node& node, const std::string& file,
                      std::vector<Manifest>& manifests) {
  if (node.IsNull()) return {};
  const int line = node.Mark().line + 1;
  if (!node.IsMap()) return refuse(file, line, "not an object");
  if (text_of(node["kind"]) == "List") {
    for (const YAML::Node& item : node["items"]) {
      if (auto added = add(item, file, manifests); !added) return added;
    }
    return {};
  }
  const YAML::Node metadata = node["metadata"];
  Manifest manifest{.kind = text_of(node["kind"]),
                    .name = metadata && metadata.IsMap() ? text_of(metadata["name"]) : "",
                    .json = json::serialize(to_json(node))};
  if (manifest.kind.empty()) return refuse(file, line, "an object without a kind");
  if (manifest.name.empty()) return refuse(file, line, "an object without a name");
  manifests.push_back(std::move(manifest));
  return {};
}

}  // namespace

runtime::Result<std::vector<Manifest>> parse_manifests(const std::string& text,
                                                       const std::string& file) {
  std::vector<Manifest> manifests;
  try {
    for (const YAML::Node& document : YAML::LoadAll(text)) {
      if (auto added = add(document, file, manifests); !added) {
        return runtime::fail(added.error());
      }
    }
  } catch (const YAML::Exception& problem) {
    return refuse(file, problem.mark.line + 1, problem.msg);
  }
  return manifests;
}

runtime::Result<std::vector<Manifest>> read_manifests(const std::string& file) {
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream) return runtime::fail(runtime::Reason::configuration, "cannot read " + file);
  return parse_manifests(text, file);
}

}  // namespace dcm::playground
