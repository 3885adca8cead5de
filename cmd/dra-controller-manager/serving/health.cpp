#include "cmd/dra-controller-manager/serving/health.hpp"

#include <fmt/format.h>

namespace dcm::manager {

void HealthChecks::add(std::string name, HealthCheck check) {
  checks_.push_back({std::move(name), std::move(check)});
}

HealthReport HealthChecks::run(std::string_view endpoint, Verbose verbose) const {
  bool is_healthy = true;
  std::string lines;
  for (const Named& named : checks_) {
    const auto why = named.check();
    is_healthy = is_healthy && !why;
    lines += why ? fmt::format("[-]{} failed: {}\n", named.name, *why)
                 : fmt::format("[+]{} ok\n", named.name);
  }
  if (is_healthy && verbose == Verbose::no) return {true, "ok"};
  lines += fmt::format("{} check {}\n", endpoint, is_healthy ? "passed" : "failed");
  return {is_healthy, std::move(lines)};
}

}  // namespace dcm::manager
