// Texts that are generated from the table of settings: help, completion, manual page.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cmd/dra-controller-manager/commands.hpp"
#include "cmd/dra-controller-manager/options/completion.hpp"
#include "cmd/dra-controller-manager/options/help.hpp"
#include "cmd/dra-controller-manager/options/man_page.hpp"
#include "cmd/dra-controller-manager/options/settings.hpp"

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

TEST_F(GeneratedTexts, every_shell_completes_every_flag_and_command) {
  for (const Shell shell : {Shell::bash, Shell::zsh, Shell::fish}) {
    const std::string script = make_completion(shell, table_, commands());
    for (const Setting& row : table_) {
      const std::string flag = (shell == Shell::fish ? "-l " : "--") + row.text.flag;
      EXPECT_THAT(script, HasSubstr(flag));
    }
    for (const Command& command : commands()) EXPECT_THAT(script, HasSubstr(command.name));
    EXPECT_THAT(script, HasSubstr("delete evict"));
  }
}

// Bash's completions of a line, by the script itself.
std::string completed(const std::string& script, const std::string& words) {
  const auto folder = std::filesystem::temp_directory_path() /
                      ("generated_texts_test." + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "run.bash")
      << script << "COMP_WORDS=(dra-controller-manager " << words << ")\n"
      << "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_dra_controller_manager\n"
      << "echo \"${COMPREPLY[*]}\"\n";
  const std::string output = folder / "output";
  const int status =
      std::system(("bash " + (folder / "run.bash").string() + " >" + output + " 2>&1").c_str());
  EXPECT_EQ(status, 0);
  std::string text;
  std::getline(std::ifstream(output), text, '\0');
  std::filesystem::remove_all(folder);
  return text;
}

TEST_F(GeneratedTexts, bash_offers_what_fits) {
  const std::string script = make_completion(Shell::bash, table_, commands());
  EXPECT_EQ(completed(script, "--leader-elect-ren"), "--leader-elect-renew-deadline=\n");
  EXPECT_EQ(completed(script, "--logging-format = j"), "json\n");
  EXPECT_EQ(completed(script, "--device-taint-eviction-mode ''"), "delete evict\n");
  EXPECT_EQ(completed(script, "comp"), "completion\n");
  EXPECT_EQ(completed(script, "completion z"), "zsh\n");
}

TEST_F(GeneratedTexts, the_manual_page_in_the_documentation_is_that_of_the_table) {
  std::ifstream file(std::string(DCM_SOURCE_DIR) + "/docs/dra-controller-manager.8");
  std::stringstream written;
  written << file.rdbuf();
  EXPECT_EQ(written.str(), make_man_page(table_, commands()))
      << "make it anew: dra-controller-manager man >docs/dra-controller-manager.8";
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
