// The fields that the playground reads, beyond those of client/api.
#include "playground/objects/decode.hpp"

#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace dcm::playground {
namespace {

using namespace std::chrono_literals;

template <class T>
T read(const std::unique_ptr<api::Decoder<T>>& decoder, const std::string& fields,
       const std::string& metadata = "") {
  const auto decoded =
      decoder->decode_object(R"({"metadata":{"name":"a","uid":"u","resourceVersion":"1")" +
                             metadata + "}," + fields + "}");
  EXPECT_TRUE(decoded) << decoded.error().message;
  T copy;
  if (decoded && decoded->object) copy = std::move(const_cast<T&>(*decoded->object));
  return copy;
}

TEST(DecodePod, reads_annotations_for_node) {
  const Pod pod = read(make_pod_decoder(), R"("spec":{"nodeName":"node-1"})",
                       R"(,"annotations":{"playground.dra-controller-manager.dev/run-for":"2s",)"
                       R"("playground.dra-controller-manager.dev/stop-after":"soon",)"
                       R"("playground.dra-controller-manager.dev/finish":"Failed"},)"
                       R"("deletionGracePeriodSeconds":30)");
  EXPECT_EQ(pod.run_for, 2s);
  EXPECT_EQ(pod.stop_after, std::nullopt);
  EXPECT_EQ(pod.finish, api::PodPhase::failed);
  EXPECT_EQ(pod.grace, 30s);
  EXPECT_EQ(pod.node_name.str(), "node-1");
}

TEST(DecodePod, treats_only_final_phase_as_finished) {
  const Pod pod =
      read(make_pod_decoder(), R"("spec":{})",
           R"(,"annotations":{"playground.dra-controller-manager.dev/finish":"Running"})");
  EXPECT_EQ(pod.finish, std::nullopt);
}

TEST(DecodePod, reads_scheduler_name_and_scheduling_failure) {
  const Pod pod = read(make_pod_decoder(),
                       R"("spec":{"schedulerName":"other","schedulingGates":[{"name":"g"}]},)"
                       R"("status":{"conditions":[{"type":"PodScheduled","status":"False",)"
                       R"("message":"no room"}]})");
  EXPECT_TRUE(pod.is_scheduled_by_others);
  EXPECT_TRUE(pod.has_gates);
  EXPECT_EQ(pod.unschedulable, "no room");
  const Pod plain = read(make_pod_decoder(), R"("spec":{"schedulerName":"default-scheduler"})");
  EXPECT_FALSE(plain.is_scheduled_by_others);
  EXPECT_FALSE(plain.has_gates);
}

// What kubelet's PodResources API lists.
TEST(DecodePod, puts_sidecars_before_containers) {
  const Pod pod =
      read(make_pod_decoder(),
           R"("spec":{"initContainers":[{"name":"ends"},)"
           R"({"name":"sidecar","restartPolicy":"Always"}],"containers":[{"name":"c"}]})");
  std::vector<std::string> names;
  for (const Container& each : long_lived_containers(pod)) names.push_back(each.name);
  EXPECT_EQ(names, (std::vector<std::string>{"sidecar", "c"}));
}

TEST(DecodePod, reads_priority) {
  EXPECT_EQ(read(make_pod_decoder(), R"("spec":{"priority":-5})").priority, -5);
  EXPECT_EQ(read(make_pod_decoder(), R"("spec":{})").priority, 0);
}

TEST(DecodePod, reads_node_selection) {
  const Pod pod = read(make_pod_decoder(), R"("spec":{"nodeSelector":{"disk":"fast"},"affinity":{)"
                                           R"("nodeAffinity":{"requiredDuringSchedulingIgnored)"
                                           R"(DuringExecution":{"nodeSelectorTerms":[{}]}}}})");
  const auto& [node_selector, affinity] = pod.node_affinity;
  EXPECT_EQ(node_selector, (std::map<std::string, std::string>{{"disk", "fast"}}));
  ASSERT_TRUE(affinity);
  EXPECT_EQ(affinity->terms.size(), 1U);
  EXPECT_EQ(pod.unsupported, "");
}

