#include "playground/kubeconfig_out.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "test/support/temp_folder.hpp"

namespace dcm::playground {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class KubeconfigOutTest : public testing::Test {
 protected:
  void put(const std::string& text) {
    fs::create_directories(file_.parent_path());
    std::ofstream(file_) << text;
  }
  std::string content() const {
    std::stringstream text;
    text << std::ifstream(file_).rdbuf();
    return text.str();
  }
  // Why it cannot be written; leaves nothing else behind.
  std::string refusal() const {
    const auto written = KubeconfigOut::write(file_.string(), "http://127.0.0.1:1");
    const auto entries = std::distance(fs::directory_iterator(file_.parent_path()), {});
    EXPECT_EQ(entries, 1) << "a draft is left";
    return written ? "" : written.error().message;
  }

  test::TempFolder temporary_;
  fs::path folder_ = temporary_.dir();
  fs::path file_ = folder_ / "sub/kubeconfig";
};

TEST_F(KubeconfigOutTest, exists_as_long_as_object) {
  {
    const auto written = KubeconfigOut::write(file_.string(), "http://127.0.0.1:1");
    ASSERT_TRUE(written) << written.error().message;
    EXPECT_THAT(content(), HasSubstr("server: http://127.0.0.1:1\n"));
    EXPECT_EQ(fs::status(file_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  }
  EXPECT_FALSE(fs::exists(file_));
  EXPECT_TRUE(fs::is_empty(file_.parent_path()));
}

TEST_F(KubeconfigOutTest, quotes_path_for_shell) {
  const auto folder = folder_ / "a b`touch x`$(y)'z";
  fs::create_directory(folder);
  for (const fs::path& path : {file_, folder / "kubeconfig"}) {
    const auto written = KubeconfigOut::write(path.string(), "http://127.0.0.1:1");
    ASSERT_TRUE(written) << written.error().message;
    const std::string command = written->export_command() + "; printf %s \"$KUBECONFIG\"";
    std::unique_ptr<FILE, int (*)(FILE*)> shell(popen(command.c_str(), "r"), pclose);
    std::string printed(1000, '\0');
    printed.resize(fread(printed.data(), 1, printed.size(), shell.get()));
    EXPECT_EQ(printed, path.string());
  }
}

TEST_F(KubeconfigOutTest, replaces_file_of_killed_playground) {
  std::string left;
  {
    const auto written = KubeconfigOut::write(file_.string(), "http://127.0.0.1:1");
    ASSERT_TRUE(written);
    left = content();
  }
  put(left);
  const auto written = KubeconfigOut::write(file_.string(), "http://127.0.0.1:2");
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_THAT(content(), HasSubstr("server: http://127.0.0.1:2\n"));
}

TEST_F(KubeconfigOutTest, keeps_file_of_running_playground) {
  const auto written = KubeconfigOut::write(file_.string(), "http://127.0.0.1:1");
  ASSERT_TRUE(written);
  EXPECT_THAT(refusal(), HasSubstr("another playground runs with it"));
  EXPECT_THAT(content(), HasSubstr("server: http://127.0.0.1:1\n"));
}

TEST_F(KubeconfigOutTest, keeps_foreign_file) {
  for (const std::string mine : {"apiVersion: v1\nkind: Config\n", "", "server: x\n"}) {
    put(mine);
    EXPECT_THAT(refusal(), HasSubstr("it exists and is not a playground's"));
    EXPECT_EQ(content(), mine);
  }
}

TEST_F(KubeconfigOutTest, follows_no_link_and_replaces_only_files) {
  fs::create_directories(file_.parent_path());
  fs::create_symlink("/nowhere", file_);
  EXPECT_THAT(refusal(), HasSubstr("not a regular file"));
  EXPECT_TRUE(fs::is_symlink(file_));
  fs::remove(file_);
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  EXPECT_THAT(refusal(), HasSubstr("not a regular file"));
}

TEST_F(KubeconfigOutTest, does_not_remove_replacement) {
  {
    const auto written = KubeconfigOut::write(file_.string(), "http://127.0.0.1:1");
    ASSERT_TRUE(written);
    fs::rename(file_, folder_ / "moved");
    put("mine");
  }
  EXPECT_EQ(content(), "mine");
}

}  // namespace
}  // namespace dcm::playground
