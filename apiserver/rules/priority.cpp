#include "apiserver/rules/priority.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace dcm::apiserver {

namespace {

bool is_default(const JsonObject& priority_class) {
  return has_true(priority_class, "globalDefault");
}

std::string_view name_of(const JsonObject& priority_class) {
  return text_at(priority_class, {"metadata", "name"});
}

template <class Wanted>
const JsonObject* find_class(const std::vector<Store::Entry>& classes, Wanted wanted) {
  const auto found =
      std::ranges::find_if(classes, [&](const Store::Entry& each) { return wanted(*each.object); });
  return found == classes.end() ? nullptr : found->object.get();
}

}  // namespace

std::optional<std::string> admit_priority(JsonObject& spec,
                                          const std::vector<Store::Entry>& classes) {
  const std::string wanted(text_at(spec, {"priorityClassName"}));
  const JsonObject* const chosen =
      wanted.empty()
          ? find_class(classes, is_default)
          : find_class(classes, [&](const auto& each) { return name_of(each) == wanted; });
  if (!wanted.empty() && chosen == nullptr) {
    return fmt::format("no PriorityClass with name {} was found", wanted);
  }
  const std::int64_t priority = chosen ? integer_at(*chosen, {"value"}).value_or(0) : 0;
  std::string policy(chosen ? text_at(*chosen, {"preemptionPolicy"}) : "");
  if (policy.empty()) policy = "PreemptLowerPriority";
  constexpr auto kComputed =
      "must not be provided in pod spec; priority admission controller computed";
  if (const auto own = integer_at(spec, {"priority"}); own && *own != priority) {
    return fmt::format("the integer value of priority ({}) {} {} from the given PriorityClass name",
                       *own, kComputed, priority);
  }
  if (const auto own = text_at(spec, {"preemptionPolicy"}); !own.empty() && own != policy) {
    return fmt::format(
        "the string value of PreemptionPolicy ({}) {} {} from the given PriorityClass name", own,
        kComputed, policy);
  }
  if (chosen != nullptr) spec["priorityClassName"] = name_of(*chosen);
  spec["priority"] = priority;
  spec["preemptionPolicy"] = policy;
  return std::nullopt;
}

std::optional<std::string> admit_priority_class(const JsonObject& wanted,
                                                const std::vector<Store::Entry>& classes) {
  if (!is_default(wanted)) return std::nullopt;
  const JsonObject* const other = find_class(classes, [&](const JsonObject& each) {
    return is_default(each) && name_of(each) != name_of(wanted);
  });
  if (other == nullptr) return std::nullopt;
  return fmt::format("PriorityClass {} is already marked as default. Only one default can exist",
                     name_of(*other));
}

}  // namespace dcm::apiserver
