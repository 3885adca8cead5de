// How an item comes to be handled: what its handling needs to know beside the item.
#pragma once

#include <cstdint>

#include "workqueue/priority.hpp"

namespace dcm::resource_claim {

struct Attempt {
  workqueue::Priority priority = workqueue::Priority::live;
  std::uint32_t failures = 0;  // attempts that failed since the last success

  // A fault that lasts is found again at each attempt: worth a line in the log at first, and when
  // attempts are 20 s and more apart.
  bool is_worth_a_line() const { return failures == 0 || failures > 12; }
};

}  // namespace dcm::resource_claim
