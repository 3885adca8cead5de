#include "explain/evidence_words.hpp"

#include <string>

#include <gtest/gtest.h>

namespace dcm::explain {
namespace {

TEST(Quote, cuts_long_message_between_characters) {
  EXPECT_EQ(quote("no more\ndevices"), "\"no more devices\"");
  EXPECT_EQ(quote(std::string(1001, 'x')), '"' + std::string(1000, 'x') + '"');
  EXPECT_EQ(quote(std::string(999, 'x') + "\u20ac" + "yy"), '"' + std::string(999, 'x') + '"');
}

}  // namespace
}  // namespace dcm::explain
