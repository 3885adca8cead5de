#include "runtime/assert.hpp"

#include <fmt/format.h>

namespace dcm::runtime {

void invariant_violated(const char* condition, std::source_location where) {
  throw InvariantViolation(
      fmt::format("{}:{}: broken invariant: {}", where.file_name(), where.line(), condition));
}

}  // namespace dcm::runtime
