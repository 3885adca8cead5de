#include "apiserver/rules/quality_of_service.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace dcm::apiserver {

namespace {

enum class Class { best_effort, burstable, guaranteed };

constexpr std::array<std::string_view, 2> kResources = {"cpu", "memory"};

// The numeric value of a quantity, exact enough to compare two of them; 0 if invalid.
long double number_of(std::string_view quantity) {
  const auto end = quantity.find_first_not_of("+-.0123456789");
  const std::string_view suffix = end == std::string_view::npos ? "" : quantity.substr(end);
  double number = 0;
  std::from_chars(quantity.data(), quantity.data() + std::min(end, quantity.size()), number);
  constexpr std::string_view kBinary = "KMGTPE";
  constexpr std::string_view kDecimal = "numkMGTPE";
  if (suffix.ends_with('i')) {
    return std::ldexp(static_cast<long double>(number),
                      static_cast<int>(10 * (kBinary.find(suffix.front()) + 1)));
  }
  int power = 0;
  const auto place = suffix.size() == 1 ? kDecimal.find(suffix) : std::string_view::npos;
  if (place != std::string_view::npos) {
    power = 3 * (static_cast<int>(place) - (place < 3 ? 3 : 2));
  } else if (suffix.starts_with('e') || suffix.starts_with('E')) {
    std::from_chars(suffix.data() + 1, suffix.data() + suffix.size(), power);
  }
  // Division keeps whole numbers whole.
  const long double factor = std::pow(10.0L, std::abs(power));
  return power < 0 ? static_cast<long double>(number) / factor
                   : static_cast<long double>(number) * factor;
}

long double amount(const JsonObject& resources, const char* list, std::string_view resource) {
  const Json* const value = find(resources, {list, resource});
  if (value == nullptr) return 0;
  return number_of(value->is_string() ? std::string(view(value->get_string())) : serialize(*value));
}

Class class_of(const JsonObject& resources) {
  std::optional<Class> whole;
  for (const std::string_view resource : kResources) {
    const long double request = amount(resources, "requests", resource);
    if (request != amount(resources, "limits", resource)) return Class::burstable;
    const Class one = request == 0 ? Class::best_effort : Class::guaranteed;
    if (whole.value_or(one) != one) return Class::burstable;
    whole = one;
  }
  return *whole;
}

bool asks_as_a_whole(const JsonObject& pod_spec) {
  return std::ranges::any_of(std::array{"requests", "limits"}, [&](const char* list) {
    return std::ranges::any_of(object_at(pod_spec, {"resources", list}), [](const auto& member) {
      const std::string_view name = member.key();
      return name == "cpu" || name == "memory" || name.starts_with("hugepages-");
    });
  });
}

Class class_of_pod(const JsonObject& spec) {
  if (asks_as_a_whole(spec)) return class_of(object_at(spec, {"resources"}));
  std::optional<Class> whole;
  for (const auto* list : {"initContainers", "containers"}) {
    for (const Json& container : array_at(spec, {list})) {
      const Class one = class_of(object_at(as_object(container), {"resources"}));
      if (whole.value_or(one) != one) return Class::burstable;
      whole = one;
    }
  }
  return whole.value_or(Class::best_effort);
}

}  // namespace

std::string_view qos_class(const JsonObject& pod_spec) {
  const Class found = class_of_pod(pod_spec);
  if (found == Class::best_effort) return "BestEffort";
  return found == Class::guaranteed ? "Guaranteed" : "Burstable";
}

}  // namespace dcm::apiserver
