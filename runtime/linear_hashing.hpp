// The buckets of a hash table that grows by one bucket at a time, so that no insertion pauses for
// all entries: linear hashing (Litwin, VLDB 1980).
//
// Of the buckets that a power of two would have, the last ones may be missing. Their entries are in
// the buckets from which they will be split off.
#pragma once

#include <bit>
#include <cstddef>

namespace dcm::runtime {

// The bucket of a hash, of `buckets` > 0.
constexpr std::size_t linear_bucket(std::size_t hash, std::size_t buckets) {
  const std::size_t full = std::bit_floor(buckets);
  const std::size_t bucket = hash & (2 * full - 1);
  return bucket < buckets ? bucket : bucket - full;
}

// The bucket whose entries are divided when bucket `added` > 0 is appended.
constexpr std::size_t linear_split(std::size_t added) {
  return added - std::bit_floor(added);
}

}  // namespace dcm::runtime
