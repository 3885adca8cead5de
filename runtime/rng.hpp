// Randomness as an object: the only source of jitter, back-off and generated suffixes, so that a
// seed replays a run.
#pragma once

#include <cstdint>

namespace dcm::runtime {

// xoshiro256** (Blackman, Vigna), seeded through splitmix64. Not for cryptography.
class Rng {
 public:
  explicit Rng(std::uint64_t seed);
  // Seeded by the operating system.
  static Rng from_system();

  std::uint64_t next();
  // Uniform over [0, bound); 0 if bound is 0.
  std::uint64_t below(std::uint64_t bound);
  // Uniform over [0, 1).
  double unit();
  // A generator that is independent of later use of this one.
  Rng fork() { return Rng(next()); }

 private:
  std::uint64_t state_[4];
};

}  // namespace dcm::runtime
