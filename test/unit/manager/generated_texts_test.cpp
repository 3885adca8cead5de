// Texts that are generated from the table of settings: help and manual page.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cmd/dra-controller-manager/commands.hpp"
#include "cmd/dra-controller-manager/options/manager_help.hpp"
#include "cmd/dra-controller-manager/options/settings.hpp"
#include "explain/outcome.hpp"
#include "test/unit/manager/man_page.hpp"

namespace dcm::dra_manager {
namespace {

using testing::HasSubstr;

class GeneratedTexts : public testing::Test {
 protected:
  static std::string read(std::string_view path) {
    std::ifstream file(fmt::format("{}/{}", DCM_SOURCE_DIR, path));
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  Draft draft_;
  const Settings table_ = make_settings(draft_);
};

TEST_F(GeneratedTexts, fit_help_into_terminal_with_every_flag) {
  const std::string help = usage_help(manager_usage(), table_);
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

TEST_F(GeneratedTexts, match_manual_page_with_table) {
  const std::string page = make_man_page(table_, commands());
  if (read("docs/dra-controller-manager.8") == page) return;
  const auto fresh = std::filesystem::temp_directory_path() / "dra-controller-manager.8";
  std::ofstream(fresh) << page;
  FAIL() << "docs/dra-controller-manager.8 is not current; copy it from " << fresh;
}

TEST_F(GeneratedTexts, match_exit_statuses_of_explain_with_its_page) {
  const std::string help = help_of(*find_command({"explain"}));
  std::istringstream lines(read("docs/explain.md"));
  for (int status = 0; status <= static_cast<int>(explain::ExplainStatus::explained_in_part);) {
    std::string line;
    ASSERT_TRUE(std::getline(lines, line)) << "docs/explain.md lacks exit status " << status;
    const std::string begin = fmt::format("| {} | ", status);
    if (!line.starts_with(begin) || !line.ends_with(" |")) continue;
    const std::string meaning = line.substr(begin.size(), line.size() - begin.size() - 2);
    EXPECT_THAT(help, HasSubstr(fmt::format("\n      {}  {}\n", status, meaning)));
    ++status;
  }
}

TEST_F(GeneratedTexts, match_example_configuration_with_defaults) {
  const auto shown =
      parse_options({"--config=" + std::string(DCM_SOURCE_DIR) + "/manifests/configuration.yaml"});
  ASSERT_TRUE(shown) << shown.error().text;
  EXPECT_EQ(shown->configuration, parse_options({})->configuration);
}

TEST_F(GeneratedTexts, include_every_key_in_example_configuration) {
  const std::string example = read("manifests/configuration.yaml");
  for (const Setting& row : table_) {
    const std::string& key = row.text.key;
    if (key.empty()) continue;
    const auto depth = static_cast<std::size_t>(std::ranges::count(key, '.'));
    const std::string name = key.substr(key.rfind('.') + 1);  // all of it without a dot
    EXPECT_THAT(example, HasSubstr("\n" + std::string(2 * depth, ' ') + name + ":")) << key;
  }
}

}  // namespace
}  // namespace dcm::dra_manager
