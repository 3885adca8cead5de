// Texts that are generated from the table of settings: help and manual page.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cmd/dra-controller-manager/commands.hpp"
#include "cmd/dra-controller-manager/options/help.hpp"
#include "cmd/dra-controller-manager/options/settings.hpp"
#include "test/unit/manager/man_page.hpp"

namespace dcm::manager {
namespace {

using testing::HasSubstr;

class GeneratedTexts : public testing::Test {
 protected:
  Draft draft_;
  const Settings table_ = make_settings(draft_);
};

TEST_F(GeneratedTexts, help_fits_a_terminal_and_lists_every_flag_under_its_heading) {
  const std::string help = manager_help(table_);
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 90U) << line;
  for (const Setting& row : table_) {
    EXPECT_THAT(help, HasSubstr("--" + row.text.flag));
    EXPECT_THAT(help, HasSubstr("\n" + row.group + " flags:\n"));
  }
  EXPECT_THAT(help, HasSubstr("      --kube-api-qps NUMBER\n"));
  EXPECT_THAT(help, HasSubstr("(default 200)"));
  EXPECT_THAT(help, HasSubstr("      -v, --v NUMBER\n"));
}

TEST_F(GeneratedTexts, the_manual_page_in_the_documentation_is_that_of_the_table) {
  std::ifstream file(std::string(DCM_SOURCE_DIR) + "/docs/dra-controller-manager.8");
  std::stringstream written;
  written << file.rdbuf();
  const std::string page = make_man_page(table_, commands());
  if (written.str() == page) return;
  const auto fresh = std::filesystem::temp_directory_path() / "dra-controller-manager.8";
  std::ofstream(fresh) << page;
  FAIL() << "docs/dra-controller-manager.8 is not current; copy it from " << fresh;
}

TEST_F(GeneratedTexts, the_example_of_a_configuration_file_says_the_defaults) {
  const auto shown =
      parse_options({"--config=" + std::string(DCM_SOURCE_DIR) + "/manifests/configuration.yaml"});
  ASSERT_TRUE(shown) << shown.error().text;
  EXPECT_EQ(shown->configuration, parse_options({})->configuration);
}

TEST(Wrap, breaks_at_blanks_and_never_in_a_word) {
  EXPECT_EQ(wrap("one two three", 2, 9), "  one two\n  three\n");
  EXPECT_EQ(wrap("incomprehensible word", 2, 9), "  incomprehensible\n  word\n");
  EXPECT_EQ(wrap("", 2, 9), "");
}

}  // namespace
}  // namespace dcm::manager