TEST(DecodePod, keeps_container_requests_for_extended_resources) {
  const Pod pod = read(
      make_pod_decoder(),
      R"("spec":{"containers":[{"resources":{"requests":{"memory":"1","a.b/gpu":"2","cpu":"1"}}},)"
      R"({"resources":{"requests":{"cpu":"1"}}}]})");
  ASSERT_EQ(pod.containers.size(), 2U);
  ASSERT_EQ(pod.containers[0].requests.size(), 3U);
  EXPECT_EQ(pod.containers[0].requests[0].name, "a.b/gpu");
  EXPECT_EQ(pod.containers[0].requests[0].amount, 2);
  EXPECT_EQ(pod.containers[0].requests[1].name, "cpu");
  EXPECT_TRUE(pod.containers[1].requests.empty());
}

struct AmountRow {
  std::string_view written;
  std::int64_t amount;
};

TEST(DecodePod, reads_number_of_requested_devices) {
  for (const auto& [written, amount] :
       {AmountRow{R"("2")", 2}, AmountRow{"2", 2}, AmountRow{R"("1k")", 1000},
        AmountRow{R"("2e0")", 2}, AmountRow{R"("500m")", 0}, AmountRow{R"("0")", 0},
        AmountRow{R"("9007199254740993")", 9007199254740993},
        AmountRow{R"("9223372036854775807")", std::numeric_limits<std::int64_t>::max()},
        AmountRow{R"("9223372036854775808")", std::numeric_limits<std::int64_t>::max()},
        AmountRow{R"("16E")", std::numeric_limits<std::int64_t>::max()},
        AmountRow{R"("1e1000002")", std::numeric_limits<std::int64_t>::max()}}) {
    const Pod pod = read(
        make_pod_decoder(),
        fmt::format(R"("spec":{{"containers":[{{"resources":{{"requests":{{"a.b/gpu":{}}}}}}}]}})",
                    written));
    ASSERT_EQ(pod.containers.size(), 1U) << written;
    EXPECT_EQ(pod.containers[0].requests.at(0).amount, amount) << written;
  }
}

TEST(DecodePod, reads_whether_taint_caused_deletion) {
  const auto target = [](const std::string& status, const std::string& reason) {
    return read(make_pod_decoder(), R"("status":{"conditions":[{"type":"DisruptionTarget",)"
                                    R"("status":")" +
                                        status + R"(","reason":")" + reason + "\"}]}")
        .disruption_target;
  };
  using enum api::DisruptionTarget;
  EXPECT_EQ(target("True", "DeletionByDeviceTaintManager"), by_device_taint);
  EXPECT_EQ(target("True", "PreemptionByScheduler"), other);
  EXPECT_EQ(target("False", "DeletionByDeviceTaintManager"), none);
}

TEST(DecodeClaim, gives_equal_requests_the_same_text) {
  const auto text = [](const std::string& name) {
    return read(make_claim_decoder(),
                R"("spec":{"devices":{"requests":[{"name":")" + name + R"("}]}})")
        .spec_text;
  };
  EXPECT_EQ(text("a"), text("a"));
  EXPECT_NE(text("a"), text("b"));
}

TEST(DecodeClaim, reads_owner_finalizer_devices_and_reservations) {
  const Claim claim = read(
      make_claim_decoder(),
      R"("status":{"allocation":{"devices":{"results":[{"driver":"d","pool":"p","device":"x"}]}},)"
      R"("reservedFor":[{"resource":"pods","name":"t","uid":"v"}]})",
      R"(,"finalizers":["resource.kubernetes.io/delete-protection"],)"
      R"("ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"t","uid":"v","controller":true}])");
  EXPECT_TRUE(claim.is_allocated);
  EXPECT_TRUE(claim.has_delete_protection);
  ASSERT_EQ(claim.devices.size(), 1U);
  EXPECT_EQ(claim.devices[0].id.str(), "d/p/x");
  ASSERT_EQ(claim.reserved_for.size(), 1U);
  ASSERT_TRUE(claim.controller);
  EXPECT_EQ(claim.controller->kind.str(), "Pod");
  EXPECT_EQ(claim.controller->group.str(), "");
}

struct UnknownRow {
  std::string_view sentence;
  std::string_view spec;
  std::string_view named;
};

TEST(DecodePod, reads_group) {
  const Pod pod = read(make_pod_decoder(), R"("spec":{"schedulingGroup":{"podGroupName":"g"}})");
  EXPECT_EQ(pod.scheduling_group.str(), "g");
}

class UnknownToTheScheduler : public ::testing::TestWithParam<UnknownRow> {};

