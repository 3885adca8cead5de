#include "cmd/dra-controller-manager/options/config_file.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cmd/dra-controller-manager/options/settings.hpp"

namespace dcm::dra_manager {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using namespace std::chrono_literals;

const std::string kHead =
    "apiVersion: dra-controller-manager.dev/v1alpha1\nkind: ControllerManagerConfiguration\n";

// The options from a file, combined with these flags.
class ConfigFile : public testing::Test {
 protected:
  ~ConfigFile() override { std::filesystem::remove(file_); }

  std::expected<Options, Exit> parse(const std::string& text, Strings flags = {}) {
    std::ofstream(file_) << text;
    flags.push_back("--config=" + file_);
    return parse_options(flags);
  }
  // The message about a file, without its path.
  std::string problem_of(const std::string& text) {
    const auto options = parse(text);
    if (options) return "(no problem)";
    EXPECT_EQ(options.error().status, 2);
    const std::string start = "dra-controller-manager: " + file_;
    EXPECT_THAT(options.error().text, StartsWith(start));
    EXPECT_EQ(options.error().text.find('\n'), std::string::npos) << options.error().text;
    return options.error().text.substr(std::min(start.size(), options.error().text.size()));
  }

  const std::string file_ =
      std::filesystem::temp_directory_path() / ("config_file_test." + std::to_string(::getpid()));
};

TEST_F(ConfigFile, sets_what_flags_set) {
  const auto options = parse(kHead + R"(
clientConnection: {kubeconfig: /etc/kubeconfig, qps: 12.5, burst: 20}
controllers: ["*", -device-taint-eviction-controller]
featureGates: {DRADeviceTaintRules: false}
resourceClaimController:
  concurrentSyncs: 7
deviceTaintEvictionController:
  evictionMode: evict
leaderElection:
  leaseDuration: 1m
  resourceName: "123"
serving:
  securePort: 0
logging:
  format: json
  verbosity: 4
)");
  ASSERT_TRUE(options) << options.error().text;
  EXPECT_EQ(options->cluster.kubeconfig, "/etc/kubeconfig");
  EXPECT_EQ(options->kube_api_qps, 12.5);
  EXPECT_EQ(options->kube_api_burst, 20);
  EXPECT_TRUE(options->runs_resource_claim_controller);
  EXPECT_FALSE(options->runs_device_taint_eviction_controller);
  EXPECT_FALSE(options->features.dra_device_taint_rules);
  EXPECT_EQ(options->concurrent_resource_claim_syncs, 7U);
  EXPECT_EQ(options->eviction_mode, device_taint_eviction::EvictionMode::evict);
  EXPECT_EQ(options->leader_election->timing.lease_duration, 60s);
  EXPECT_EQ(options->leader_election->lease.name, "123");
  EXPECT_EQ(options->secure_port, 0);
  EXPECT_EQ(options->logging_format, runtime::LogFormat::json);
  EXPECT_EQ(options->verbosity, 4);
}

TEST_F(ConfigFile, yields_to_flags_including_lists_and_gates) {
  const auto options =
      parse(kHead +
                "logging: {verbosity: 4}\n"
                "controllers: [resourceclaim-controller]\n"
                "featureGates: {DRADeviceTaintRules: false, DRADeviceTaints: false}\n",
            {"-v=2", "--controllers=*", "--feature-gates=DRADeviceTaints=true"});
  ASSERT_TRUE(options) << options.error().text;
  EXPECT_EQ(options->verbosity, 2);
  EXPECT_TRUE(options->runs_device_taint_eviction_controller);
  EXPECT_FALSE(options->features.dra_device_taint_rules);
  EXPECT_TRUE(options->features.dra_device_taints);
}

TEST_F(ConfigFile, treats_null_as_missing) {
  const auto options =
      parse(kHead + "logging: {verbosity: ~}\nserving:\nclientConnection:\n  qps:\n");
  ASSERT_TRUE(options) << options.error().text;
  EXPECT_EQ(options->kube_api_qps, 200);
}

struct Row {
  const char* name;
  const char* text;  // below the head
  const char* problem;
};

TEST_F(ConfigFile, explains_mistake_with_line_column_key_and_expectation) {
  for (const Row& row : {
           Row{"an unknown key", "verbosity: 4", ":3:1: verbosity: unknown key"},
           Row{"an unknown key in a section", "logging: {level: 4}",
               ":3:11: logging.level: unknown key"},
           Row{"a slip of the pen", "clientConnection:\n  qsp: 4",
               ":4:3: clientConnection.qsp: unknown key; did you mean clientConnection.qps?"},
           Row{"a key that is given twice", "logging:\n  verbosity: 1\n  verbosity: 2",
               ":5:3: logging.verbosity: is given twice"},
           Row{"a section that is given twice", "logging: {}\nlogging: {}",
               ":4:1: logging: is given twice"},
           Row{"a string for a number", "clientConnection: {qps: fast}",
               ":3:25: clientConnection.qps: expected a number of at least 0.1, or 0 for no limit, "
               "got \"fast\""},
           Row{"an address that is none", "serving: {metricsBindAddress: abc}",
               ":3:31: serving.metricsBindAddress: \"abc\" is not an address to listen on: want "
               "host"},
           Row{"an IP address that is none", "serving: {bindAddress: \"999.1.1.1\"}",
               ":3:24: serving.bindAddress: expected an IP address, got \"999.1.1.1\""},
           Row{"a port that is none", "clientConnection: {server: \"https://x:99999\"}",
               ":3:28: clientConnection.server: \"https://x:99999\" is not a server URL: the port "
               "is"},
           Row{"a number in quotes", "logging: {verbosity: \"4\"}",
               ":3:22: logging.verbosity: expected a whole number from 0 to 10, got \"4\""},
           Row{"half a number", "logging: {verbosity: 4.5}", "expected a whole number from"},
           Row{"a number that is too small", "logging: {verbosity: -1}",
               ":3:22: logging.verbosity: expected a whole number from 0 to 10, got \"-1\""},
           Row{"a number for a string", "leaderElection: {resourceName: 123}",
               ":3:32: leaderElection.resourceName: expected a string, got \"123\" without"},
           Row{"a duration without a unit", "leaderElection: {leaseDuration: 15}",
               ":3:33: leaderElection.leaseDuration: expected a duration of at least 0.1s and "},
           Row{"yes for true", "leaderElection: {leaderElect: yes}",
               ":3:31: leaderElection.leaderElect: expected true or false, got \"yes\""},
           Row{"a string for a list", "controllers: \"*\"",
               ":3:14: controllers: expected a list of strings, got \"*\""},
           Row{"a number in a list", "controllers: [\"*\", 5]",
               ":3:14: controllers: expected a list"},
           Row{"a list for a map", "logging: [text]", ":3:10: logging: expected a map, got a list"},
           Row{"a map for a string", "logging: {format: {}}",
               ":3:19: logging.format: expected text or json, got a map"},
           Row{"a gate that is neither on nor off", "featureGates: {DRADeviceTaints: maybe}",
               ":3:33: featureGates.DRADeviceTaints: expected true or false, got \"maybe\""},
           Row{"a gate that is given twice",
               "featureGates:\n  DRADeviceTaints: true\n  DRADeviceTaints: true",
               ":5:3: featureGates.DRADeviceTaints: is given twice"},
           Row{"an unknown controller", "controllers: [garbage]",
               ":3:14: controllers: \"garbage\" is none of the known controllers"},
           Row{"an unknown word", "logging: {format: xml}",
               ":3:19: logging.format: expected text or json, got \"xml\""},
           Row{"times that do not go together", "leaderElection: {leaseDuration: 5s}",
               ":3:33: leaderElection.leaseDuration: with its renew deadline"},
           Row{"half of a certificate", "serving: {tlsCertFile: a}",
               ":3:24: serving.tlsCertFile: needs --tls-private-key-file"},
           Row{"a file inside the file", "config: other.yaml", ":3:1: config: unknown key"},
           Row{"a line break in a key", "\"a\\nb: nothing is wrong\": 1",
               ":3:1: a b: nothing is wrong: unknown key"},
           Row{"a terminal's command in a value", "logging: {format: \"\\e[2J\"}",
               "expected text or json, got \" [2J\""},
           Row{"a tab as indentation", "logging:\n\tverbosity: 4",
               ":4:1: is indented with a tab; YAML allows only spaces"},
           Row{"a tab behind spaces", "logging:\n  verbosity: 4\n  \tformat: json",
               ":5:3: is indented with a tab; YAML allows only spaces"},
           Row{"no YAML", "logging: {", ":4: is not valid YAML"},
           Row{"a second document", "---\nlogging: {}", ": there is more after the YAML document"},
       }) {
    EXPECT_THAT(problem_of(kHead + row.text + "\n"), HasSubstr(row.problem)) << row.name;
  }
}

TEST_F(ConfigFile, rejects_other_kind_of_file_without_showing_it) {
  EXPECT_THAT(problem_of(""),
              HasSubstr(": expected a map with apiVersion: dra-controller-manager"));
  EXPECT_THAT(problem_of("kind: ControllerManagerConfiguration\n"),
              HasSubstr("apiVersion: expected dra-controller-manager.dev/v1alpha1, got nothing"));
  EXPECT_THAT(problem_of("apiVersion: dra-controller-manager.dev/v1alpha1\n"),
              HasSubstr("kind: expected ControllerManagerConfiguration, got nothing"));
  const std::string kubeconfig =
      problem_of("apiVersion: v1\nkind: Config\nusers: [{name: a, user: {token: very-secret}}]\n");
  EXPECT_THAT(kubeconfig, HasSubstr(":1:13: apiVersion: expected dra-controller-manager.dev/v1al"));
  EXPECT_THAT(kubeconfig, Not(HasSubstr("very-secret")));
  EXPECT_THAT(problem_of("- a\n- b\n"), HasSubstr(": expected a map with"));
}

TEST_F(ConfigFile, rejects_wrong_value_even_below_flag) {
  EXPECT_FALSE(parse(kHead + "logging: {verbosity: -1}\n", {"-v=2"}));
}

TEST(ConfigFileMissing, is_reported_in_one_line_with_status_2) {
  const auto options = parse_options({"--config=/nonexistent/file"});
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().status, 2);
  EXPECT_THAT(options.error().text, HasSubstr("--config: /nonexistent/file: cannot be read"));
}

