// Checks of our own invariants. They stay on in release builds: a controller that has lost track
// of its state must stop, not write. Input from outside is never asserted on.
#pragma once

#include <source_location>
#include <stdexcept>

namespace dcm::runtime {

// A bug in our own code. Ends the process (nothing catches it below cmd/).
class InvariantViolation : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void invariant_violated(const char* condition, std::source_location where);

}  // namespace dcm::runtime

#define DCM_ASSERT(condition)   \
  (static_cast<bool>(condition) \
       ? static_cast<void>(0)   \
       : ::dcm::runtime::invariant_violated(#condition, std::source_location::current()))
