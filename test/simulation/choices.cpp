#include "test/simulation/choices.hpp"

#include <algorithm>

namespace dcm::simulation {

std::size_t Choices::choose(std::size_t count) {
  const std::size_t number = taken_.size();
  std::size_t chosen = number < prefix_.size() ? prefix_[number] : 0;
  if (chosen >= count) {
    has_diverged_ = true;
    chosen = 0;
  }
  taken_.push_back({chosen, count});
  return chosen;
}

bool Choices::next() {
  auto deviations = static_cast<std::size_t>(
      std::ranges::count_if(taken_, [](const Choice& each) { return each.chosen > 0; }));
  while (!taken_.empty()) {
    const Choice last = taken_.back();
    taken_.pop_back();
    if (last.chosen > 0) --deviations;
    if (last.chosen + 1 >= last.count || deviations >= deviations_max_) continue;
    prefix_.clear();
    for (const Choice& each : taken_) prefix_.push_back(each.chosen);
    prefix_.push_back(last.chosen + 1);
    taken_.clear();
    return true;
  }
  return false;
}

std::vector<std::size_t> Choices::order() const {
  std::vector<std::size_t> order;
  for (const Choice& each : taken_) order.push_back(each.chosen);
  while (!order.empty() && order.back() == 0) order.pop_back();
  return order;
}

}  // namespace dcm::simulation
