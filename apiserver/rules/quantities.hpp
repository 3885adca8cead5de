// Reads quantities from objects whose types have been checked.
#pragma once

#include <optional>

#include "apiserver/text/json.hpp"
#include "cel/kubernetes/quantity.hpp"

namespace dcm::apiserver {

// nullopt if there is none, or one that Quantity does not represent.
inline std::optional<cel::Quantity> quantity_of(const Json& value) {
  if (!value.is_string()) return std::nullopt;
  const auto quantity = cel::Quantity::parse(view(value.get_string()));
  return quantity ? std::optional(*quantity) : std::nullopt;
}

inline std::optional<cel::Quantity> quantity_at(const JsonObject& object, Path path) {
  const Json* const value = find(object, path);
  return value == nullptr ? std::nullopt : quantity_of(*value);
}

}  // namespace dcm::apiserver
