#include "playground/scheduler/waiting_room.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "playground/scheduler/error_backoff.hpp"

namespace dcm::playground {
namespace {

using Names = std::vector<api::NamespacedName>;

const api::NamespacedName kA{"lab", "a"};
const api::NamespacedName kB{"lab", "b"};
const api::NamespacedName kC{"lab", "c"};

TEST(ErrorBackoff, doubles_from_one_second_to_ten) {
  ErrorBackoff backoff;
  std::vector<std::int64_t> seconds;
  for (int i = 0; i < 6; ++i) {
    seconds.push_back(std::chrono::round<std::chrono::seconds>(backoff.next(kA)).count());
  }
  EXPECT_EQ(seconds, (std::vector<std::int64_t>{1, 2, 4, 8, 10, 10}));
  backoff.forget(kA);
  EXPECT_EQ(backoff.next(kA), std::chrono::seconds(1));
}

TEST(WaitingRoom, tries_first_pod_of_each_line) {
  WaitingRoom room;
  room.wait(kA, "gpu:1", 0);
  room.wait(kB, "gpu:1", 0);
  room.wait(kC, "gpu:2", 0);
  EXPECT_EQ(room.heads(), (Names{kA, kC}));
}

TEST(WaitingRoom, names_next_pod_when_first_leaves) {
  WaitingRoom room;
  room.wait(kA, "gpu:1", 0);
  room.wait(kB, "gpu:1", 0);
  EXPECT_EQ(room.leave(kA), kB);
  EXPECT_EQ(room.leave(kB), std::nullopt);
  EXPECT_EQ(room.size(), 0U);
  EXPECT_TRUE(room.heads().empty());
}

TEST(WaitingRoom, names_no_pod_when_another_leaves) {
  WaitingRoom room;
  room.wait(kA, "gpu:1", 0);
  room.wait(kB, "gpu:1", 0);
  EXPECT_EQ(room.leave(kB), std::nullopt);
  EXPECT_EQ(room.leave(kC), std::nullopt);
  EXPECT_EQ(room.heads(), Names{kA});
}

TEST(WaitingRoom, keeps_place_of_returning_pod) {
  WaitingRoom room;
  room.wait(kA, "gpu:1", 0);
  room.wait(kB, "gpu:1", 0);
  room.wait(kA, "gpu:1", 0);
  EXPECT_EQ(room.heads(), Names{kA});
}

TEST(WaitingRoom, tries_higher_priority_first) {
  WaitingRoom room;
  room.wait(kA, "a", 0);
  room.wait(kB, "b", -1);
  room.wait(kC, "c", 1000);
  EXPECT_EQ(room.heads(), (Names{kC, kA, kB}));
}

TEST(WaitingRoom, tries_earlier_arrival_first) {
  WaitingRoom room;
  room.wait(kC, "z", 0);
  room.wait(kA, "y", 0);
  room.wait(kB, "x", 0);
  EXPECT_EQ(room.heads(), (Names{kC, kA, kB}));
}

TEST(WaitingRoom, names_next_pod_when_first_changes_its_line) {
  WaitingRoom room;
  EXPECT_EQ(room.wait(kA, "gpu:1", 0), std::nullopt);
  EXPECT_EQ(room.wait(kB, "gpu:1", 0), std::nullopt);
  EXPECT_EQ(room.wait(kA, "gpu:1", 0), std::nullopt) << "it stays";
  EXPECT_EQ(room.wait(kA, "gpu:2", 0), kB);
}

TEST(WaitingRoom, moves_changed_pod_to_end_of_its_line) {
  WaitingRoom room;
  room.wait(kA, "gpu:1", 0);
  room.wait(kB, "gpu:2", 0);
  room.wait(kA, "gpu:2", 0);
  EXPECT_EQ(room.heads(), Names{kB});
  EXPECT_EQ(room.size(), 2U);
}

}  // namespace
}  // namespace dcm::playground
