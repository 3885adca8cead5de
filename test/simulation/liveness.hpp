// Whether each object is served in time: a bound that follows from what was in its way.
//
// An object waits while something is missing about it (`fixed_point`). It is held up while a fault
// may lose, refuse or delay its requests or its news, or while its owner asks for what cannot be
// had. Nobody tells a manager that a fault is over: a back-off that has grown meanwhile goes on for
// as long again, at most kBackoffMax. After that, and at once if no fault has held it up, it is
// served within `prompt`, whatever holds up its neighbours.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/time.hpp"
#include "test/simulation/fixed_point.hpp"

namespace dcm::simulation {

// What a fault may hold up.
struct Obstacle {
  enum class Of { nobody, one_namespace, evictions, everybody } of = Of::nobody;
  std::string ns{};  // of one_namespace
  // A budget is no failure: it is asked again and again, and no back-off is left when it yields.
  bool grows_backoff = true;

  // A thing is named by its namespace first, apart from those of the cluster.
  bool holds_up(const Missing& missing) const {
    if (of == Of::one_namespace) return missing.details.starts_with(ns + "/");
    return of == Of::everybody || (of == Of::evictions && missing.is_about_evictions());
  }
};

class Liveness {
 public:
  explicit Liveness(runtime::Duration prompt) : prompt_(prompt) {}

  // To be called again and again, with what is missing at that moment. Returns the first that is
  // late.
  std::optional<Breach> look(runtime::MonoTime now, const std::vector<Missing>& missing,
                             const Obstacle& obstacle);
  // At the last look, what was missing was held up.
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
