#include "playground/options.hpp"

#include <gmock/gmock.h>

namespace dcm::playground {
namespace {

using testing::HasSubstr;

TEST(PlaygroundOptions, default_to_small_cluster) {
  const auto options = parse_options({});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->size.nodes, 4U);
  EXPECT_EQ(options->size.devices, 8U);
  EXPECT_EQ(options->port, 0);
  EXPECT_TRUE(options->kubeconfig.empty());
  EXPECT_EQ(options->scheduler, OwnScheduler::runs);
}

TEST(PlaygroundOptions, can_leave_pods_to_another_scheduler) {
  const auto options = parse_options({"--scheduler=none"});
  ASSERT_TRUE(options) << options.error().text;
  EXPECT_EQ(options->scheduler, OwnScheduler::none);
  EXPECT_FALSE(parse_options({"--scheduler=large"}));
}

TEST(PlaygroundOptions, can_use_kube_scheduler) {
  const auto options = parse_options({"--kube-scheduler", "/bin/kube-scheduler"});
  ASSERT_TRUE(options) << options.error().text;
  EXPECT_EQ(options->programs.scheduler, "/bin/kube-scheduler");
  EXPECT_EQ(options->scheduler, OwnScheduler::none);
  EXPECT_FALSE(parse_options({"--kube-scheduler", "/bin/kube-scheduler", "--scheduler=small"}));
}

TEST(PlaygroundOptions, keeps_own_scheduler_beside_kube_controller_manager) {
  const auto options = parse_options({"--kube-controller-manager", "/bin/kcm"});
  ASSERT_TRUE(options) << options.error().text;
  EXPECT_EQ(options->programs.controller_manager, "/bin/kcm");
  EXPECT_EQ(options->scheduler, OwnScheduler::runs);
}

TEST(PlaygroundOptions, serves_requested_versions) {
  const auto options = parse_options({"--runtime-config=resource.k8s.io/v1beta1=true,api/alpha"});
  ASSERT_TRUE(options) << options.error().text;
  EXPECT_EQ(options->served.resource, (std::vector<std::string>{"v1", "v1beta1"}));
  EXPECT_EQ(options->served.device_taint_rules, (std::vector<std::string>{"v1", "v1alpha3"}));
}

TEST(PlaygroundOptions, accept_klog_verbosity_in_all_forms) {
  for (const auto& flag : std::vector<std::vector<std::string>>{
           {"-v=4"}, {"-v", "4"}, {"-v4"}, {"--v=4"}, {"--v", "4"}}) {
    const auto options = parse_options(flag);
    ASSERT_TRUE(options) << flag.front() << options.error().text;
    EXPECT_EQ(options->verbosity, 4);
  }
}

TEST(PlaygroundOptions, accept_hosts_of_every_form) {
  const auto options = parse_options({"--accept-hosts", "dev.example,*.lab.example,*,[::1]:8080"});
  ASSERT_TRUE(options) << options.error().text;
  EXPECT_EQ(options->accept_hosts.size(), 4U);
}

TEST(PlaygroundOptions, accept_sizes_and_drivers) {
  const auto options = parse_options({"--nodes", "1000", "--devices=16", "--drivers", "a.b,c.d"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->size.nodes, 1000U);
  EXPECT_EQ(options->size.devices, 16U);
  EXPECT_EQ(options->size.drivers, (std::vector<std::string>{"a.b", "c.d"}));
}

struct Row {
  std::vector<std::string> arguments;
  std::string names;
};

class BadFlags : public ::testing::TestWithParam<Row> {};

TEST_P(BadFlags, exit_with_2_and_name_flag) {
  const auto options = parse_options(GetParam().arguments);
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().status, 2);
  EXPECT_THAT(options.error().text, HasSubstr(GetParam().names));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BadFlags,
    ::testing::Values(
        Row{{"--nodes", "0"}, "--nodes"}, Row{{"--nodes", "many"}, "--nodes"},
        Row{{"--devices", "129"}, "--devices"}, Row{{"--port", "70000"}, "--port"},
        Row{{"--drivers", "Gpu!"}, "--drivers"},
        Row{{"--drivers", "gpu..example.com"}, "--drivers"},
        Row{{"--kubeconfig", "/no/such/file"}, "--kubeconfig"}, Row{{"taint"}, "device"},
        Row{{"taint", "a/b/c"}, "taints"}, Row{{"taint", "a/b", "k:NoExecute"}, "a/b"},
        Row{{"taint", "a/b/c", "k:Never"}, "k:Never"}, Row{{"--no-such-flag"}, "--no-such-flag"},
        Row{{"what"}, "what"},
        Row{{"--runtime-config", "resource.k8s.io/v7"}, "resource.k8s.io/v7"},
        Row{{"--runtime-config", "resource.k8s.io/v1beta1", "--kubeconfig", "/dev/null"},
            "--runtime-config"},
        Row{{"--port=1", "--kubeconfig=/dev/null"}, "--kubeconfig: cannot be combined with --port"},
        Row{{"--nodes=5001"}, "--nodes: expected a whole number from 1 to 5000, got \"5001\""},
        Row{{"--accept-hosts", "http://dev.example"}, "--accept-hosts"},
        Row{{"--drivers="}, "--drivers"}, Row{{"--scheduler=large"}, "small or none"},
        Row{{"demo"}, "--kubeconfig: must be given"},
        Row{{"demo", "--kubeconfig=/dev/null", "--manifests=/no"}, "--manifests"},
        Row{{"-v=4", "version"}, "a command goes before all flags"},
        Row{{"--kube-controller-manager", ""}, "--kube-controller-manager"},
        Row{{"--kube-scheduler", ""}, "--kube-scheduler"},
        Row{{"--real", "--kube-scheduler", "/bin/ls"}, "--real"},
        Row{{"--real", "--scheduler=small"}, "--real"}, Row{{"--node=3"}, "did you mean --nodes?"},
        Row{{"dmeo"}, "did you mean demo?"},
        Row{{"taint", "a/b/c", "k:NoExecute", "--overwrit"}, "did you mean --overwrite?"},
        Row{{"taint", "a/b/c", "k:NoExcute"}, "did you mean NoExecute?"}));

TEST(PlaygroundOptions, accept_version_as_flag_and_command) {
  const auto flag = parse_options({"--version"});
  const auto command = parse_options({"version"});
  ASSERT_FALSE(flag);
  ASSERT_FALSE(command);
  EXPECT_EQ(command.error().status, 0);
  EXPECT_EQ(command.error().text, flag.error().text);
}

TEST(PlaygroundOptions, read_cluster_of_demo) {
  const auto without = parse_options({"demo"});
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().status, 2);
  const auto options =
      parse_options({"demo", "--kubeconfig", "/dev/null", "--manifests", "/", "--context", "c"});
  ASSERT_TRUE(options) << options.error().text;
  ASSERT_TRUE(options->demo);
  EXPECT_EQ(options->demo->manifests, "/");
  EXPECT_EQ(options->demo->context, "c");
  EXPECT_FALSE(parse_options({})->demo);
}