TEST_F(ConfigFile, reproduces_effective_configuration) {
  const Strings flags = {"--controllers=resourceclaim-controller",
                         "--feature-gates=DRADeviceTaintRules=false",
                         "--kube-api-qps=2.5",
                         "--leader-elect-renew-deadline=9s",
                         "-v=3",
                         "--device-taint-eviction-mode=evict"};
  const auto first = parse_options(flags);
  ASSERT_TRUE(first) << first.error().text;
  EXPECT_THAT(first->configuration, HasSubstr(R"("qps":2.5)"));
  EXPECT_THAT(first->configuration, HasSubstr(R"("featureGates":{"DRADeviceTaintRules":false})"));
  EXPECT_THAT(first->configuration, HasSubstr(R"("renewDeadline":"9s")"));
  const auto second = parse(first->configuration);  // JSON is YAML
  ASSERT_TRUE(second) << second.error().text;
  EXPECT_EQ(second->configuration, first->configuration);
  EXPECT_EQ(second->kube_api_qps, 2.5);
}

TEST(SettingsTable, has_complete_unique_rows) {
  Draft draft;
  const Settings table = make_settings(draft);
  Strings flags;
  Strings keys;
  for (const Setting& row : table) {
    EXPECT_THAT(row.text.help, testing::EndsWith(".")) << row.text.flag;
    EXPECT_NE(row.group, "") << row.text.flag;
    EXPECT_NE(row.expected, "") << row.text.flag;
    EXPECT_EQ(row.text.placeholder.empty(), row.is_switch()) << row.text.flag;
    EXPECT_EQ(row.text.key.empty(), row.text.flag == "config") << row.text.flag;
    EXPECT_EQ(row.apply(row.by_default), "") << row.text.flag;
    flags.push_back(row.text.flag);
    if (!row.text.key.empty()) keys.push_back(row.text.key);
  }
  for (Strings* const names : {&flags, &keys}) {
    std::ranges::sort(*names);
    EXPECT_EQ(std::ranges::adjacent_find(*names), names->end());
  }
}

}  // namespace
}  // namespace dcm::dra_manager
