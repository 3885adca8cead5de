#include "runtime/keyed_hash.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "runtime/interned_string.hpp"

namespace dcm::runtime {
namespace {

constexpr HashKey kPublished{0x0706050403020100ULL, 0x0f0e0d0c0b0a0908ULL};

std::string bytes_up_to(char last) {
  std::string text;
  for (char c = 0; c < last; ++c) text += c;
  return text;
}

// The test vectors of the authors' implementation: bytes 0, 1, 2, …
TEST(SipHash, gives_published_values) {
  EXPECT_EQ((sip_hash<2, 4>(kPublished, "")), 0x726fdb47dd0e0e31ULL);
  EXPECT_EQ((sip_hash<2, 4>(kPublished, bytes_up_to(1))), 0x74f839c593dc67fdULL);
  EXPECT_EQ((sip_hash<2, 4>(kPublished, bytes_up_to(15))), 0xa129ca6149be45e5ULL);
}

TEST(SipHash, depends_on_key_and_whole_text) {
  std::set<std::uint64_t> hashes;
  for (const HashKey& key : {HashKey{1, 2}, HashKey{1, 3}, HashKey{2, 2}}) {
    for (const auto* text : {"", "a", "b", "abcdefgh", "abcdefgi", "abcdefgha"}) {
      hashes.insert(sip_hash(key, text));
    }
  }
  EXPECT_EQ(hashes.size(), 18U);
}

TEST(KeyedHash, keeps_its_key_once_strings_are_interned) {
  const InternedString text("text");
  const HashKey before = hash_key();
  choose_hash_key();
  EXPECT_EQ(hash_key(), before);
}

}  // namespace
}  // namespace dcm::runtime
