// The fields that the playground reads, beyond those of client/api.
#include "cmd/dra-playground/objects/decode.hpp"

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

struct DurationRow {
  std::string text;
  std::optional<Duration> expected;
};

class ParseDuration : public ::testing::TestWithParam<DurationRow> {};

TEST_P(ParseDuration, reads_as_go_does) {
  EXPECT_EQ(parse_duration(GetParam().text), GetParam().expected) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ParseDuration,
    ::testing::Values(DurationRow{"2s", 2s}, DurationRow{"1m30s", 90s}, DurationRow{"500ms", 500ms},
                      DurationRow{"1.5h", 90min}, DurationRow{"0", 0s}, DurationRow{"0s", 0s},
                      DurationRow{"", std::nullopt}, DurationRow{"2", std::nullopt},
                      DurationRow{"-2s", std::nullopt}, DurationRow{"2 s", std::nullopt},
                      DurationRow{"s", std::nullopt}, DurationRow{"inf", std::nullopt},
                      DurationRow{"nans", std::nullopt}, DurationRow{"2s!", std::nullopt},
                      DurationRow{"99999999999h", std::nullopt}));

TEST(DecodePod, reads_what_its_annotations_tell_the_node) {
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

TEST(DecodePod, only_an_end_is_a_finish) {
  const Pod pod =
      read(make_pod_decoder(), R"("spec":{})",
           R"(,"annotations":{"playground.dra-controller-manager.dev/finish":"Running"})");
  EXPECT_EQ(pod.finish, std::nullopt);
}

TEST(DecodePod, reads_the_scheduler_name_and_the_scheduling_failure) {
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

TEST(DecodePod, reads_the_node_that_it_selects_by_name) {
  const Pod pod =
      read(make_pod_decoder(), R"("spec":{"nodeSelector":{"kubernetes.io/hostname":"node-1"}})");
  EXPECT_EQ(pod.wanted_node.str(), "node-1");
  EXPECT_EQ(pod.unsupported, "");
  const Pod other = read(make_pod_decoder(), R"("spec":{"nodeSelector":{"disk":"fast"}})");
  EXPECT_EQ(other.unsupported, "the node selector disk");
}

TEST(DecodePod, reads_whether_a_taint_is_why_it_goes) {
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

std::string with_request(const std::string& exactly) {
  return R"("spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu")" +
         exactly + "}}]}}";
}

TEST(DecodeClaim, reads_requests_of_both_modes) {
  const Claim counted =
      read(make_claim_decoder(), with_request(R"(,"allocationMode":"ExactCount","count":3)"));
  ASSERT_EQ(counted.requests.size(), 1U);
  EXPECT_EQ(counted.requests[0].device_class, "gpu");
  EXPECT_EQ(counted.requests[0].mode, AllocationMode::exact_count);
  EXPECT_EQ(counted.requests[0].count, 3);
  EXPECT_EQ(counted.unsupported, "");
  const Claim all = read(make_claim_decoder(), with_request(R"(,"allocationMode":"All")"));
  EXPECT_EQ(all.requests[0].mode, AllocationMode::all);
}

TEST(DecodeClaim, keeps_tolerations_as_they_are) {
  const Claim claim =
      read(make_claim_decoder(),
           with_request(
               R"(,"tolerations":[{"key":"a", "tolerationSeconds":30},{"operator":"Exists"}])"));
  EXPECT_EQ(claim.requests[0].tolerations,
            (std::vector<std::string>{R"({"key":"a", "tolerationSeconds":30})",
                                      R"({"operator":"Exists"})"}));
}

TEST(DecodeClaim, notes_what_the_scheduler_cannot_do) {
  const auto unsupported = [](const std::string& spec) {
    return read(make_claim_decoder(), spec).unsupported;
  };
  EXPECT_EQ(unsupported(with_request(R"(,"selectors":[{"cel":{"expression":"true"}}])")),
            "selectors");
  EXPECT_EQ(unsupported(with_request(R"(,"adminAccess":true)")), "adminAccess");
  EXPECT_EQ(unsupported(with_request(R"(,"allocationMode":"Some")")), "allocationMode Some");
  EXPECT_EQ(unsupported(R"("spec":{"devices":{"requests":[{"name":"r","firstAvailable":[{}]}]}})"),
            "firstAvailable");
  EXPECT_EQ(unsupported(R"("spec":{"devices":{"constraints":[{}]}})"), "constraints");
  EXPECT_EQ(unsupported(with_request(R"(,"selectors":[],"adminAccess":false)")), "");
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

std::string selectors(const std::string& expressions) {
  return R"("spec":{"selectors":[)" + expressions + "]}";
}
std::string cel(const std::string& expression) {
  return R"({"cel":{"expression":")" + expression + "\"}}";
}

TEST(DecodeDeviceClass, reads_the_driver_of_the_selector_that_names_one) {
  const DeviceClass made =
      read(make_device_class_decoder(), selectors(cel(R"(device.driver == \"gpu.example.com\")")));
  EXPECT_EQ(made.driver.str(), "gpu.example.com");
  EXPECT_EQ(made.unsupported, "");
}

TEST(DecodeDeviceClass, one_without_selectors_has_every_device) {
  const DeviceClass made = read(make_device_class_decoder(), R"("spec":{})");
  EXPECT_TRUE(made.driver.empty());
  EXPECT_EQ(made.unsupported, "");
}

TEST(DecodeDeviceClass, any_other_selector_is_not_guessed_at) {
  for (const std::string& expression :
       {std::string(R"(device.driver != \"gpu\")"),
        std::string(R"(device.driver == \"a\" || true)"), std::string("true"),
        std::string(R"(device.driver == \")"), std::string()}) {
    const DeviceClass made = read(make_device_class_decoder(), selectors(cel(expression)));
    EXPECT_NE(made.unsupported, "") << expression;
  }
  const std::string two = cel(R"(device.driver == \"a\")") + "," + cel(R"(device.driver == \"b\")");
  EXPECT_NE(read(make_device_class_decoder(), selectors(two)).unsupported, "");
}

TEST(DecodeSlice, reads_devices_and_whether_they_are_tainted) {
  const Slice slice =
      read(make_slice_decoder(),
           R"("spec":{"driver":"d","nodeName":"n","pool":{"name":"p","generation":7},"devices":[)"
           R"({"name":"a"},{"name":"b","taints":[{"key":"k","effect":"NoSchedule"}]},)"
           R"({"name":"c","taints":[{"key":"k","effect":"None"}]}]})");
  EXPECT_EQ(slice.generation, 7);
  ASSERT_EQ(slice.devices.size(), 3U);
  EXPECT_TRUE(slice.devices[0].taints.empty());
  ASSERT_EQ(slice.devices[1].taints.size(), 1U);
  EXPECT_EQ(slice.devices[1].taints[0].key, "k");
  EXPECT_TRUE(slice.devices[2].taints.empty());
}

TEST(DecodeSlice, names_how_it_is_for_several_nodes) {
  for (const auto* field : {"allNodes", "perDeviceNodeSelection", "nodeSelector"}) {
    const bool is_object = std::string_view(field) == "nodeSelector";
    const Slice slice = read(make_slice_decoder(), fmt::format(R"("spec":{{"{}":{}}})", field,
                                                               is_object ? R"({"a":1})" : "true"));
    EXPECT_EQ(slice.unknown, field);
  }
}

TEST(DecodeSlice, names_what_makes_a_device_more_than_one_claims_alone) {
  const auto unknown = [](std::string_view fields) {
    const Slice slice =
        read(make_slice_decoder(),
             fmt::format(R"("spec":{{"nodeName":"n","pool":{{"name":"p","resourceSliceCount":3}},)"
                         R"("devices":[{{"name":"d",{}}}]}})",
                         fields));
    EXPECT_EQ(slice.slice_count, 3);
    return slice.devices.at(0).unknown;
  };
  EXPECT_EQ(unknown(R"("consumesCounters":[{"counterSet":"s","counters":{}}])"),
            "consumesCounters");
  EXPECT_EQ(unknown(R"("allowMultipleAllocations":true)"), "allowMultipleAllocations");
  EXPECT_EQ(unknown(R"("allowMultipleAllocations":false,"bindsToNode":false)"), "");
  EXPECT_EQ(unknown(R"("bindingConditions":["ready"],"bindingFailureConditions":["failed"])"),
            "bindingConditions, bindingFailureConditions");
  EXPECT_EQ(unknown(R"("ofALaterVersion":1)"), "ofALaterVersion");
  EXPECT_EQ(unknown(R"("attributes":{"a":{"int":1}},"capacity":{"b":{"value":"1"}})"), "");
}

TEST(DecodeNode, accepts_no_pods_when_it_is_tainted) {
  const auto takes_pods = [](std::string_view key, std::string_view effect) {
    return read(make_node_decoder(),
                fmt::format(R"("spec":{{"taints":[{{"key":"{}","effect":"{}"}}]}})", key, effect))
        .closed.empty();
  };
  EXPECT_FALSE(takes_pods("mine", "NoSchedule"));
  EXPECT_FALSE(takes_pods("mine", "NoExecute"));
  EXPECT_TRUE(takes_pods("mine", "PreferNoSchedule"));
  EXPECT_FALSE(takes_pods("node.kubernetes.io/not-ready", "NoSchedule"));
}

struct UnknownRow {
  std::string_view sentence;
  std::string_view spec;
  std::string_view named;
};

TEST(DecodePod, says_in_which_group_it_is) {
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
        UnknownRow{"affinity", R"("affinity":{"nodeAffinity":{}})", "affinity"},
        UnknownRow{"an affinity that says nothing", R"("affinity":{})", ""},
        UnknownRow{"spread", R"("topologySpreadConstraints":[{"maxSkew":1}])",
                   "topologySpreadConstraints"},
        UnknownRow{"a pod group", R"("schedulingGroup":{"podGroupName":"g"})", "schedulingGroup"},
        UnknownRow{"a volume that must be bound",
                   R"("volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}}])",
                   "the volume source persistentVolumeClaim"},
        UnknownRow{"a volume of its own", R"("volumes":[{"name":"v","emptyDir":{}}])", ""},
        UnknownRow{"an extended resource",
                   R"("containers":[{"resources":{"limits":{"cpu":"1","a.b/gpu":"1"}}}])",
                   "the extended resource a.b/gpu"},
        UnknownRow{"an extended resource of a container that comes first",
                   R"("initContainers":[{"resources":{"requests":{"a.b/gpu":"1"}}}])",
                   "the extended resource a.b/gpu"},
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
        UnknownRow{"two things", R"("affinity":{"a":{}},"nodeSelector":{"disk":"fast"})",
                   "affinity, the node selector disk"}));

