#include "runtime/chunked_vector.hpp"

#include <string>

#include <gtest/gtest.h>

namespace dcm::runtime {
namespace {

TEST(ChunkedVector, keeps_elements_in_place) {
  ChunkedVector<std::string> vector;
  EXPECT_TRUE(vector.empty());
  vector.push_back("0");
  const std::string* first = &vector[0];
  for (int i = 1; i < 10'000; ++i) vector.push_back(std::to_string(i));
  EXPECT_EQ(&vector[0], first);
  EXPECT_EQ(vector.size(), 10'000U);
  for (std::size_t i = 0; i < vector.size(); ++i) EXPECT_EQ(vector[i], std::to_string(i));
}

}  // namespace
}  // namespace dcm::runtime
