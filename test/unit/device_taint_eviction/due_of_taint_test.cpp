// When one taint evicts a pod from one device.
#include "controllers/device_taint_eviction/rules/due_of_taint.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "test/unit/device_taint_eviction/world.hpp"

namespace dcm::device_taint_eviction {
namespace {

constexpr auto kMost = seconds(std::numeric_limits<std::int64_t>::max());
constexpr auto kLeast = seconds(std::numeric_limits<std::int64_t>::min());

struct Row {
  const char* sentence;
  api::DeviceTaint taint;
  std::vector<api::DeviceToleration> tolerations;
  std::optional<WallTime> due;
};

TEST(Due, depends_on_taint) {
  const api::DeviceTaint burnt = no_execute("burnt", 100s, "badly");
  api::DeviceTaint timeless = burnt;
  timeless.time_added.reset();
  const Row kRows[] = {
      {"without a toleration it is when the taint was added", burnt, {}, at(100s)},
      {"one forever", burnt, {exists("burnt")}, {}},
      {"one for every key", burnt, {exists("")}, {}},
      {"one for another key does not count", burnt, {exists("wet")}, at(100s)},
      {"an equal value", burnt, {equals("burnt", "badly")}, {}},
      {"another value does not count", burnt, {equals("burnt", "a bit")}, at(100s)},
      {"a key is not needed for an equal value", burnt, {equals("", "badly")}, {}},
      {"Exists does not look at the value", burnt, {exists("burnt", 5s)}, at(105s)},
      {"for a time", burnt, {exists("burnt", 30s)}, at(130s)},
      {"the shortest of several", burnt, {exists("", 30s), exists("burnt", 20s)}, at(120s)},
      {"the shortest matching one", burnt, {exists("wet", 1s), exists("burnt", 20s)}, at(120s)},
      {"forever wins over any time", burnt, {exists("", 30s), exists("burnt")}, {}},
      {"a time of 0 is at once", burnt, {exists("burnt", 0s)}, at(100s)},
      {"a negative time is 0", burnt, {exists("burnt", -7s)}, at(100s)},
      {"the least time that can be said is 0", burnt, {exists("burnt", kLeast)}, at(100s)},
      {"a negative time is the shortest", burnt, {exists("", 9s), exists("burnt", -7s)}, at(100s)},
      {"the longest time that can be said does not overflow",
       burnt,
       {exists("burnt", kMost)},
       WallTime::max()},
      {"300 years do not either", burnt, {exists("burnt", 300h * 24 * 366)}, WallTime::max()},
      {"a taint of the farthest future stays there",
       {"burnt", "", api::TaintEffect::no_execute, WallTime::max(), 0},
       {exists("burnt", 1s)},
       WallTime::max()},
      {"a taint of the farthest past",
       {"burnt", "", api::TaintEffect::no_execute, WallTime::min(), 0},
       {exists("burnt", 1s)},
       WallTime::min() + 1s},
      {"a long time after the farthest past does not overflow",
       {"burnt", "", api::TaintEffect::no_execute, WallTime::min(), 0},
       {exists("burnt", 12'000'000'000s)},
       WallTime::min() + 9'000'000'000s + 3'000'000'000s},
      {"a taint without a time is ignored", timeless, {}, {}},
      {"NoSchedule does not evict", with_effect(api::TaintEffect::no_schedule), {}, {}},
      {"None does not evict", with_effect(api::TaintEffect::none), {}, {}},
      {"an effect that we don't know does not evict", with_effect(api::TaintEffect::other), {}, {}},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(due_of_taint(row.taint, &row.tolerations), row.due) << row.sentence;
  }
  EXPECT_EQ(due_of_taint(burnt, nullptr), at(100s));
}

}  // namespace
}  // namespace dcm::device_taint_eviction
