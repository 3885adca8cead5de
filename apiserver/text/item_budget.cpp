#include "apiserver/text/item_budget.hpp"

#include <fmt/format.h>

namespace dcm::apiserver {

TooManyValues::TooManyValues()
    : std::length_error(fmt::format("more than {} fields and items", kValuesMax)) {}

std::size_t count_values(std::string_view json) {
  std::size_t values = 1;
  bool is_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') is_text = !is_text;
    if (is_text && c == '\\') ++i;
    if (!is_text && (c == ',' || c == '[' || c == '{')) ++values;
  }
  return values;
}

}  // namespace dcm::apiserver
