#include "manager/health.hpp"

#include <fmt/format.h>

#include "runtime/error.hpp"
#include "runtime/failure.hpp"
#include "runtime/one_line.hpp"

namespace dcm::manager {
namespace {

// The text up to the first error's name: "forbidden" in "pods: not synced: forbidden: User …"; all
// of it, if there is none.
std::string_view up_to_error(std::string_view text) {
  std::size_t end = text.size();
  for (std::size_t i = 0; i < runtime::kReasonCount; ++i) {
    const std::string name = fmt::format("{}:", to_string(static_cast<runtime::Reason>(i)));
    for (auto at = text.find(name); at < end; at = text.find(name, at + 1)) {
      if (at > 0 && text[at - 1] != ' ') continue;
      end = at + name.size() - 1;
    }
  }
  return text.substr(0, end);
}

constexpr std::string_view kThrew = "the check threw an exception";

// An exception is the check's failure: the other checks are reported all the same. Its text may be
// anything, so unknown callers do not see it.
std::optional<std::string> reason_of(const HealthCheck& check, Reasons reasons) {
  std::exception_ptr failure;
  try {
    const auto why = check();
    if (!why || reasons == Reasons::whole) return why;
    return std::string(up_to_error(*why));
  } catch (...) {
    failure = std::current_exception();
  }
  if (!runtime::is_isolated(failure)) std::rethrow_exception(failure);
  if (reasons == Reasons::by_name) return std::string(kThrew);
  return fmt::format("{}: {}", kThrew, runtime::one_line(runtime::text_of(failure)));
}

}  // namespace

void HealthChecks::add(std::string name, HealthCheck check) {
  checks_.push_back({std::move(name), std::move(check)});
}

HealthReport HealthChecks::run(std::string_view endpoint, Verbose verbose, Reasons reasons) const {
  bool is_healthy = true;
  std::string lines;
  for (const Named& named : checks_) {
    const auto why = reason_of(named.check, reasons);
    is_healthy = is_healthy && !why;
    lines += why ? fmt::format("[-]{} failed: {}\n", named.name, *why)
                 : fmt::format("[+]{} ok\n", named.name);
  }
  if (is_healthy && verbose == Verbose::no) return {true, "ok"};
  lines += fmt::format("{} check {}\n", endpoint, is_healthy ? "passed" : "failed");
  return {is_healthy, std::move(lines)};
}

}  // namespace dcm::manager
