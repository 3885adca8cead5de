// metav1.Condition: what a controller says about an object, in `status.conditions`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/time.hpp"

namespace dcm::api {

struct Condition {
  std::string type;    // "Ready"
  std::string status;  // "True", "False", "Unknown"
  std::string reason;  // one word in CamelCase; required by the API
  std::string message = {};
  std::int64_t observed_generation = 0;         // 0: left out
  runtime::WallTime last_transition_time = {};  // of `status`; set_condition() sets it

  // Whether both are equal apart from the time.
  bool says_the_same(const Condition& other) const;

  friend bool operator==(const Condition&, const Condition&) = default;
};

// The condition of that type; null if there is none.
const Condition* find_condition(const std::vector<Condition>& conditions, std::string_view type);
// Replaces the condition of its type, or appends it. Its time becomes `now` if its status changes.
// Returns whether anything changed: if not, there is nothing to write.
bool set_condition(std::vector<Condition>& conditions, Condition condition, runtime::WallTime now);

}  // namespace dcm::api
