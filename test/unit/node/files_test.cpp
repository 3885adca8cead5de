// Files of the machine do what the twin in memory does.
#include <array>
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "node/files/posix_files.hpp"

namespace dcm::node {
namespace {

class PosixFilesTest : public testing::Test {
 protected:
  PosixFilesTest() {
    std::string pattern = std::filesystem::temp_directory_path() / "node-files-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~PosixFilesTest() override { std::filesystem::remove_all(folder_); }

  PosixFiles files_;
  std::string folder_;
};

TEST_F(PosixFilesTest, a_file_is_made_synced_renamed_read_and_removed) {
  const std::string temporary = folder_ + "/.a";
  const std::string path = folder_ + "/a";
  ASSERT_TRUE(files_.create(temporary, "content"));
  ASSERT_TRUE(files_.sync(temporary));
  ASSERT_TRUE(files_.rename(temporary, path));
  ASSERT_TRUE(files_.sync_folder(folder_));
  EXPECT_EQ(files_.read(path)->value(), "content");
  EXPECT_EQ(*files_.list(folder_), std::vector<std::string>{"a"});
  struct ::stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  ASSERT_TRUE(files_.remove(path));
  EXPECT_FALSE(files_.read(path)->has_value());
  EXPECT_TRUE(files_.remove(path)) << "a file that is not there is removed";
}

// Containers read files of the driver kit as any user.
TEST_F(PosixFilesTest, a_file_for_all_readers_is_one_whatever_the_umask_is) {
  const ::mode_t before = ::umask(0077);
  const auto made = files_.create(folder_ + "/a", "1", Readers::all);
  ::umask(before);
  ASSERT_TRUE(made);
  struct ::stat status{};
  ASSERT_EQ(::stat((folder_ + "/a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0644U);
}

TEST_F(PosixFilesTest, what_is_there_is_not_overwritten) {
  ASSERT_TRUE(files_.create(folder_ + "/a", "1"));
  EXPECT_FALSE(files_.create(folder_ + "/a", "2"));
}

TEST_F(PosixFilesTest, what_is_no_file_is_not_waited_for) {
  ASSERT_EQ(::mkfifo((folder_ + "/fifo").c_str(), 0600), 0);
  EXPECT_FALSE(files_.read(folder_ + "/fifo"));
  EXPECT_FALSE(files_.read(folder_));
}

TEST_F(PosixFilesTest, errors_name_the_file_and_the_reason) {
  const auto made = files_.create(folder_ + "/none/a", "1");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, folder_ + "/none/a: cannot be made: No such file or directory");
  EXPECT_FALSE(files_.list(folder_ + "/none"));
  EXPECT_FALSE(files_.sync_folder(folder_ + "/none"));
}

}  // namespace
}  // namespace dcm::node
