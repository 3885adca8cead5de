#include "playground/cluster/shown_devices.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "node/posix_files.hpp"
#include "test/support/temp_folder.hpp"

namespace dcm::playground {
namespace {

namespace fs = std::filesystem;

// A folder of devices next to folders that must stay.
class ShownDevicesTest : public testing::Test {
 protected:
  ShownDevicesTest() {
    fs::create_directories(root_ / "devices");
    fs::create_directories(root_ / "precious" / "below");
    EXPECT_TRUE(files_.create(root_ / "precious" / "a.json", "{}"));
    EXPECT_TRUE(files_.create(root_ / "devices" / "own.json", "{}"));
  }

  std::size_t paths() const {
    return static_cast<std::size_t>(
        std::distance(fs::recursive_directory_iterator(root_), fs::recursive_directory_iterator()));
  }

  node::PosixFiles files_;
  test::TempFolder temporary_;
  fs::path root_ = temporary_.dir();
};

TEST_F(ShownDevicesTest, exist_while_pod_does) {
  ShownDevices shown(files_, root_ / "devices");
  ASSERT_TRUE(shown.show("u1", "c", "first"));
  ASSERT_TRUE(shown.show("u1", "c", "second"));
  EXPECT_EQ(files_.read(root_ / "devices" / "u1" / "c.json")->value(), "second");
  ASSERT_TRUE(shown.remove("u1"));
  EXPECT_FALSE(fs::exists(root_ / "devices" / "u1"));
  EXPECT_TRUE(shown.remove("u1")) << "none there is success";
}

TEST_F(ShownDevicesTest, ignore_names_with_paths) {
  const std::string outside = root_ / "precious";
  ShownDevices shown(files_, root_ / "devices");
  const std::size_t before = paths();
  for (const std::string& name :
       {std::string("../precious"), std::string("../../../x"), outside, std::string(),
        std::string("."), std::string(".."), std::string("u\0x", 3),
        std::string("u/../../precious"), std::string(300, 'x')}) {
    EXPECT_FALSE(shown.remove(name)) << name;
    EXPECT_FALSE(shown.show(name, "c", "{}")) << name;
    if (name.size() < 3) continue;  // names with the suffix ".json"
    EXPECT_FALSE(shown.show("u", name, "{}")) << name;
  }
  fs::remove(root_ / "devices" / "u");
  EXPECT_EQ(paths(), before);
}

TEST_F(ShownDevicesTest, keep_foreign_files) {
  ShownDevices shown(files_, root_ / "devices");
  fs::create_directories(root_ / "devices" / "u1" / "folder");
  ASSERT_TRUE(shown.show("u1", "c", "{}"));
  EXPECT_TRUE(shown.remove("u1"));
  EXPECT_FALSE(fs::exists(root_ / "devices" / "u1" / "c.json"));
  EXPECT_TRUE(fs::exists(root_ / "devices" / "u1" / "folder"));
}

}  // namespace
}  // namespace dcm::playground
