#include "cmd/dra-controller-manager/options.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dcm::dra_manager {
namespace {

using testing::HasSubstr;

using namespace std::chrono_literals;

TEST(Options, have_documented_defaults) {
  const auto options = parse_options({});
  ASSERT_TRUE(options.has_value());
  EXPECT_TRUE(options->runs_resource_claim_controller);
  EXPECT_EQ(options->concurrent_resource_claim_syncs, 50U);
  EXPECT_EQ(options->kube_api_qps, 200);
  EXPECT_EQ(options->kube_api_burst, 400);
  EXPECT_EQ(options->max_inflight_requests, 100U);
  EXPECT_EQ(options->metrics_bind_address, "");
  EXPECT_EQ(options->verbosity, 0);
}

TEST(Options, are_set_by_flags) {
  const auto options = parse_options(
      {"--kubeconfig=/tmp/config", "--context", "dev", "--server=https://10.0.0.1:6443",
       "--kube-api-qps=0", "--concurrent-resourceclaim-syncs=8", "--logging-format=json", "-v=4",
       "--feature-gates=DRAAdminAccess=true,GenericWorkload=false"});
  ASSERT_TRUE(options.has_value()) << options.error().text;
  EXPECT_EQ(options->cluster.kubeconfig, "/tmp/config");
  EXPECT_EQ(options->cluster.context, "dev");
  EXPECT_EQ(options->cluster.server, "https://10.0.0.1:6443");
  EXPECT_EQ(options->kube_api_qps, 0);
  EXPECT_EQ(options->concurrent_resource_claim_syncs, 8U);
  EXPECT_EQ(options->logging_format, runtime::LogFormat::json);
  EXPECT_EQ(options->verbosity, 4);
  EXPECT_TRUE(options->features.dra_admin_access);
}

TEST(Options, disable_lease_in_dry_run) {
  EXPECT_FALSE(parse_options({})->dry_run_timeout.has_value());
  EXPECT_FALSE(parse_options({"--dry-run-timeout=5s"})->dry_run_timeout.has_value());
  const auto usual = parse_options({"--dry-run", "--leader-elect"});
  ASSERT_TRUE(usual.has_value()) << usual.error().text;
  EXPECT_EQ(usual->dry_run_timeout, 30s);
  EXPECT_FALSE(usual->leader_election.has_value());
  EXPECT_EQ(parse_options({"--dry-run", "--dry-run-timeout=2m"})->dry_run_timeout, 2min);
  EXPECT_FALSE(parse_options({"--dry-run", "--dry-run-timeout=0"}).has_value());
}

TEST(Options, require_key_with_certificate_of_secured_port) {
  const auto usual = parse_options({});
  ASSERT_TRUE(usual.has_value());
  EXPECT_EQ(usual->secure_port, 10257);
  EXPECT_EQ(usual->bind_address, "0.0.0.0");
  const auto given =
      parse_options({"--secure-port=0", "--tls-cert-file=a", "--tls-private-key-file=b",
                     "--client-ca-file=c", "--authorization-always-allow-paths=/metrics,/debug/*"});
  ASSERT_TRUE(given.has_value()) << given.error().text;
  EXPECT_EQ(given->secure_port, 0);
  EXPECT_EQ(given->serving_certificates.key_file, "b");
  EXPECT_EQ(given->always_allow_paths, (std::vector<std::string>{"/metrics", "/debug/*"}));
  for (const char* lone : {"--tls-cert-file=a", "--tls-private-key-file=b", "--secure-port=65536",
                           "--secure-port=https"}) {
    const auto refused = parse_options({lone});
    ASSERT_FALSE(refused.has_value()) << lone;
    EXPECT_EQ(refused.error().status, 2);
  }
}

struct ControllersRow {
  const char* value;
  bool claims;
  bool eviction;
};

TEST(Options, select_controllers_like_kube_controller_manager) {
  for (const ControllersRow& row : {ControllersRow{"*", true, true},
                                    {"resourceclaim-controller", true, false},
                                    {"resource-claim-controller", true, false},
                                    {"*,-resourceclaim-controller", false, true},
                                    {"-device-taint-eviction-controller,*", true, false},
                                    {"device-taint-eviction-controller", false, true}}) {
    const auto options = parse_options({std::string("--controllers=") + row.value});
    ASSERT_TRUE(options.has_value()) << row.value << ": " << options.error().text;
    EXPECT_EQ(options->runs_resource_claim_controller, row.claims) << row.value;
    EXPECT_EQ(options->runs_device_taint_eviction_controller, row.eviction) << row.value;
  }
}

TEST(Options, evict_no_pod_without_device_taints) {
  const auto options = parse_options({"--feature-gates=kube:DRADeviceTaints=false"});
  ASSERT_TRUE(options.has_value()) << options.error().text;
  EXPECT_FALSE(options->runs_device_taint_eviction_controller);
  EXPECT_TRUE(options->runs_resource_claim_controller);
}

TEST(Options, enable_pool_status_only_with_gate) {
  EXPECT_FALSE(parse_options({})->runs_pool_status_controller);
  EXPECT_FALSE(parse_options({"--controllers=*"})->runs_pool_status_controller);
  const std::string on = "--feature-gates=DRAResourcePoolStatus=true";
  EXPECT_TRUE(parse_options({on})->runs_pool_status_controller);
  const auto alone = parse_options({on, "--controllers=resourcepoolstatusrequest-controller"});
  ASSERT_TRUE(alone.has_value()) << alone.error().text;
  EXPECT_TRUE(alone->runs_pool_status_controller);
  EXPECT_FALSE(alone->runs_resource_claim_controller);
  EXPECT_FALSE(parse_options({"--controllers=resourcepoolstatusrequest-controller"}))
      << "nothing is left to run";
}

TEST(Options, accept_and_name_feature_gates_of_other_components) {
  const auto options = parse_options(
      {"--feature-gates=DRAExtendedResource=true,kube:InPlacePodVerticalScaling=false,"
       "DRADeviceTaintRules=false"});
  ASSERT_TRUE(options.has_value()) << options.error().text;
  EXPECT_EQ(options->without_effect,
            (std::vector<std::string>{"DRAExtendedResource", "InPlacePodVerticalScaling"}));
  EXPECT_FALSE(options->features.dra_device_taint_rules);
  EXPECT_TRUE(options->features.dra_device_taints) << "a gate is about itself alone";
  EXPECT_TRUE(options->runs_device_taint_eviction_controller);
}

// A control plane may be newer, and its flags are copied.
TEST(Options, suggest_nearest_feature_gate) {
  const auto options = parse_options(
      {"--feature-gates=ManagedFieldsOptOut=true,CertificateSigningRequestMLDSA=false,"
       "CloudNodeAdditionalLabelsReconciliation=true,DynamicResourceAllocation=true,"
       "DRADeviceTaints=true,DRADeviceTaintRule=false"});
  ASSERT_TRUE(options.has_value()) << options.error().text;
  std::vector<std::string> names;
  for (const UnknownGate& gate : options->unknown_gates) names.push_back(gate.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre(
                         "ManagedFieldsOptOut", "CertificateSigningRequestMLDSA",
                         "CloudNodeAdditionalLabelsReconciliation", "DRADeviceTaintRule"));
  const auto typo =
      std::ranges::find(options->unknown_gates, "DRADeviceTaintRule", &UnknownGate::name);
  EXPECT_EQ(typo->nearest, "DRADeviceTaintRules");
  EXPECT_TRUE(options->features.dra_device_taint_rules);
  EXPECT_THAT(options->without_effect, testing::Contains("DynamicResourceAllocation"));
}

TEST(Options, keep_other_gates_when_one_is_off) {
  const auto options = parse_options({"--feature-gates=GenericWorkload=false,CPUManager=false"});
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->features.dra_device_taints);
  EXPECT_TRUE(options->features.dra_device_taint_rules);
  EXPECT_TRUE(options->features.dra_admin_access);
  EXPECT_TRUE(options->runs_device_taint_eviction_controller);
}