TEST(PlaygroundOptions, claim_no_default_for_cluster_of_demo) {
  const auto help = parse_options({"demo", "--help"});
  ASSERT_FALSE(help);
  EXPECT_EQ(help.error().status, 0);
  EXPECT_NE(help.error().text.find("The cluster. Required."), std::string::npos);
}

TEST(PlaygroundOptions, read_device_and_changes_of_taint) {
  const auto options =
      parse_options({"taint", "gpu.example.com/node-0/dev-3", "a=b:NoExecute", "c-", "--overwrite",
                     "--kubeconfig", "/dev/null", "--context", "lab"});
  ASSERT_TRUE(options) << options.error().text;
  ASSERT_TRUE(options->taint);
  EXPECT_EQ(options->taint->device.str(), "gpu.example.com/node-0/dev-3");
  EXPECT_EQ(options->taint->changes.add, (std::vector<Taint>{{"a", "b", "NoExecute"}}));
  EXPECT_EQ(options->taint->changes.remove, (std::vector<Taint>{{"c", "", ""}}));
  EXPECT_EQ(options->taint->changes.overwrite, Overwrite::yes);
  EXPECT_EQ(options->taint->kubeconfig, "/dev/null");
  EXPECT_EQ(options->taint->context, "lab");
  EXPECT_FALSE(parse_options({})->taint);
}

TEST(PlaygroundOptions, explain_subcommands) {
  const auto options = parse_options({"taint", "--help"});
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().status, 0);
  EXPECT_THAT(options.error().text, HasSubstr("DRIVER/POOL/DEVICE"));
}

TEST(PlaygroundOptions, accept_help) {
  const auto options = parse_options({"--help"});
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().status, 0);
  EXPECT_THAT(options.error().text, HasSubstr("--kubeconfig-out"));
}

}  // namespace
}  // namespace dcm::playground
