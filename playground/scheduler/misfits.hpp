// Remembers where claims have found no devices, so that a full cluster is not searched again for
// each of a thousand equal pods.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "playground/objects/objects.hpp"

namespace dcm::playground {

class Misfits {
 public:
  // For each node the version (Devices::version) at which claims with certain requests did not fit.
  using Nodes = std::unordered_map<InternedString, std::uint64_t>;

  // Valid until the next call. `wishes`: equal for claims with equal requests.
  Nodes& of(const std::string& wishes) {
    constexpr std::size_t kWishesMax = 1000;
    if (by_wishes_.size() >= kWishesMax && !by_wishes_.contains(wishes)) by_wishes_.clear();
    return by_wishes_[wishes];
  }

 private:
  std::unordered_map<std::string, Nodes> by_wishes_;
};

}  // namespace dcm::playground
