// Random draws used in several places.
#pragma once

#include <cstddef>
#include <numeric>
#include <span>

#include "runtime/rng.hpp"

namespace dcm::simulation {

// The index of one of `weights`, each with a probability proportional to it. Requires that there is
// one.
inline std::size_t draw_by_weight(runtime::Rng& rng, std::span<const double> weights) {
  double left = rng.unit() * std::accumulate(weights.begin(), weights.end(), 0.0);
  std::size_t chosen = 0;
  while (chosen + 1 < weights.size() && left >= weights[chosen]) left -= weights[chosen++];
  return chosen;
}

}  // namespace dcm::simulation