TEST_P(UnknownToTheScheduler, is_named) {
  const Pod pod = read(make_pod_decoder(), fmt::format(R"("spec":{{{}}})", GetParam().spec));
  EXPECT_EQ(pod.unsupported, GetParam().named);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, UnknownToTheScheduler,
    ::testing::Values(
        UnknownRow{"affinity to pods", R"("affinity":{"podAffinity":{"a":1}})", "podAffinity"},
        UnknownRow{"a preference",
                   R"("affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnored)"
                   R"(DuringExecution":[{"weight":1}]}})",
                   "nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution"},
        UnknownRow{"an affinity that says nothing", R"("affinity":{})", ""},
        UnknownRow{"spread", R"("topologySpreadConstraints":[{"maxSkew":1}])",
                   "topologySpreadConstraints"},
        UnknownRow{"a pod group", R"("schedulingGroup":{"podGroupName":"g"})", "schedulingGroup"},
        UnknownRow{"a volume that must be bound",
                   R"("volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}}])",
                   "the volume source persistentVolumeClaim"},
        UnknownRow{"a volume of its own", R"("volumes":[{"name":"v","emptyDir":{}}])", ""},
        UnknownRow{"an extended resource",
                   R"("containers":[{"resources":{"requests":{"cpu":"1","a.b/gpu":"1"}}}])", ""},
        UnknownRow{"a class by its resource",
                   R"("initContainers":[{"resources":{"requests":{)"
                   R"("deviceclass.resource.kubernetes.io/gpu":"1"}}}])",
                   ""},
        UnknownRow{"pages of their own",
                   R"("containers":[{"resources":{"requests":{"hugepages-2Mi":"2Mi"}}}])",
                   "the resource hugepages-2Mi"},
        UnknownRow{"CPU and memory as most ask for them",
                   R"("containers":[{"resources":{"requests":{"cpu":"99","memory":"1e3"}}},)"
                   R"({"resources":{"requests":{"cpu":"999m","memory":"99.9Gi"}}}])",
                   ""},
        UnknownRow{"more CPU than a hollow node has for each",
                   R"("containers":[{"resources":{"requests":{"cpu":100}}},)"
                   R"({"resources":{"requests":{"cpu":"1m"}}}])",
                   "a cpu request of more than 100"},
        UnknownRow{"more memory than a hollow node has for each",
                   R"("initContainers":[{"resources":{"requests":{"memory":"0.2Ti"}}}])",
                   "a memory request of more than 100Gi"},
        UnknownRow{"much of the whole pod", R"("resources":{"requests":{"memory":"101Gi"}})",
                   "a memory request of more than 100Gi"},
        UnknownRow{"what its runtime needs", R"("overhead":{"cpu":"1k"})",
                   "a cpu request of more than 100"},
        UnknownRow{"an amount that is none",
                   R"("containers":[{"resources":{"requests":{"cpu":"much"}}}])",
                   "a cpu request of more than 100"},
        UnknownRow{
            "limits above the requests",
            R"("containers":[{"resources":{"limits":{"cpu":"200"},"requests":{"cpu":"1"}}}])", ""},
        UnknownRow{"a port of the node", R"("containers":[{"ports":[{"hostPort":80}]}])",
                   "hostPort"},
        UnknownRow{"two things",
                   R"("affinity":{"podAntiAffinity":{"a":1}},"volumes":[{"iscsi":{}}])",
                   "podAntiAffinity, the volume source iscsi"}));

TEST(DecodeClaim, does_not_count_admin_access_as_use) {
  const Claim claim =
      read(make_claim_decoder(), R"("status":{"allocation":{"devices":{"results":[{"driver":"d",)"
                                 R"("pool":"p","device":"x","adminAccess":true}]}}})");
  EXPECT_TRUE(claim.devices.empty());
  ASSERT_TRUE(claim.allocation);
  EXPECT_EQ(claim.allocation->devices[0].id.str(), "d/p/x");
}

TEST(DecodeNode, reads_allocation_inputs) {
  const Node node = read(make_node_decoder(),
                         R"("spec":{"unschedulable":true},"status":{"declaredFeatures":["F"]})",
                         R"(,"labels":{"kubernetes.io/hostname":"h"})");
  EXPECT_TRUE(node.is_unschedulable);
  EXPECT_EQ(node.declared_features, std::vector<std::string>{"F"});
  EXPECT_EQ(node.labels.at("kubernetes.io/hostname"), "h");
}

}  // namespace
}  // namespace dcm::playground
