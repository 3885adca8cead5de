#include "playground/taint/taint_changes.hpp"

#include <ostream>

#include <gmock/gmock.h>

namespace dcm::playground {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ParseDevice, reads_driver_pool_and_device) {
  const auto device = parse_device("gpu.example.com/node-0/dev-3");
  ASSERT_TRUE(device);
  EXPECT_EQ(device->driver.str(), "gpu.example.com");
  EXPECT_EQ(device->pool.str(), "node-0");
  EXPECT_EQ(device->device.str(), "dev-3");
}

TEST(ParseDevice, accepts_slashes_in_pool_name) {
  const auto device = parse_device("gpu.example.com/rack-1/switch-2/dev-3");
  ASSERT_TRUE(device);
  EXPECT_EQ(device->pool.str(), "rack-1/switch-2");
}

TEST(ParseDevice, rejects_missing_part) {
  for (const char* text : {"", "dev-3", "node-0/dev-3", "/node-0/dev-3", "gpu//dev-3", "gpu/p/"}) {
    const auto device = parse_device(text);
    ASSERT_FALSE(device) << text;
    EXPECT_THAT(device.error().message, HasSubstr("DRIVER/POOL/DEVICE"));
  }
}

TEST(ParseTaintChanges, adds_and_removes_like_kubectl) {
  const auto changes = parse_taint_changes(
      {"example.com/unhealthy=ecc:NoExecute", "drain:NoSchedule", "old:None-", "gone-"});
  ASSERT_TRUE(changes);
  EXPECT_THAT(changes->add, ElementsAre(Taint{"example.com/unhealthy", "ecc", "NoExecute"},
                                        Taint{"drain", "", "NoSchedule"}));
  EXPECT_THAT(changes->remove, ElementsAre(Taint{"old", "", "None"}, Taint{"gone", "", ""}));
}

struct Row {
  std::string sentence;
  std::vector<std::string> specs;
  std::string complaint;
  friend std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.sentence; }
};

class BadTaints : public ::testing::TestWithParam<Row> {};

TEST_P(BadTaints, are_rejected_by_name) {
  const auto changes = parse_taint_changes(GetParam().specs);
  ASSERT_FALSE(changes);
  EXPECT_THAT(changes.error().message, HasSubstr(GetParam().complaint));
}

const Row kRows[] = {
    {"a_new_taint_without_effect", {"key=value"}, "needs an effect"},
    {"an_effect_that_devices_do_not_have", {"key:PreferNoSchedule"}, "key:PreferNoSchedule"},
    {"an_effect_in_small_letters", {"key:noexecute"}, "NoExecute"},
    {"no_key", {"=value:NoExecute"}, "needs a key"},
    {"no_key_to_remove", {"-"}, "needs a key"},
    {"an_empty_effect", {"key:"}, "key:"},
    {"a_second_colon", {"key:NoExecute:NoExecute"}, "NoExecute:NoExecute"},
    {"a_second_equals_sign", {"key=a=b:NoExecute"}, "key=a=b:NoExecute"},
    {"two_for_one_key_and_effect", {"key=a:NoExecute", "key=b:NoExecute"}, "same key and effect"},
};

INSTANTIATE_TEST_SUITE_P(Rows, BadTaints, ::testing::ValuesIn(kRows),
                         [](const auto& info) { return info.param.sentence; });

}  // namespace
}  // namespace dcm::playground
