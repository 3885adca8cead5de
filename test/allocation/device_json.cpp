#include "test/allocation/device_json.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value_to.hpp>

namespace dcm::allocation_judge {

using cel::Attribute;

namespace {

std::string_view text_of(const boost::json::value& value) {
  return value.as_string();
}

std::int64_t integer_of(const boost::json::value& value) {
  return value.to_number<std::int64_t>();
}

}  // namespace

DeviceJson::DeviceJson(std::string driver, const boost::json::object& device)
    : driver_(std::move(driver)) {
  const auto* shared = device.if_contains("allowMultipleAllocations");
  shared_ = shared != nullptr && shared->is_bool() && shared->as_bool();
  if (const auto* attributes = device.if_contains("attributes");
      attributes != nullptr && attributes->is_object())
    for (const auto& [name, value] : attributes->as_object())
      attributes_.push_back(attribute(keep(name), value.as_object()));
  if (const auto* capacity = device.if_contains("capacity");
      capacity != nullptr && capacity->is_object())
    for (const auto& [name, value] : capacity->as_object()) {
      const auto quantity = cel::Quantity::parse(text_of(value.as_object().at("value")));
      capacity_.emplace_back(keep(name), quantity.value_or(cel::Quantity()));
    }
}

// The first field that is set, in the order in which users of the API look.
Attribute DeviceJson::attribute(std::string_view name, const boost::json::object& value) {
  if (const auto* list = value.if_contains("ints")) {
    auto& kept = integer_lists_.emplace_back();
    for (const auto& item : list->as_array()) kept.push_back(integer_of(item));
    return Attribute::integers(name, kept);
  }
  if (const auto* list = value.if_contains("bools")) {
    const auto& items = list->as_array();
    auto& kept = boolean_lists_.emplace_back(std::make_unique<bool[]>(items.size()));
    for (std::size_t i = 0; i < items.size(); ++i) kept[i] = items[i].as_bool();
    return Attribute::booleans(name, {kept.get(), items.size()});
  }
  for (const auto* field : {"strings", "versions"})
    if (const auto* list = value.if_contains(field)) {
      auto& kept = text_lists_.emplace_back();
      for (const auto& item : list->as_array()) kept.push_back(keep(text_of(item)));
      return *field == 's' ? Attribute::strings(name, kept) : Attribute::versions(name, kept);
    }
  if (const auto* number = value.if_contains("int"))
    return Attribute::integer(name, integer_of(*number));
  if (const auto* flag = value.if_contains("bool"))
    return Attribute::boolean(name, flag->as_bool());
  if (const auto* text = value.if_contains("string"))
    return Attribute::string(name, keep(text_of(*text)));
  if (const auto* text = value.if_contains("version"))
    return Attribute::version(name, keep(text_of(*text)));
  return Attribute::unsupported(name);
}

}  // namespace dcm::allocation_judge