TEST(Options, accept_gates_of_Kubernetes_1_34) {
  const auto options =
      parse_options({"--feature-gates=DRAAdminAccess=false,DRAPrioritizedList=false"});
  ASSERT_TRUE(options) << options.error().text;
  EXPECT_FALSE(options->features.dra_admin_access);
  EXPECT_FALSE(options->features.dra_prioritized_list);
}

TEST(Options, apply_stage_gates_unless_gate_is_named) {
  EXPECT_TRUE(
      parse_options({"--feature-gates=AllBeta=true"})->features.dra_workload_resource_claims);
  EXPECT_FALSE(parse_options({"--feature-gates=AllBeta=true,DRAWorkloadResourceClaims=false"})
                   ->features.dra_workload_resource_claims);
  EXPECT_FALSE(parse_options({"--feature-gates=AllAlpha=true"})->features.generic_workload);
}

TEST(Options, ignore_controllers_of_kube_controller_manager) {
  const auto options =
      parse_options({"--controllers=*,bootstrap-signer-controller,-garbage-collector-controller"});
  ASSERT_TRUE(options.has_value()) << options.error().text;
  EXPECT_TRUE(options->runs_resource_claim_controller);
  EXPECT_EQ(options->without_effect, (std::vector<std::string>{"bootstrap-signer-controller"}));
}

