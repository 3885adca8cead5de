#include "node/agent/connection_news.hpp"

#include <gtest/gtest.h>

namespace dcm::node {
namespace {

using namespace std::chrono_literals;

constexpr runtime::MonoTime kStart{1000h};

TEST(ConnectionNews, counts_driver_that_appears_and_connects) {
  ConnectionNews news;
  EXPECT_TRUE(news.observe("gpu", false, kStart));
  EXPECT_TRUE(news.observe("gpu", true, kStart + 1ms));
  EXPECT_TRUE(news.observe("nic", false, kStart + 1ms)) << "another driver";
  EXPECT_FALSE(news.observe("gpu", false, kStart + 1h));
  EXPECT_TRUE(news.observe("gpu", true, kStart + 1h));
}

TEST(ConnectionNews, counts_ever_fewer_of_many_connections) {
  ConnectionNews news;
  news.observe("gpu", false, kStart);
  const auto count = [&](runtime::MonoTime from, runtime::Duration length) {
    int counted = 0;
    for (auto now = from; now < from + length; now += 10ms) {
      counted += news.observe("gpu", true, now) ? 1 : 0;
    }
    return counted;
  };
  EXPECT_EQ(count(kStart, 10s), 4) << "after 0 s, 1 s, 3 s and 7 s";
  EXPECT_LE(count(kStart + 10s, 1h), 64);
  EXPECT_EQ(count(kStart + 2h, 10s), 4) << "as at first, after a calm time";
}

}  // namespace
}  // namespace dcm::node
