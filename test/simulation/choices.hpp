// The choices of one order of events, and the next order: a depth-first walk over all of them that
// keeps no state but the choices, and runs a new world for each order.
#pragma once

#include <cstddef>
#include <vector>

namespace dcm::simulation {

class Choices {
 public:
  // A deviation is any choice but the first; limits their number in an order.
  explicit Choices(std::size_t deviations_max) : deviations_max_(deviations_max) {}
  // Follows one order: first the given choices, then always the first one.
  explicit Choices(std::vector<std::size_t> order) : prefix_(std::move(order)) {}

  // Chooses one of `count` options (at least one), as the order prescribes.
  std::size_t choose(std::size_t count);
  // Moves to the next order; false if there is none.
  bool next();

  // The choices, without trailing zeros.
  std::vector<std::size_t> order() const;
  // Whether a prefix requested more than there was: the world depends on more than its choices.
  bool has_diverged() const { return has_diverged_; }

 private:
  struct Choice {
    std::size_t chosen, count;
  };

  std::size_t deviations_max_ = 0;
  std::vector<std::size_t> prefix_;
  std::vector<Choice> taken_;
  bool has_diverged_ = false;
};

}  // namespace dcm::simulation
