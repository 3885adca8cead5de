// Real files behave like the in-memory fake.

#include <filesystem>

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
  EXPECT_EQ(files_.list(folder_ + "/a").value(), std::vector<std::string>());
  std::filesystem::create_symlink("loop", folder_ + "/loop");
  const auto listed = files_.list(folder_ + "/loop");
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().message,
            folder_ + "/loop: cannot be listed: Too many levels of symbolic links");
}

TEST_F(PosixFilesTest, leaves_folder_with_name_of_file) {
  EXPECT_TRUE(files_.remove(folder_));
  EXPECT_TRUE(std::filesystem::is_directory(folder_));
}

TEST_F(PosixFilesTest, neither_reads_nor_waits_for_what_is_no_file) {
  ASSERT_EQ(::mkfifo((folder_ + "/fifo").c_str(), 0600), 0);
  ASSERT_EQ(::mknod((folder_ + "/socket").c_str(), S_IFSOCK | 0600, 0), 0);
  std::filesystem::create_symlink("loop", folder_ + "/loop");
  for (const char* const name : {"/fifo", "/socket", "/loop", ""}) {
    const auto read = files_.read(folder_ + name);
    ASSERT_FALSE(read) << name;
    EXPECT_EQ(read.error().reason, runtime::Reason::malformed) << read.error().message;
  }
}

TEST_F(PosixFilesTest, names_file_and_reason_in_errors) {
  const auto made = files_.create(folder_ + "/none/a", "1");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, folder_ + "/none/a: cannot be made: No such file or directory");
  EXPECT_FALSE(files_.sync_folder(folder_ + "/none"));
}

}  // namespace
}  // namespace dcm::node
