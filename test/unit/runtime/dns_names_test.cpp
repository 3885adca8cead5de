#include "runtime/dns_names.hpp"

#include <string>

#include <gtest/gtest.h>

namespace dcm::runtime {
namespace {

TEST(IsDriverName, accepts_dns_subdomains_of_63_characters) {
  for (const char* name : {"gpu.example.com", "a", "a-b.c0"}) EXPECT_TRUE(is_driver_name(name));
  for (const char* name :
       {"", "GPU", "a_b", ".a", "a.", "a..b", "-a", "a-", "a.-b", "a-.b", "a/b"}) {
    EXPECT_FALSE(is_driver_name(name)) << name;
  }
  EXPECT_TRUE(is_driver_name(std::string(63, 'a')));
  EXPECT_FALSE(is_driver_name(std::string(64, 'a')));
}

TEST(CanBeName, accepts_dns_subdomains_of_253_characters) {
  EXPECT_TRUE(can_be_name(std::string(253, 'a')));
  EXPECT_FALSE(can_be_name(std::string(254, 'a')));
  EXPECT_FALSE(can_be_name("a..b"));
}

}  // namespace
}  // namespace dcm::runtime
