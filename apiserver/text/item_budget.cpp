#include "apiserver/text/item_budget.hpp"

#include <algorithm>

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

namespace {

class Measure {
 public:
  std::string excess() && { return std::move(excess_); }

  void value(const Json& value, std::size_t path, std::size_t level) {
    if (!excess_.empty()) return;
    add(1, value.is_string() ? value.get_string().size() : 0);
    if (value.is_object()) return object(value.get_object(), path, level + 1);
    if (!value.is_array()) return;
    check(level + 1, kObjectLevelsMax, "levels");
    for (const Json& item : value.get_array()) this->value(item, path, level + 1);
  }

  void object(const JsonObject& object, std::size_t path, std::size_t level) {
    check(level, kObjectLevelsMax, "levels");
    for (const auto& [name, member] : object) {
      add(0, name.size());
      check(path + name.size(), kPathMax, "bytes in the path of a field");
      value(member, path + name.size(), level);
    }
  }

 private:
  void add(std::size_t values, std::size_t bytes) {
    check(values_ += values, kObjectValuesMax, "fields and items");
    check(bytes_ += bytes, kObjectBytesMax, "bytes");
  }

  void check(std::size_t has, std::size_t limit, std::string_view what) {
    if (has > limit && excess_.empty()) excess_ = fmt::format("more than {} {}", limit, what);
  }

  std::size_t values_ = 0;
  std::size_t bytes_ = 0;
  std::string excess_;
};

}  // namespace

std::string excess_of(const Json& value) {
  Measure measure;
  measure.value(value, 0, 0);
  return std::move(measure).excess();
}

std::string excess_of(const JsonObject& object) {
  Measure measure;
  measure.object(object, 0, 1);
  return std::move(measure).excess();
}

std::size_t values_of(const Json& value) {
  std::size_t values = 1;
  if (value.is_array()) {
    for (const Json& item : value.get_array()) values += values_of(item);
  } else if (value.is_object()) {
    for (const auto& member : value.get_object()) values += values_of(member.value());
  }
  return values;
}

std::size_t levels_of(const Json& value) {
  if (value.is_object()) return levels_of(value.get_object());
  std::size_t most = 0;
  if (!value.is_array()) return most;
  for (const Json& item : value.get_array()) most = std::max(most, levels_of(item));
  return most + 1;
}

std::size_t levels_of(const JsonObject& object) {
  std::size_t most = 0;
  for (const auto& member : object) most = std::max(most, levels_of(member.value()));
  return most + 1;
}

}  // namespace dcm::apiserver
