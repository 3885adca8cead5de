// Real files behave like the in-memory fake.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "node/posix_files.hpp"
#include "test/support/temp_folder.hpp"

namespace dcm::node {
namespace {

class PosixFilesTest : public testing::Test {
 protected:
  PosixFiles files_;
  test::TempFolder temporary_;
  std::string folder_ = temporary_.dir();
};

TEST_F(PosixFilesTest, creates_syncs_renames_reads_and_removes_file) {
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
TEST_F(PosixFilesTest, makes_file_readable_despite_umask) {
  const ::mode_t before = ::umask(0077);
  const auto made = files_.create(folder_ + "/a", "1", Readers::all);
  ::umask(before);
  ASSERT_TRUE(made);
  struct ::stat status{};
  ASSERT_EQ(::stat((folder_ + "/a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0644U);
}

TEST_F(PosixFilesTest, does_not_overwrite_file) {
  ASSERT_TRUE(files_.create(folder_ + "/a", "1"));
  EXPECT_FALSE(files_.create(folder_ + "/a", "2"));
}

TEST_F(PosixFilesTest, lists_nothing_only_if_there_is_no_folder) {
  EXPECT_EQ(files_.list(folder_ + "/none").value(), std::vector<std::string>());
  ASSERT_TRUE(files_.create(folder_ + "/a", "1"));
  const auto listed = files_.list(folder_ + "/a");
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().message, folder_ + "/a: cannot be listed: Not a directory");
}

TEST_F(PosixFilesTest, does_not_wait_for_special_files) {
  ASSERT_EQ(::mkfifo((folder_ + "/fifo").c_str(), 0600), 0);
  EXPECT_FALSE(files_.read(folder_ + "/fifo"));
  EXPECT_FALSE(files_.read(folder_));
}

TEST_F(PosixFilesTest, names_file_and_reason_in_errors) {
  const auto made = files_.create(folder_ + "/none/a", "1");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, folder_ + "/none/a: cannot be made: No such file or directory");
  EXPECT_FALSE(files_.sync_folder(folder_ + "/none"));
}

}  // namespace
}  // namespace dcm::node
