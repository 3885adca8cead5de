#include "node/driver_kit/slices/quantities.hpp"

#include <algorithm>
#include <array>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "cel/kubernetes/quantity.hpp"

namespace dcm::driver_kit {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 4> kParts = {"capacity", "counters", "consumesCounters",
                                                    "nodeAllocatableResources"};
constexpr std::array<std::string_view, 10> kQuantities = {"value",
                                                          "default",
                                                          "validValues",
                                                          "min",
                                                          "max",
                                                          "step",
                                                          "perPod",
                                                          "perContainer",
                                                          "capacityMultiplier",
                                                          "deviceMultiplier"};

void write_as_stored(json::value& quantity) {
  if (!quantity.is_string() && !quantity.is_number()) return;
  const auto parsed = quantity.is_string() ? cel::Quantity::parse(quantity.get_string())
                                           : cel::Quantity::parse(json::serialize(quantity));
  if (parsed) quantity = parsed->text();
}

void write_all_below(json::value& part) {
  if (json::array* const items = part.if_array()) {
    for (json::value& item : *items) write_all_below(item);
  }
  json::object* const fields = part.if_object();
  if (fields == nullptr) return;
  for (auto& [name, value] : *fields) {
    const bool is_one = std::ranges::find(kQuantities, std::string_view(name)) != kQuantities.end();
    if (is_one) write_as_stored(value);
    if (is_one && value.is_array()) {
      for (json::value& item : value.get_array()) write_as_stored(item);
    }
    write_all_below(value);
  }
}

}  // namespace

void write_quantities_as_stored(json::object& part) {
  for (const std::string_view name : kParts) {
    if (json::value* const found = part.if_contains(name)) write_all_below(*found);
  }
}

}  // namespace dcm::driver_kit
