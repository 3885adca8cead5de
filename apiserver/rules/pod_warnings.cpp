#include "apiserver/rules/pod_warnings.hpp"

#include <set>

#include <fmt/format.h>

#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/quantities.hpp"

namespace dcm::apiserver {

namespace {

void warn_of_amounts(const JsonObject& container, const std::string& path,
                     std::vector<std::string>& warnings) {
  for (const std::string list : {"limits", "requests"}) {
    for (const std::string resource : {"ephemeral-storage", "memory"}) {
      const auto amount = quantity_at(container, {"resources", list, resource});
      if (!amount || amount->as_integer()) continue;
      warnings.push_back(fmt::format(
          R"({}.resources.{}[{}]: fractional byte value "{}" is invalid, must be an integer)", path,
          list, resource, amount->text()));
    }
  }
}

// Later variables of a name hide earlier ones.
void warn_of_variables(const JsonObject& container, const std::string& path,
                       std::vector<std::string>& warnings) {
  std::set<std::string_view> names;
  for (const auto& [variable, here] : with_paths(array_at(container, {"env"}), path + ".env")) {
    const std::string_view name = text_at(variable, {"name"});
    if (names.insert(name).second) continue;
    warnings.push_back(fmt::format(
        R"({}: hides previous definition of "{}", which may be dropped when using apply)", here,
        name));
  }
}

}  // namespace

std::vector<std::string> warnings_of_pod_spec(const JsonObject& spec, const std::string& path) {
  std::vector<std::string> warnings;
  for (const std::string list : {"containers", "initContainers"}) {
    for (const auto& [container, here] : with_paths(array_at(spec, {list}), path + "." + list)) {
      warn_of_amounts(container, here, warnings);
      warn_of_variables(container, here, warnings);
    }
  }
  if (integer_at(spec, {"terminationGracePeriodSeconds"}).value_or(0) < 0) {
    warnings.push_back(path +
                       ".terminationGracePeriodSeconds: must be >= 0; negative values are "
                       "invalid and will be treated as 1");
  }
  return warnings;
}

}  // namespace dcm::apiserver
