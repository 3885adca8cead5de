#include "allocation/capacity.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace dcm::allocation {
namespace {

using Result = std::expected<Quantity, std::string>;
using Range = CapacityRange;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

std::unexpected<std::string> not_representable(std::string_view why) {
  return std::unexpected(fmt::format(
      "capacity request cannot be represented in the device's range arithmetic: {}", why));
}

// Whether the range is counted in thousandths: all of its values must be exact thousandths.
bool is_in_thousandths(const Range& range, bool is_fractional) {
  const auto is_exact = [](const std::optional<Quantity>& each) {
    return !each || each->as_milli();
  };
  return is_fractional && is_exact(range.min) && is_exact(range.max) && is_exact(range.step) &&
         (!range.step || *range.step->as_milli() >= 1);
}

// The next min + k * step; nullopt if it exceeds 64 bits.
std::optional<std::int64_t> next_step(std::int64_t wanted, std::int64_t min, std::int64_t step) {
  const __int128 added = static_cast<__int128>(wanted) - min;
  const __int128 steps = added / step + (added % step != 0 ? 1 : 0);
  const __int128 rounded = min + steps * step;
  if (rounded > kMax) return std::nullopt;
  return static_cast<std::int64_t>(rounded);
}

Result round_in_thousandths(const Quantity& wanted, const Range& range) {
  const auto milli = wanted.as_milli();
  if (!milli) {
    return not_representable(
        fmt::format("request {} is not a representable milli value", wanted.text()));
  }
  const auto rounded = next_step(*milli, *range.min->as_milli(), *range.step->as_milli());
  if (!rounded) {
    return not_representable(fmt::format(
        "rounding request {} up to the next step passes the milli-value range", wanted.text()));
  }
  const auto format = range.step->format();
  if (*rounded % 1000 == 0) return Quantity(*rounded / 1000, format);
  return Quantity(*rounded, -3, format);
}

Result round_in_whole_numbers(const Quantity& wanted, const Range& range) {
  const auto whole = wanted.rounded_up();
  if (!whole || wanted > Quantity(kMax)) {
    return not_representable(fmt::format("request {} exceeds MaxInt64", wanted.text()));
  }
  const auto step = range.step->rounded_up().value_or(kMax);
  if (step < 1) return wanted;  // which no API server admits
  const auto rounded = next_step(*whole, range.min->rounded_up().value_or(kMax), step);
  if (rounded) return Quantity(*rounded, range.step->format());
  return not_representable(
      fmt::format("rounding request {} up to the next step passes MaxInt64", wanted.text()));
}

Result round_up(const Quantity& wanted, const Range& range, bool is_fractional) {
  if (wanted < *range.min) return *range.min;
  if (!range.step) return wanted;
  return is_in_thousandths(range, is_fractional) ? round_in_thousandths(wanted, range)
                                                 : round_in_whole_numbers(wanted, range);
}

// `wanted` is null if the request does not name the capacity.
Result amount_of(const Quantity* wanted, const Quantity& value, const RequestPolicy* policy,
                 bool is_fractional) {
  if (wanted == nullptr) return policy && policy->default_ ? *policy->default_ : value;
  if (policy == nullptr) return *wanted;
  if (policy->valid_range && policy->valid_range->min) {
    return round_up(*wanted, *policy->valid_range, is_fractional);
  }
  const auto enough = std::ranges::find_if(policy->valid_values,
                                           [&](const Quantity& each) { return *wanted <= each; });
  return enough == policy->valid_values.end() ? *wanted : *enough;
}

bool is_off_step(const Quantity& amount, const Range& range, bool is_fractional) {
  if (!range.step) return false;
  const Quantity min = range.min.value_or(Quantity());
  const bool in_thousandths = is_in_thousandths(range, is_fractional);
  const auto number = [&](const Quantity& each) {
    return in_thousandths ? each.as_milli() : each.rounded_up();
  };
  const auto counted = number(amount);
  if (!counted) return true;
  const std::int64_t step = number(*range.step).value_or(0);
  if (step < 1) return false;
  return (static_cast<__int128>(*counted) - number(min).value_or(0)) % step != 0;
}

bool is_refused(const Quantity& amount, const RequestPolicy* policy, bool is_fractional) {
  if (policy == nullptr || (policy->default_ && amount == *policy->default_)) return false;
  if (policy->valid_range) {
    const Range& range = *policy->valid_range;
    return (range.max && amount > *range.max) || is_off_step(amount, range, is_fractional);
  }
  return !policy->valid_values.empty() &&
         std::ranges::find(policy->valid_values, amount) == policy->valid_values.end();
}

const Quantity* wanted_of(const Ask& ask, std::string_view name) {
  if (!ask.capacity) return nullptr;
  const auto found = std::ranges::find(*ask.capacity, name, &NamedQuantity::first);
  return found == ask.capacity->end() ? nullptr : &found->second;
}

}  // namespace

const std::string* missing_capacity(const Ask& ask, const Device& device) {
  if (!ask.capacity) return nullptr;
  const auto missing = std::ranges::find_if(*ask.capacity, [&](const NamedQuantity& wanted) {
    return std::ranges::find(device.capacity, wanted.first, &cel::Capacity::qualified_name) ==
           device.capacity.end();
  });
  return missing == ask.capacity->end() ? nullptr : &missing->first;
}

std::expected<Consumption, std::string> consumption_of(const Ask& ask, const Device& device,
                                                       bool is_fractional) {
  Consumption all;
  all.reserve(device.capacity.size());
  for (std::size_t i = 0; i < device.capacity.size(); ++i) {
    const cel::Capacity& capacity = device.capacity[i];
    const std::string_view name = capacity.qualified_name();
    Result amount =
        amount_of(wanted_of(ask, name), capacity.value(), device.policy(i), is_fractional);
    if (amount && amount->sign() < 0) amount = std::unexpected("capacity value is negative");
    if (!amount) return std::unexpected(fmt::format("capacity \"{}\": {}", name, amount.error()));
    all.push_back(*amount);
  }
  return all;
}

std::optional<CapacityObstacle> capacity_obstacle(const Ask& ask, const Device& device,
                                                  const Consumption& wanted,
                                                  const Amounts* consumed, const Consumption& taken,
                                                  bool is_fractional) {
  using enum CapacityObstacle::Kind;
  if (const std::string* const name = missing_capacity(ask, device)) {
    const Quantity* const amount = wanted_of(ask, *name);
    return CapacityObstacle{.kind = missing, .name = *name, .wanted = *amount};
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const cel::Capacity& capacity = device.capacity[i];
    CapacityObstacle obstacle{too_small, std::string(capacity.qualified_name()), capacity.value(),
                              Quantity(), wanted[i]};
    if (is_refused(wanted[i], device.policy(i), is_fractional)) {
      obstacle.kind = refused;
      return obstacle;
    }
    std::optional<Quantity> sum = wanted[i];
    if (!taken.empty()) sum = sum->add(taken[i]);
    if (consumed != nullptr) {
      const auto used = consumed->find(capacity.qualified_name());
      if (used != consumed->end()) {
        obstacle.consumed = used->second;
        if (sum) sum = sum->add(used->second);
      }
    }
    if (!sum || *sum > capacity.value()) return obstacle;
  }
  return std::nullopt;
}

}  // namespace dcm::allocation
