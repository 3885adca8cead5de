#include "apiserver/rules/device_capacity.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/quantities.hpp"

namespace dcm::apiserver {

namespace {

using cel::Quantity;

constexpr std::size_t kValidValuesMax = 10;
constexpr Quantity kInt64Max(std::numeric_limits<std::int64_t>::max());

Cause wrong(const std::string& path, const Quantity& value, std::string_view why) {
  return invalid_value(path, Json(value.text()), why);
}

void check_valid_values(const JsonArray& items, const Quantity& default_value,
                        const Quantity& capacity, const std::string& path, Causes& causes) {
  std::vector<Quantity> values;
  for (const Json& item : items) values.push_back(quantity_of(item).value_or(Quantity()));
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] >= values[i - 1]) continue;
    causes.push_back(
        wrong(indexed(path, i), values[i], "values must be sorted in ascending order"));
  }
  if (values.size() > kValidValuesMax) {
    causes.push_back(too_many(path, values.size(), kValidValuesMax));
  } else {
    std::set<std::int64_t> seen;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] > capacity) {
        causes.push_back(wrong(indexed(path, i), values[i],
                               "option is larger than capacity value: " + capacity.text()));
      }
      // Compared by whole numbers, rounded up: 500m is 1.
      const std::int64_t number = values[i].rounded_up().value_or(0);
      if (!seen.insert(number).second) {
        causes.push_back(duplicate_value(indexed(path, i), Json(std::to_string(number))));
      }
    }
  }
  if (values.size() > kValidValuesMax || std::ranges::find(values, default_value) == values.end()) {
    causes.push_back(
        wrong(path, default_value, "default value is not valid according to the requestPolicy"));
  }
}

// A `validRange` and its default. `max` and `step` need not be set.
struct Range {
  Quantity default_value, min;
  std::optional<Quantity> max, step;

  struct Bound {
    std::string_view name;
    const Quantity* value;
  };
  std::vector<Bound> bounds() const {
    std::vector<Bound> all{{"default", &default_value}, {"min", &min}};
    if (max) all.push_back({"max", &*max});
    if (step) all.push_back({"step", &*step});
    return all;
  }
};

void check_order(const Range& range, const Quantity& capacity, const std::string& path,
                 Causes& causes) {
  if (range.min > capacity) {
    causes.push_back(
        wrong(path + ".min", range.min, "min is larger than capacity value: " + capacity.text()));
  }
  if (range.default_value < range.min) {
    causes.push_back(wrong(path + ".default", range.default_value,
                           "default is less than min: " + range.min.text()));
  }
  if (!range.max) return;
  if (range.min > *range.max) {
    causes.push_back(
        wrong(path + ".max", range.min, "min is larger than max: " + range.max->text()));
  }
  if (*range.max > capacity) {
    causes.push_back(
        wrong(path + ".max", *range.max, "max is larger than capacity value: " + capacity.text()));
  }
  if (range.default_value > *range.max) {
    causes.push_back(wrong(path + ".default", range.default_value,
                           "default is more than max: " + range.max->text()));
  }
}

// Whether steps can be counted in 64 bits.
bool check_size(const Range& range, const std::string& path, Causes& causes) {
  bool is_countable = true;
  for (const auto& [name, value] : range.bounds()) {
    const bool is_negative = value->sign() < 0;
    if (!is_negative && *value <= kInt64Max) continue;
    is_countable = false;
    causes.push_back(wrong(fmt::format("{}.{}", path, name), *value,
                           is_negative ? "must be greater than or equal to 0"
                                       : "must not be larger than 9223372036854775807"));
  }
  return is_countable;
}

// Counted in whole numbers, rounded up, as long as the feature gate DRAFractionalCapacityRange is
// off.
void check_steps(const Range& range, const std::string& path, Causes& causes) {
  const auto count = [](const Quantity& value) { return value.rounded_up().value_or(0); };
  const auto check = [&](const Quantity& value) {
    if ((count(value) - count(range.min)) % count(*range.step) == 0) return;
    causes.push_back(wrong(path, value,
                           fmt::format("value is not a multiple of a given step ({}) from ({})",
                                       range.step->text(), range.min.text())));
  };
  check(range.default_value);
  if (range.max) check(*range.max);
}

void check_valid_range(const JsonObject& object, const Quantity& default_value,
                       const Quantity& capacity, const std::string& path, Causes& causes) {
  const auto min = quantity_at(object, {"min"});
  if (!min) {
    return causes.push_back(required_value(path + ".min", "required when validRange is defined"));
  }
  const Range range{.default_value = default_value,
                    .min = *min,
                    .max = quantity_at(object, {"max"}),
                    .step = quantity_at(object, {"step"})};
  check_order(range, capacity, path, causes);
  if (!range.step) return;
  const std::string at = path + ".step";
  if (range.step->sign() <= 0) {
    return causes.push_back(wrong(at, *range.step, "must be greater than zero"));
  }
  const auto first = range.min.add(*range.step);
  if (!first || *first > capacity) {
    causes.push_back(wrong(at, *range.step,
                           fmt::format("one step {} is larger than capacity value: {}",
                                       first ? first->text() : "", capacity.text())));
  }
  if (check_size(range, path, causes)) check_steps(range, at, causes);
}

void check_policy(const JsonObject& policy, const Quantity& capacity, const std::string& path,
                  Causes& causes) {
  const JsonArray& values = array_at(policy, {"validValues"});
  const bool has_range = is_set(policy, "validRange");
  if (!values.empty() && has_range) {
    return causes.push_back(forbidden_value(path,
                                            "exactly one policy can be specified, cannot specify "
                                            "\"validValues\" and \"validRange\" at the same time"));
  }
  if (values.empty() && !has_range) return;
  const std::string_view kind = has_range ? "validRange" : "validValues";
  const auto default_value = quantity_at(policy, {"default"});
  if (!default_value) {
    causes.push_back(
        required_value(path + ".default", fmt::format("required when {} is defined", kind)));
  } else if (has_range) {
    check_valid_range(object_at(policy, {"validRange"}), *default_value, capacity,
                      path + ".validRange", causes);
  } else {
    check_valid_values(values, *default_value, capacity, path + ".validValues", causes);
  }
}

}  // namespace

void validate_capacity(const JsonObject& capacity, Allocations allocations, const std::string& path,
                       Causes& causes) {
  if (!is_set(capacity, "requestPolicy")) return;
  const std::string at = path + ".requestPolicy";
  if (allocations == Allocations::single) {
    return causes.push_back(forbidden_value(at, "allowMultipleAllocations must be true"));
  }
  check_policy(object_at(capacity, {"requestPolicy"}),
               quantity_at(capacity, {"value"}).value_or(Quantity()), at, causes);
}

}  // namespace dcm::apiserver