TEST(Options, accept_flags_of_kubeadm_control_plane) {
  const auto options = parse_options(
      {"--allocate-node-cidrs=true", "--authentication-kubeconfig=/a",
       "--authorization-kubeconfig=/a", "--bind-address=127.0.0.1", "--client-ca-file=/ca",
       "--cluster-cidr=10.244.0.0/16", "--cluster_name=kubernetes",
       "--cluster-signing-cert-file=/ca", "--cluster-signing-key-file=/k",
       "--controllers=*,bootstrapsigner,tokencleaner", "--kubeconfig=/a", "--leader-elect=true",
       "--root-ca-file=/ca", "--service-account-private-key-file=/sa",
       "--service-cluster-ip-range=10.96.0.0/12", "--use-service-account-credentials=true"});
  ASSERT_TRUE(options.has_value()) << options.error().text;
  EXPECT_EQ(options->cluster.kubeconfig, "/a");
}

TEST(Options, accept_every_value_form_of_kube_controller_manager) {
  const auto options = parse_options({"--leader-elect=F", "--kube-api-qps=-1", "-v=10",
                                      "--feature-gates=DRADeviceTaints=1, kube:DRADeviceTaintRules "
                                      "= False ,DRAExtendedResource=T"});
  ASSERT_TRUE(options.has_value()) << options.error().text;
  EXPECT_FALSE(options->leader_election.has_value());
  EXPECT_LE(options->kube_api_qps, 0) << "no limit";
  EXPECT_EQ(options->verbosity, 10);
  EXPECT_TRUE(options->features.dra_device_taints);
  EXPECT_FALSE(options->features.dra_device_taint_rules);
  EXPECT_THAT(options->without_effect, testing::Contains("DRAExtendedResource"));
}

TEST(Options, reject_gates_that_leave_no_controller) {
  const auto options = parse_options(
      {"--controllers=device-taint-eviction-controller", "--feature-gates=DRADeviceTaints=false"});
  ASSERT_FALSE(options.has_value());
  EXPECT_NE(options.error().text.find("nothing is left to run"), std::string::npos);
}

