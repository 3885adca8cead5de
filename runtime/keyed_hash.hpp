// A hash of texts that come from outside: SipHash (Aumasson and Bernstein, 2012) with a secret key.
// Otherwise, anyone who chooses names could choose thousands with the same hash, and each look-up
// would walk through all of them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace dcm::runtime {

using HashKey = std::array<std::uint64_t, 2>;

// One round for each 8 bytes, and three at the end, suffice for hash tables (SipHash-1-3).
template <int rounds = 1, int last_rounds = 3>
std::uint64_t sip_hash(const HashKey& key, std::string_view text) {
  std::uint64_t a = key[0] ^ 0x736f6d6570736575ULL;
  std::uint64_t b = key[1] ^ 0x646f72616e646f6dULL;
  std::uint64_t c = key[0] ^ 0x6c7967656e657261ULL;
  std::uint64_t d = key[1] ^ 0x7465646279746573ULL;
  const auto mix = [&](int times) {
    for (int i = 0; i < times; ++i) {
      a += b;
      b = std::rotl(b, 13) ^ a;
      a = std::rotl(a, 32);
      c += d;
      d = std::rotl(d, 16) ^ c;
      a += d;
      d = std::rotl(d, 21) ^ a;
      c += b;
      b = std::rotl(b, 17) ^ c;
      c = std::rotl(c, 32);
    }
  };
  const auto take = [&](std::uint64_t word) {
    d ^= word;
    mix(rounds);
    a ^= word;
  };
  const std::size_t size = text.size();
  for (; text.size() >= 8; text.remove_prefix(8)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), 8);
    take(word);
  }
  std::uint64_t last = 0;
  if (!text.empty()) std::memcpy(&last, text.data(), text.size());
  take(last | static_cast<std::uint64_t>(size) << 56);
  c ^= 0xff;
  mix(last_rounds);
  return a ^ b ^ c ^ d;
}

// The key of this process. The same in each test and simulation, so that a run can be repeated.
const HashKey& hash_key();
// Chooses a random key. Call this at the start of a program: it has no effect once strings are
// interned, because their hashes would change.
void choose_hash_key();

inline std::size_t keyed_hash(std::string_view text) {
  return sip_hash(hash_key(), text);
}

// Hashes the keys of a table. Not noexcept: libstdc++ then stores the hash with each entry instead
// of computing it again for each neighbour.
struct KeyedHash {
  std::size_t operator()(std::string_view text) const { return keyed_hash(text); }
};

}  // namespace dcm::runtime
