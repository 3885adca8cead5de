// Whether each object is served in time, within a bound that follows from what blocked it.
//
// An object waits while its state is unfinished (`fixed_point`). It is blocked while a fault
// may lose, refuse or delay its requests or events, or while its owner requests something
// unavailable. Nothing tells a manager that a fault is over: a back-off that has grown meanwhile
// continues for as long again, at most kBackoffMax. After that, and at once if no fault has blocked
// it, it is served within `prompt`, whatever blocks its neighbours.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/time.hpp"
#include "test/simulation/fixed_point.hpp"

namespace dcm::simulation {

// What a fault may block.
struct Obstacle {
  enum class Of { nobody, one_namespace, evictions, everybody } of = Of::nobody;
  std::string ns{};  // of one_namespace
  // A budget is no failure: it is asked repeatedly, and no back-off is left when it yields.
  bool grows_backoff = true;

  // A subject is named by its namespace first, unless it is cluster-scoped.
  bool holds_up(const Missing& missing) const {
    if (of == Of::one_namespace) return missing.details.starts_with(ns + "/");
    return of == Of::everybody || (of == Of::evictions && missing.is_about_evictions());
  }
};

class Liveness {
 public:
  explicit Liveness(runtime::Duration prompt) : prompt_(prompt) {}

  // Call it repeatedly, with what is currently missing. Returns the first late item.
  std::optional<Breach> look(runtime::MonoTime now, const std::vector<Missing>& missing,
                             const Obstacle& obstacle);
  // Whether everything that was missing at the last check was blocked.
  bool is_served() const { return is_served_; }

 private:
  struct Wait {
    runtime::MonoTime since;
    std::optional<runtime::MonoTime> held_up_until{};
    bool meets_fault = false;
  };

  bool is_late(const Wait& wait, runtime::MonoTime now) const;

  runtime::Duration prompt_;
  std::map<std::string, Wait> waits_;
  runtime::MonoTime last_look_{};
  bool is_served_ = true;
};

}  // namespace dcm::simulation
