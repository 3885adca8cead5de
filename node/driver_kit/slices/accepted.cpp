#include "node/driver_kit/slices/accepted.hpp"

#include <fmt/format.h>

#include "node/driver_kit/slices/pool.hpp"

namespace dcm::driver_kit {
namespace {

namespace json = boost::json;

void find_dropped(const json::value& written, const json::value& stored, const std::string& path,
                  std::vector<std::string>& dropped) {
  if (const json::object* const object = written.if_object()) {
    for (const auto& [key, value] : *object) {
      const std::string at = path.empty() ? std::string(key) : path + "." + std::string(key);
      const json::value* const kept =
          stored.is_object() ? stored.get_object().if_contains(key) : nullptr;
      if (kept == nullptr) {
        dropped.push_back(at);
      } else {
        find_dropped(value, *kept, at, dropped);
      }
    }
  } else if (const json::array* const array = written.if_array()) {
    for (std::size_t i = 0; i < array->size(); ++i) {
      const std::string at = fmt::format("{}[{}]", path, i);
      if (!stored.is_array() || stored.get_array().size() <= i) {
        dropped.push_back(at);
      } else {
        find_dropped((*array)[i], stored.get_array()[i], at, dropped);
      }
    }
  }
}

}  // namespace

std::vector<std::string> dropped_fields(const json::object& written, const json::object& stored) {
  std::vector<std::string> dropped;
  find_dropped(written, stored, "", dropped);
  return dropped;
}

std::optional<json::object> without_lists(json::object slice) {
  bool has_any = false;
  boost::system::error_code none;
  json::value whole(std::move(slice));
  json::value* const devices = whole.find_pointer("/spec/devices", none);
  if (devices == nullptr || !devices->is_array()) return std::nullopt;
  for (json::value& device : devices->get_array()) {
    json::value* const attributes = device.find_pointer("/attributes", none);
    if (attributes == nullptr || !attributes->is_object()) continue;
    json::object kept;
    for (const auto& [name, attribute] : attributes->get_object()) {
      const bool is_kept = !attribute.is_object() || !is_list(attribute.get_object());
      if (is_kept) kept[name] = attribute;
      has_any = has_any || !is_kept;
    }
    *attributes = std::move(kept);
  }
  return has_any ? std::optional(std::move(whole.as_object())) : std::nullopt;
}

}  // namespace dcm::driver_kit
