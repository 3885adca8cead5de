#include "playground/programs.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "test/support/temp_folder.hpp"

namespace dcm::playground {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

enum class Mode { executable, plain };

// A cache folder with builds, which the environment names.
class Builds : public testing::Test {
 protected:
  Builds() {
    setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
    unsetenv("KUBEBUILDER_ASSETS");
  }
  ~Builds() override {
    unsetenv("XDG_CACHE_HOME");
    unsetenv("KUBEBUILDER_ASSETS");
  }

  fs::path builds() const { return folder_ / "dra-controller-manager/controlplane"; }
  static void make(const fs::path& path, Mode mode = Mode::executable) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "#!/bin/sh\n";
    if (mode == Mode::executable) fs::permissions(path, fs::perms::owner_all);
  }
  static void make_both(const fs::path& folder) {
    make(folder / "kube-scheduler");
    make(folder / "kube-controller-manager");
  }

  test::TempFolder temporary_;
  fs::path folder_ = temporary_.dir();
};

TEST_F(Builds, prefer_newest_with_both_programs) {
  make_both(builds() / "1.9.1/bin");
  make_both(builds() / "1.37.2/bin");
  make_both(builds() / "latest/bin");
  make(builds() / "1.38.0/bin/kube-scheduler");
  make(builds() / "1.38.0/bin/kube-controller-manager", Mode::plain);
  const auto found = find_programs();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->scheduler, builds() / "1.37.2/bin/kube-scheduler");
  EXPECT_EQ(found->controller_manager, builds() / "1.37.2/bin/kube-controller-manager");
}

TEST_F(Builds, prefer_folder_of_programs) {
  make_both(builds() / "1.37.2/bin");
  make_both(folder_ / "assets");
  setenv("KUBEBUILDER_ASSETS", (folder_ / "assets").c_str(), 1);
  const auto found = find_programs();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->scheduler, folder_ / "assets/kube-scheduler");
}

TEST_F(Builds, name_expected_place_if_missing) {
  const auto found = find_programs();
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr(builds().string()));
}

TEST(ProgramsToRun, have_a_path) {
  EXPECT_THAT(to_run({}), IsEmpty());
  const auto run = to_run({.scheduler = "", .controller_manager = "/bin/kcm"});
  ASSERT_EQ(run.size(), 1U);
  EXPECT_EQ(run[0].name, "kube-controller-manager");
  EXPECT_EQ(run[0].command[0], "/bin/kcm");
  EXPECT_THAT(run[0].command, Contains("--controllers=*,-resourceclaim-controller,"
                                       "-device-taint-eviction-controller"));
}

}  // namespace
}  // namespace dcm::playground
