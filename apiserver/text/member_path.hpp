// Paths of members: "spec.containers[].name", "spec.devices[].capacity{}.value".
#pragma once

#include <string_view>

#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

// Calls `visit(parent, name)` for each object that the last member of `path` may be in, whether it
// is or not: [] and {} stand for every object of a list or map. Skips what is missing.
template <class Visit>
void visit_member(JsonObject& object, std::string_view path, const Visit& visit) {
  const auto end = path.find_first_of(".[{");
  const std::string_view name = path.substr(0, end);
  if (end == std::string_view::npos) return visit(object, name);
  Json* const value = object.if_contains(name);
  if (value == nullptr) return;
  if (path[end] == '.' && value->is_object()) {
    visit_member(value->get_object(), path.substr(end + 1), visit);
  } else if (path[end] == '{' && value->is_object()) {
    for (auto& member : value->get_object()) {
      if (!member.value().is_object()) continue;
      visit_member(member.value().get_object(), path.substr(end + 3), visit);
    }
  } else if (path[end] == '[' && value->is_array()) {
    for (Json& item : value->get_array()) {
      if (item.is_object()) visit_member(item.get_object(), path.substr(end + 3), visit);
    }
  }
}

}  // namespace dcm::apiserver