TEST(Options, choose_deletion_or_eviction_api) {
  using device_taint_eviction::EvictionMode;
  EXPECT_EQ(parse_options({})->eviction_mode, EvictionMode::remove);
  EXPECT_EQ(parse_options({"--device-taint-eviction-mode=evict"})->eviction_mode,
            EvictionMode::evict);
  EXPECT_EQ(parse_options({"--device-taint-eviction-rate=2.5"})->eviction_rate, 2.5);
}

TEST(Options, name_tls_versions_and_suites_like_go) {
  const auto usual = parse_options({});
  EXPECT_EQ(usual->serving_tls.min_version, http::TlsVersion::v1_2);
  EXPECT_TRUE(usual->serving_tls.cipher_suites.empty());
  const auto given = parse_options(
      {"--tls-min-version=VersionTLS13",
       "--tls-cipher-suites=TLS_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305"});
  ASSERT_TRUE(given) << given.error().text;
  EXPECT_EQ(given->serving_tls.min_version, http::TlsVersion::v1_3);
  EXPECT_EQ(given->serving_tls.cipher_suites.size(), 2U);
}

TEST(Options, accept_master_for_server) {
  EXPECT_EQ(parse_options({"--master=https://other:6443"})->cluster.server, "https://other:6443");
}

TEST(Options, accept_process_flags_without_effect) {
  const auto options =
      parse_options({"--kubeconfig=/a", "--authentication-kubeconfig=/a",
                     "--authorization-kubeconfig=/a", "--authentication-skip-lookup=false",
                     "--authorization-webhook-cache-authorized-ttl=10s", "--profiling=false"});
  EXPECT_TRUE(options) << options.error().text;
}

// docs/migrate.md lists flags that are not copied: those about that process, its files, address and
// lease.
TEST(Options, accept_other_flags_of_kubeadm) {
  const auto options = parse_options(
      {"--allocate-node-cidrs=true", "--cluster-cidr=10.244.0.0/16", "--cluster-name=kubernetes",
       "--cluster-signing-cert-file=/pki/ca.crt", "--cluster-signing-key-file=/pki/ca.key",
       "--leader-elect=true", "--root-ca-file=/pki/ca.crt",
       "--service-account-private-key-file=/pki/sa.key", "--service-cluster-ip-range=10.96.0.0/12",
       "--use-service-account-credentials=true"});
  EXPECT_TRUE(options) << options.error().text;
}

struct BadRow {
  const char* flag;
  const char* named;  // what the line must mention
};

