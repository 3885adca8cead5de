#include "manager/health.hpp"

#include <fmt/format.h>

#include "runtime/failure.hpp"
#include "runtime/one_line.hpp"

namespace dcm::manager {
namespace {

// An exception is the check's failure: the other checks are reported all the same. Its text may be
// anything, so unknown callers do not see it.
std::optional<runtime::Problem> problem_of(const HealthCheck& check) {
  std::exception_ptr failure;
  try {
    return check();
  } catch (...) {
    failure = std::current_exception();
  }
  if (!runtime::is_isolated(failure)) std::rethrow_exception(failure);
  runtime::Problem problem("the check threw an exception");
  problem.whole += ": " + runtime::one_line(runtime::text_of(failure));
  return problem;
}

}  // namespace

void HealthChecks::add(std::string name, HealthCheck check) {
  checks_.push_back({std::move(name), std::move(check)});
}

HealthReport HealthChecks::run(std::string_view endpoint, Verbose verbose, Reasons reasons) const {
  bool is_healthy = true;
  std::string lines;
  for (const Named& named : checks_) {
    const auto problem = problem_of(named.check);
    is_healthy = is_healthy && !problem;
    if (!problem) {
      lines += fmt::format("[+]{} ok\n", named.name);
    } else {
      lines += fmt::format("[-]{} failed: {}\n", named.name,
                           reasons == Reasons::whole ? problem->whole : problem->by_name);
    }
  }
  if (is_healthy && verbose == Verbose::no) return {true, "ok"};
  lines += fmt::format("{} check {}\n", endpoint, is_healthy ? "passed" : "failed");
  return {is_healthy, std::move(lines)};
}

}  // namespace dcm::manager
