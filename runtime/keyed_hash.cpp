#include "runtime/keyed_hash.hpp"

#include "runtime/interned_string.hpp"
#include "runtime/rng.hpp"

namespace dcm::runtime {

namespace {

HashKey key{0x0706050403020100ULL, 0x0f0e0d0c0b0a0908ULL};

}  // namespace

const HashKey& hash_key() {
  return key;
}

void choose_hash_key() {
  if (InternedString::table_size() > 0) return;
  for (std::uint64_t& word : key) word = Rng::from_system().next();
}

}  // namespace dcm::runtime
