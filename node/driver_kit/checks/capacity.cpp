
#include <fmt/format.h>

#include "node/driver_kit/checks/names.hpp"
#include "node/driver_kit/checks/parts.hpp"

namespace dcm::driver_kit {
namespace {

using cel::Quantity;

constexpr std::size_t kValidValuesMax = 10;

// Whether `value` is `min` plus a multiple of `step`. Servers with the feature
// DRAFractionalCapacityRange count in thousandths, others round up to whole numbers first: both
// must hold.
bool is_on_step(const Quantity& value, const Quantity& min, const Quantity& step) {
  const auto fits = [](std::optional<std::int64_t> at, std::optional<std::int64_t> from,
                       std::optional<std::int64_t> by) {
    return at && from && by && *by > 0 && *at >= 0 && *from >= 0 && (*at - *from) % *by == 0;
  };
  if (!fits(value.rounded_up(), min.rounded_up(), step.rounded_up())) return false;
  const bool is_whole = value.as_integer() && min.as_integer() && step.as_integer();
  return is_whole || fits(value.as_milli(), min.as_milli(), step.as_milli());
}

struct Bounds {
  Quantity capacity;
  Quantity default_value;
};

void check_valid_values(const Field& list, const Bounds& bounds) {
  const auto items = list.items();
  if (items.size() > kValidValuesMax) list.refuse("must have at most 10 items");
  std::optional<Quantity> before;
  bool has_default = false;
  for (const Field& item : items) {
    const auto value = item.quantity();
    if (!value) return item.refuse("must be a quantity");
    // Servers without fractions compare rounded-up values.
    if (before && (*value <= *before || value->rounded_up() == before->rounded_up())) {
      item.refuse("must be larger than the value before, by one at least");
    }
    if (*value > bounds.capacity) item.refuse("must not be larger than the capacity");
    has_default = has_default || *value == bounds.default_value;
    before = value;
  }
  if (!has_default) list.refuse("must have the default among its values");
}

void check_valid_range(const Field& range, const Bounds& bounds) {
  const auto min = range.at("min").quantity();
  const auto max = range.at("max").quantity();
  const auto step = range.at("step").quantity();
  if (!min) return range.at("min").refuse("needed for validRange");
  if (*min > bounds.capacity) range.at("min").refuse("must not be larger than the capacity");
  if (bounds.default_value < *min) range.at("min").refuse("must not be larger than the default");
  if (max && *max < *min) range.at("max").refuse("must not be smaller than min");
  if (max && *max > bounds.capacity) range.at("max").refuse("must not be larger than the capacity");
  if (max && *max < bounds.default_value) {
    range.at("max").refuse("must not be smaller than the default");
  }
  // In thousandths at most, if any of them has a fraction.
  const Quantity most = max.value_or(bounds.default_value);
  const Quantity by = step.value_or(Quantity(0));
  const bool is_whole = min->as_integer() && most.as_integer() && by.as_integer() &&
                        bounds.default_value.as_integer();
  const bool is_milli =
      min->as_milli() && most.as_milli() && by.as_milli() && bounds.default_value.as_milli();
  if (!is_whole && !is_milli && !step) range.refuse("must be whole numbers or thousandths");
  if (!range.at("step").is_set() || !step) return;
  if (step->sign() <= 0) return range.at("step").refuse("must be larger than zero");
  const auto next = min->add(*step);
  if (!next || *next > bounds.capacity) {
    range.at("step").refuse("must not lead from min beyond the capacity");
  }
  if (!is_on_step(bounds.default_value, *min, *step)) {
    range.at("step").refuse("must lead from min to the default");
  }
  if (max && !is_on_step(*max, *min, *step)) range.at("step").refuse("must lead from min to max");
}

void check_policy(const Field& policy, const Quantity& capacity) {
  const Field values = policy.at("validValues");
  const Field range = policy.at("validRange");
  const auto default_value = policy.at("default").quantity();
  const bool has_values = !values.items().empty();
  if (has_values && range.is_set()) policy.refuse("must not have both validValues and validRange");
  if (!has_values && !range.is_set()) return;
  if (!default_value) return policy.at("default").refuse("needed for validValues and validRange");
  const Bounds bounds{capacity, *default_value};
  has_values ? check_valid_values(values, bounds) : check_valid_range(range, bounds);
}

void check_positive(const Field& quantity, int least_sign) {
  const auto value = quantity.quantity();
  if (value && value->sign() < least_sign) {
    quantity.refuse(least_sign > 0 ? "must be larger than zero" : "must not be negative");
  }
}

void check_mapping(const Field& mapping, const Field& capacities) {
  const Field key = mapping.at("capacityKey");
  if (key.is_set() != mapping.at("capacityMultiplier").is_set()) {
    mapping.refuse("capacityKey and capacityMultiplier must be set together");
  }
  if (key.is_set() == mapping.at("deviceMultiplier").is_set()) {
    mapping.refuse("exactly one of capacityKey and deviceMultiplier must be set");
  }
  if (key.is_set() && !capacities.entry(key.text()).is_set()) key.refuse("is not a capacity");
  check_positive(mapping.at("capacityMultiplier"), 1);
  check_positive(mapping.at("deviceMultiplier"), 1);
}

}  // namespace

void check_capacity(const Field& device) {
  const bool is_shared = device.at("allowMultipleAllocations").flag();
  for (const auto& [name, capacity] : device.at("capacity").entries()) {
    capacity.refuse_if(problem_with_attribute_name(name));
    const auto value = capacity.at("value").quantity();
    const Field policy = capacity.at("requestPolicy");
    if (!policy.is_set()) continue;
    if (!is_shared) policy.refuse("needs allowMultipleAllocations");
    check_policy(policy, value.value_or(Quantity(0)));
  }
}

void check_node_allocatable(const Field& device) {
  for (const auto& [name, resource] : device.at("nodeAllocatableResources").entries()) {
    if (name != "cpu" && name != "memory" && !name.starts_with("hugepages-")) {
      resource.refuse("must be cpu, memory or hugepages-…");
    }
    const Field mapping = resource.at("mapping");
    const Field overhead = resource.at("overhead");
    if (!mapping.is_set() && !overhead.is_set()) resource.refuse("needs a mapping or an overhead");
    if (mapping.is_set()) check_mapping(mapping, device.at("capacity"));
    if (!overhead.is_set()) continue;
    if (!overhead.at("perPod").is_set() && !overhead.at("perContainer").is_set()) {
      overhead.refuse("needs perPod or perContainer");
    }
    check_positive(overhead.at("perPod"), 0);
    check_positive(overhead.at("perContainer"), 0);
  }
}

}  // namespace dcm::driver_kit
