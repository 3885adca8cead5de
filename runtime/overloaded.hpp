// One visitor of a variant, made of a case for each of its alternatives.
#pragma once

namespace dcm::runtime {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

}  // namespace dcm::runtime
