// Parts that the columns of many kinds share.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "apiserver/printers/human_duration.hpp"
#include "apiserver/printers/printers.hpp"

namespace dcm::apiserver {

using Printers = std::map<std::string_view, Printer>;

// The printers of each file, by kind.
Printers workload_printers();
Printers network_printers();
Printers storage_printers();
Printers policy_printers();

inline Column name_column() {
  return {.name = "Name", .format = "name"};
}

inline Column shown(std::string_view name) {
  return {.name = std::string(name)};
}

inline Column wide(std::string_view name) {
  return {.name = std::string(name), .priority = Column::Priority::wide};
}

inline Column typed(std::string_view name, std::string_view type) {
  return {.name = std::string(name), .type = std::string(type)};
}

inline Column age_column() {
  return shown("Age");
}

inline Json name_of(const JsonObject& object) {
  return Json(text_at(object, {"metadata", "name"}));
}

inline Json age(const JsonObject& object, runtime::WallTime now) {
  return Json(age_of(text_at(object, {"metadata", "creationTimestamp"}), now));
}

inline JsonArray name_and_age(const JsonObject& object, runtime::WallTime now) {
  return {name_of(object), age(object, now)};
}

inline Json text_or(const JsonObject& object, Path path, std::string_view otherwise) {
  const std::string_view text = text_at(object, path);
  return Json(text.empty() ? otherwise : text);
}

inline std::int64_t number_at(const JsonObject& object, Path path) {
  return integer_at(object, path).value_or(0);
}

// A flag that the object may lack.
inline bool flag_at(const JsonObject& object, Path path, bool otherwise = false) {
  const Json* const value = find(object, path);
  return value != nullptr && value->is_bool() ? value->get_bool() : otherwise;
}

}  // namespace dcm::apiserver
