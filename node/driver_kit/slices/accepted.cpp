#include "node/driver_kit/slices/accepted.hpp"

#include <fmt/format.h>

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

}  // namespace dcm::driver_kit