TEST(Options, name_flag_of_mistake_in_one_line) {
  for (const BadRow& row :
       {BadRow{"--kubecofnig=x", "--kubecofnig"},
        {"--concurrent-resourceclaim-syncs=0", "--concurrent-resourceclaim-syncs"},
        {"--kube-api-qps=fast", "fast"},
        {"--kube-api-qps=1e-9", "--kube-api-qps: expected a number of at least 0.1, or 0 for no"},
        {"--kube-api-burst=2147483648", "from 1 to 2147483647, got \"2147483648\""},
        {"--kube-api-burst=99999999999999999999", "from 1 to 2147483647, got"},
        {"--device-taint-eviction-rate=1e-9", "--device-taint-eviction-rate"},
        {"--device-taint-eviction-rate=-1", "a number of at least 0.001, or 0 for no limit"},
        {"--dry-run-timeout=1ns", "--dry-run-timeout: expected a duration of at least 1s"},
        {"--server=https://x:99999", "--server: \"https://x:99999\" is not a server URL: the port"},
        {"--server=https://ada:secret@x", "--server: it holds a user name or password"},
        {"--server=ada:secret@x:6443", "--server: "},
        {"--bind-address=999.1.1.1", "--bind-address: expected an IP address, got \"999.1.1.1\""},
        {"--bind-address=10.0.0.1:80", "--bind-address: expected an IP address"},
        {"--metrics-bind-address=abc",
         "--metrics-bind-address: \"abc\" is not an address to listen"},
        {"--metrics-bind-address=a:1", "the host is not an IP address"},
        {"--metrics-accept-hosts=*", "--metrics-accept-hosts: expected host names, or *.DOMAIN"},
        {"--metrics-accept-hosts=a b", "got \"a b\""},
        {"--metrics-accept-hosts=dev.example,http://x", "got \"http://x\""},
        {"--authorization-always-allow-paths=/healthz,a*b", "only trailing * allowed in \"a*b\""},
        {"--max-inflight-requests=0", "--max-inflight-requests"},
        {"--controllers=garbage", "garbage"},
        {"--controllers=-resourceclaim-controller", "--controllers"},
        {"--device-taint-eviction-mode=kill", "delete or evict"},
        {"--feature-gates=DRAWorkloadResourceClaims=true", "needs GenericWorkload=true"},
        {"--controllers=resourceclaims-controller", "did you mean resourceclaim-controller?"},
        {"--feature-gates=GenericWorkload", "GenericWorkload"},
        {"--logging-format=xml", "--logging-format"},
        {"-v=-1", "-v"},
        {"-v=11", "expected a whole number from 0 to 10"},
        {"--tls-min-version=VersionTLS11", "expected VersionTLS12 or VersionTLS13"},
        {"--tls-cipher-suites=TLS_RSA_WITH_AES_128_CBC_SHA", "TLS_RSA_WITH_AES_128_CBC_SHA"},
        {"--authentication-kubeconfig=/b", "callers are reviewed with --kubeconfig"},
        {"--authorization_kubeconfig=/b", "callers are reviewed with --kubeconfig"},
        {"--authentication-skip-lookup", "only false is supported here"},
        {"--authentication-token-webhook-cache-ttl=1m", "only 10s is supported here"},
        {"--requestheader-client-ca-file=/f",
         "headers authenticate no caller here: leave this flag"},
        {"--tls-sni-cert-key=a,b", "--tls-sni-cert-key"},
        {"--disabled-metrics=a", "--disabled-metrics"},
        {"--leader-elect=maybe", "--leader-elect"},
        {"--leader-elect-lease-duration=15", "--leader-elect-lease-duration"},
        {"--leader-elect-retry-period=0s", "--leader-elect-retry-period"},
        {"--leader-elect-retry-period=1ns", "expected a duration of at least 0.1s"},
        {"--leader-elect-retry-period=2562048h",
         "expected a duration of at least 0.1s and up to 2562047h, like 15s or 1m30s"},
        {"--leader-elect-renew-deadline=99ms", "expected a duration of at least 0.1s"},
        {"--leader-elect-renew-deadline=15s", "lease duration"},
        {"--leader-elect-retry-period=9s", "renew deadline"},
        {"--leader-elect-resource-lock=endpoints", "leases"},
        {"--leader-elect-resource-name=", "--leader-elect-resource-name"},
        {"--leader-elect-resource-namespace=", "--leader-elect-resource-namespace"},
        {"--leader-elect-resource-name=A B", "--leader-elect-resource-name: expected a DNS sub"},
        {"--leader-elect-resource-name=a..b", "--leader-elect-resource-name: expected a DNS sub"},
        {"--leader-elect-resource-name=-a", "--leader-elect-resource-name: expected a DNS sub"},
        {"--leader-elect-resource-namespace=A B", "namespace: expected a DNS label"},
        {"--leader-elect-resource-namespace=a.b", "namespace: expected a DNS label"},
        {"stray", "stray"}}) {
    const auto options = parse_options({row.flag});
    ASSERT_FALSE(options.has_value()) << row.flag;
    EXPECT_EQ(options.error().status, 2) << row.flag;
    EXPECT_THAT(options.error().text, HasSubstr(row.named));
    EXPECT_EQ(options.error().text.find('\n'), std::string::npos) << options.error().text;
    EXPECT_FALSE(parse_options({"--dry-run", row.flag}))
        << "a dry run is a trial of the real start";
  }
}

