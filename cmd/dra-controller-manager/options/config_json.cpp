#include <cmath>
#include <utility>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "cmd/dra-controller-manager/options/config_file.hpp"

namespace dcm::dra_manager {
namespace {

namespace json = boost::json;

struct ToJson {
  json::value operator()(bool value) const { return value; }
  json::value operator()(std::int64_t value) const { return value; }
  // A whole number without a point, as in a file.
  json::value operator()(double value) const {
    constexpr double kExactMax = 1e15;
    const bool is_whole = std::abs(value) < kExactMax && std::trunc(value) == value;
    return is_whole ? json::value(static_cast<std::int64_t>(value)) : json::value(value);
  }
  json::value operator()(const std::string& value) const { return json::string(value); }
  json::value operator()(const Strings& value) const {
    return json::array(value.begin(), value.end());
  }
  json::value operator()(const Switches& value) const {
    json::object object;
    for (const auto& [name, on] : value) object[name] = on;
    return object;
  }
};

// "a.b" is `b` in the object `a`.
void place(json::object& object, std::string_view key, json::value value) {
  const std::size_t dot = key.find('.');
  if (dot == std::string_view::npos) {
    object[key] = std::move(value);
    return;
  }
  json::value& section = object[key.substr(0, dot)];
  if (!section.is_object()) section.emplace_object();
  place(section.get_object(), key.substr(dot + 1), std::move(value));
}

}  // namespace

std::string to_json(std::span<const Setting> table, std::span<const Value> values) {
  json::object root;
  root["apiVersion"] = json::string_view(kConfigVersion);
  root["kind"] = json::string_view(kConfigKind);
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].text.key.empty()) continue;
    place(root, table[i].text.key, std::visit(ToJson(), values[i]));
  }
  return json::serialize(root);
}

}  // namespace dcm::dra_manager
