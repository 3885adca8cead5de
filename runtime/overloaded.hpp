// Builds a visitor of a variant from one function for each alternative.
#pragma once

namespace dcm::runtime {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

}  // namespace dcm::runtime
