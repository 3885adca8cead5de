// What happens to a write in flight: refused, lost, or executed without an answer.
#pragma once

#include <cstdint>
#include <ostream>
#include <vector>

#include "test/support/fault_rules.hpp"

namespace dcm::conformance {

// An answer sent instead of the server's: a Status.
support::Fault answer(std::uint16_t status, const char* reason, http::Headers headers = {});

struct Trouble {
  const char* name;
  support::Fault fault;

  friend void PrintTo(const Trouble& trouble, std::ostream* out) { *out << trouble.name; }
};

std::vector<Trouble> troubles();

}  // namespace dcm::conformance
