// Health endpoints as in Kubernetes components: named checks behind /healthz, /livez, /readyz.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/problem.hpp"

namespace dcm::manager {

// Returns nullopt if all is well. Another program's text belongs in a Problem made of its error. An
// exception is a failure of the check.
using HealthCheck = std::function<std::optional<runtime::Problem>()>;

enum class Verbose { no, yes };

// How much of a problem is shown.
enum class Reasons { whole, by_name };

struct HealthReport {
  bool is_healthy;
  std::string text;  // "ok", or a line for each check with its reason
};

class HealthChecks {
 public:
  // Checks run in the order they were added. All references of a check must outlive this.
  void add(std::string name, HealthCheck check);
  // "[+]name ok" and "[-]name failed: why" for each check, if requested or if one fails.
  HealthReport run(std::string_view endpoint, Verbose verbose,
                   Reasons reasons = Reasons::whole) const;

 private:
  struct Named {
    std::string name;
    HealthCheck check;
  };
  std::vector<Named> checks_;
};

// The checks behind each health path. Liveness fails only for what a restart cures. Readiness: the
// controllers have synced caches and can work.
struct Health {
  HealthChecks live;   // /healthz, /livez
  HealthChecks ready;  // /readyz
};

}  // namespace dcm::manager