TEST(Options, accept_addresses_hosts_and_paths_in_every_form) {
  for (const char* flag :
       {"--bind-address=", "--bind-address=::", "--bind-address=localhost",
        "--metrics-bind-address=", "--metrics-bind-address=:8080",
        "--metrics-bind-address=[::1]:8080", "--metrics-bind-address=localhost:0",
        "--metrics-accept-hosts=dev.example,*.dev.example,dev.example:80,10.0.0.1,[::1]:80,fd00::1",
        "--authorization-always-allow-paths=healthz,/met*,*", "--server=", "--server=10.0.0.1:6443",
        "--leader-elect-resource-name=a.b-1", "--leader-elect-resource-namespace=dra-1",
        "--leader-elect-retry-period=100ms", "--dry-run-timeout=1s", "--kube-api-qps=0.1"}) {
    const auto options = parse_options({flag});
    EXPECT_TRUE(options) << flag << ": " << options.error().text;
  }
}

TEST(Options, suggest_only_own_controllers_that_are_similar) {
  EXPECT_THAT(parse_options({"--controllers=foo"}).error().text, testing::Not(HasSubstr("mean")));
  EXPECT_THAT(parse_options({"--controllers=nodeipan"}).error().text,
              testing::Not(HasSubstr("mean")));
}

// As for --kubeconfig.
TEST(Options, take_empty_config_for_none) {
  EXPECT_TRUE(parse_options({"--config="}));
}

TEST(Options, enable_leader_election_with_usual_defaults) {
  const auto options = parse_options({});
  ASSERT_TRUE(options.has_value()) << options.error().text;
  ASSERT_TRUE(options->leader_election.has_value());
  EXPECT_EQ(options->leader_election->lease.str(), "kube-system/dra-controller-manager");
  EXPECT_EQ(options->leader_election->timing.lease_duration, 15s);
  EXPECT_EQ(options->leader_election->timing.renew_deadline, 10s);
  EXPECT_EQ(options->leader_election->timing.retry_period, 2s);
}

TEST(Options, accept_leader_election_flags) {
  const auto options = parse_options(
      {"--leader-elect", "--leader-elect-lease-duration=1m", "--leader-elect-renew-deadline=40s",
       "--leader-elect-retry-period=2500ms", "--leader-elect-resource-lock=leases",
       "--leader-elect-resource-name=mine", "--leader-elect-resource-namespace=dra"});
  ASSERT_TRUE(options.has_value()) << options.error().text;
  EXPECT_EQ(options->leader_election->lease.str(), "dra/mine");
  EXPECT_EQ(options->leader_election->timing.lease_duration, 60s);
  EXPECT_EQ(options->leader_election->timing.renew_deadline, 40s);
  EXPECT_EQ(options->leader_election->timing.retry_period, 2500ms);
}

TEST(Options, can_disable_leader_election) {
  EXPECT_FALSE(parse_options({"--leader-elect=false"})->leader_election.has_value());
}

TEST(Options, suggest_nearest_command) {
  EXPECT_THAT(parse_options({"explian", "pod"}).error().text, HasSubstr("did you mean explain?"));
  EXPECT_THAT(parse_options({"vrsion"}).error().text, HasSubstr("did you mean version?"));
  EXPECT_THAT(parse_options({"unlike-any"}).error().text, HasSubstr("--help lists flags"));
}

TEST(Options, accept_help_and_version) {
  const auto help = parse_options({"--help"});
  ASSERT_FALSE(help.has_value());
  EXPECT_EQ(help.error().status, 0);
  for (const char* group : {"Cluster", "Controllers", "Leader election", "Process"}) {
    EXPECT_THAT(help.error().text, HasSubstr(group));
  }
  for (const char* flag : {"--version", "--version=true", "--version=raw", "--help=true"}) {
    EXPECT_EQ(parse_options({flag}).error().status, 0) << flag;
  }
}

}  // namespace
}  // namespace dcm::dra_manager
