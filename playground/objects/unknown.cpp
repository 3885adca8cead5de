#include "playground/objects/unknown.hpp"

namespace dcm::playground {
namespace {

using api::json::value;
namespace ondemand = api::json::ondemand;

// An unreadable value does not count as empty.
template <class Compound>
bool has_parts(value field) {
  Compound parts;
  bool is_empty = false;
  return field.get(parts) != simdjson::SUCCESS ||
         parts.is_empty().get(is_empty) != simdjson::SUCCESS || !is_empty;
}

}  // namespace

bool asks_for_something(value field) {
  ondemand::json_type type = ondemand::json_type::null;
  if (field.type().get(type) != simdjson::SUCCESS) return true;
  if (type == ondemand::json_type::array) return has_parts<ondemand::array>(field);
  if (type == ondemand::json_type::object) return has_parts<ondemand::object>(field);
  if (type == ondemand::json_type::null) return false;
  bool flag = true;
  if (type == ondemand::json_type::boolean) return field.get(flag) != simdjson::SUCCESS || flag;
  std::string_view text = "?";
  if (type == ondemand::json_type::string)
    return field.get(text) != simdjson::SUCCESS || !text.empty();
  return true;
}

void note_unknown(std::string& list, std::string_view name) {
  if ((", " + list + ",").contains(", " + std::string(name) + ",")) return;
  if (!list.empty()) list += ", ";
  list += name;
}

bool note_if_asked(std::string& list, std::string_view name, value field) {
  if (asks_for_something(field)) note_unknown(list, name);
  return true;
}

}  // namespace dcm::playground
