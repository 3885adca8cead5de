// Health endpoints as Kubernetes components have them: named checks behind /healthz, /livez,
// /readyz.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dcm::manager {

// Answers nothing when all is well, else why not, in one line. Texts of others stand behind the
// name of their error (runtime::to_string).
using HealthCheck = std::function<std::optional<std::string>()>;

enum class Verbose { no, yes };

// How much of a reason is shown. It may end with what the API server, or a proxy, has said: callers
// who are not known see it up to the name of the error, as "pods: not synced: forbidden".
enum class Reasons { whole, by_name };

struct HealthReport {
  bool is_healthy;
  std::string text;  // "ok", or a line for each check with its reason
};

class HealthChecks {
 public:
  // Checks run in the order they were added. All that a check refers to must outlive this.
  void add(std::string name, HealthCheck check);
  // "[+]name ok" and "[-]name failed: why" for each check where asked for or where one fails.
  HealthReport run(std::string_view endpoint, Verbose verbose,
                   Reasons reasons = Reasons::whole) const;

 private:
  struct Named {
    std::string name;
    HealthCheck check;
  };
  std::vector<Named> checks_;
};

// The checks behind each health path. Liveness means that restarting would help, readiness that the
// controllers know the cluster and can work.
struct Health {
  HealthChecks live;   // /healthz, /livez
  HealthChecks ready;  // /readyz
};

}  // namespace dcm::manager