TEST(DecodeClaim, names_what_the_scheduler_does_not_know) {
  const auto unknown = [](std::string_view devices) {
    return read(make_claim_decoder(), fmt::format(R"("spec":{{"devices":{{{}}}}})", devices))
        .unsupported;
  };
  EXPECT_EQ(unknown(R"("constraints":[{"matchAttribute":"a"}],"later":{"b":1})"),
            "constraints, later");
  EXPECT_EQ(unknown(R"("requests":[{"name":"r","exactly":{"capacity":{"requests":{}}}}])"),
            "capacity");
  EXPECT_EQ(
      read(make_device_class_decoder(), R"("spec":{"later":[1],"extendedResourceName":"a.b/c"})")
          .unsupported,
      "later");
}

TEST(DecodeClaim, reads_configuration_as_it_is) {
  const Claim claim = read(
      make_claim_decoder(),
      R"("spec":{"devices":{"config":[{"requests":["r"],"opaque":{"driver":"d","parameters":{}}}]}})");
  ASSERT_EQ(claim.config.size(), 1U);
  EXPECT_EQ(claim.config[0].requests, std::vector<std::string>{"r"});
  EXPECT_EQ(claim.config[0].text, R"({"requests":["r"],"opaque":{"driver":"d","parameters":{}}})");
  EXPECT_EQ(claim.unsupported, "");
  const DeviceClass made =
      read(make_device_class_decoder(), R"("spec":{"config":[{"opaque":{"driver":"d"}}]})");
  ASSERT_EQ(made.config.size(), 1U);
  EXPECT_EQ(made.config[0].text, R"({"opaque":{"driver":"d"}})");
  EXPECT_EQ(made.unsupported, "");
}

TEST(DecodeClaim, a_device_for_an_administrator_is_not_in_use) {
  const Claim claim =
      read(make_claim_decoder(), R"("status":{"allocation":{"devices":{"results":[{"driver":"d",)"
                                 R"("pool":"p","device":"x","adminAccess":true}]}}})");
  EXPECT_TRUE(claim.devices.empty());
  ASSERT_EQ(claim.admin_devices.size(), 1U);
  EXPECT_EQ(claim.admin_devices[0].str(), "d/p/x");
}

TEST(DecodeNode, reads_whether_it_takes_pods) {
  EXPECT_EQ(read(make_node_decoder(), R"("spec":{})").closed, "");
  EXPECT_EQ(read(make_node_decoder(), R"("spec":{"unschedulable":true})").closed,
            "is unschedulable");
  EXPECT_EQ(read(make_node_decoder(), R"("spec":{})", R"(,"labels":{"kubernetes.io/hostname":"h"})")
                .hostname.str(),
            "h");
}

}  // namespace
}  // namespace dcm::playground
