// The choices of one order of events, and the next order: a depth-first walk over all of them that
// keeps no state but the choices, and runs a world anew for each order.
#pragma once

#include <cstddef>
#include <vector>

namespace dcm::simulation {

class Choices {
 public:
  // A deviation is a choice of anything but the first; an order has at most so many.
  explicit Choices(std::size_t deviations_max) : deviations_max_(deviations_max) {}
  // Follows one order: first the given choices, then the first each time.
  explicit Choices(std::vector<std::size_t> order) : prefix_(std::move(order)) {}

  // Chooses one of `count`, which is at least one, as the order has it.
  std::size_t choose(std::size_t count);
  // On to the next order; false: there is none.
  bool next();

  // Without the zeros at its end.
  std::vector<std::size_t> order() const;
  // Whether a prefix asked for more than there was: the world is no function of its choices.
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
