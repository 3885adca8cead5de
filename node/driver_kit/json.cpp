#include "node/driver_kit/json.hpp"

namespace dcm::driver_kit {

namespace json = boost::json;

const json::value* find_at(const json::value& whole, std::string_view pointer) {
  boost::system::error_code none;
  return whole.find_pointer(pointer, none);
}

std::string text_at(const json::value& whole, std::string_view pointer) {
  const json::value* const found = find_at(whole, pointer);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

std::int64_t integer_at(const json::value& whole, std::string_view pointer) {
  const json::value* const found = find_at(whole, pointer);
  return found != nullptr && found->is_int64() ? found->get_int64() : 0;
}

const json::array& array_at(const json::value& whole, std::string_view pointer) {
  static const json::array none;
  const json::value* const found = find_at(whole, pointer);
  return found != nullptr && found->is_array() ? found->get_array() : none;
}

}  // namespace dcm::driver_kit
