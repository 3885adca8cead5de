#include "playground/scheduler/decide_placement.hpp"

#include <functional>
#include <ostream>

#include "test/unit/playground/scene.hpp"

namespace dcm::playground {
namespace {

// "node-1: gpus <- gpu/node-1/dev-0, shared <- reserved"; or the other decision.
std::string text_of(const Verdict& verdict) {
  if (std::holds_alternative<NotOurs>(verdict)) return "not ours";
  if (const auto* wait = std::get_if<WaitForClaims>(&verdict)) return "wait: " + wait->why;
  if (const auto* no = std::get_if<Unschedulable>(&verdict)) {
    const bool is_error = no->kind == Unschedulable::Kind::error;
    return (is_error ? "error: " : "unschedulable: ") + no->why +
           (no->to_deallocate ? " -> " + no->to_deallocate->meta.key.name : "") +
           (no->to_delete ? " -> without " + no->to_delete->meta.key.name : "");
  }
  const auto& placement = std::get<Placement>(verdict);
  std::string text = placement.node.str() + ":";
  const auto add = [&text](const std::string& claim, const allocation::AllocationResult& given) {
    text += " " + claim + " <-";
    for (const auto& result : given.devices) {
      text += " " + result.id.str() + (result.has_admin_access ? "(admin)" : "") +
              (result.share_id.empty() ? "" : "(shared)") +
              (result.request == "r" ? "" : "=" + result.request);
    }
  };
  for (const ClaimStep& step : placement.steps) {
    if (step.allocation) {
      add(step.claim->meta.key.name.str(), *step.allocation);
    } else {
      text += " " + step.claim->meta.key.name + " <- reserved";
    }
  }
  if (placement.extended) add("extended", placement.extended->allocation);
  return text;
}

struct Row {
  std::string sentence;
  std::function<void(Scene&, Pod&)> arrange;
  std::string expected;
  friend std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.sentence; }
};

class DecidePlacement : public ::testing::TestWithParam<Row> {};

TEST_P(DecidePlacement, decides) {
  Scene scene;
  scene.add_claim("gpus", wants("gpu", 2));
  scene.add_claim("nic", wants("nic"));
  Pod pod = pod_with({"gpus"});
  GetParam().arrange(scene, pod);
  EXPECT_EQ(text_of(decide_placement(pod, scene.view())), GetParam().expected);
}

constexpr const char* kNowhere =
    "unschedulable: 0/2 nodes are available: 2 cannot allocate all claims. preemption: 0/2 nodes "
    "are available: 2 Preemption is not helpful for scheduling.";
constexpr const char* kUnhelpful =
    "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.";

std::string nowhere(const std::string& reasons, const std::string& then = "") {
  return "unschedulable: 0/2 nodes are available: " + reasons + ". " + then + kUnhelpful;
}

// What a pod's claims get.
const Row kDevices[] = {
    {"a_claim_gets_devices_on_the_first_node_that_has_them", [](Scene&, Pod&) {},
     "node-0: gpus <- gpu/node-0/dev-0 gpu/node-0/dev-1"},
    {"a_pod_without_claims_goes_to_the_first_node", [](Scene&, Pod& pod) { pod = pod_with(); },
     "node-0:"},
    {"a_node_without_free_devices_is_passed_over",
     [](Scene& scene, Pod&) {
       for (int i = 0; i < 3; ++i) scene.take(Scene::device("node-0", "gpu", i));
     },
     "node-1: gpus <- gpu/node-1/dev-0 gpu/node-1/dev-1"},
    {"all_claims_of_a_pod_come_from_one_node",
     [](Scene& scene, Pod& pod) {
       pod = pod_with({"gpus", "nic"});
       for (int i = 0; i < 4; ++i) scene.take(Scene::device("node-0", "nic", i));
     },
     "node-1: gpus <- gpu/node-1/dev-0 gpu/node-1/dev-1 nic <- nic/node-1/dev-0"},
    {"two_claims_for_the_same_devices_share_none",
     [](Scene& scene, Pod& pod) {
       scene.add_claim("more", wants("gpu", 2));
       pod = pod_with({"gpus", "more"});
     },
     "node-0: gpus <- gpu/node-0/dev-0 gpu/node-0/dev-1 more <- gpu/node-0/dev-2 "
     "gpu/node-0/dev-3"},
    {"a_claim_that_two_entries_name_is_one_claim",
     [](Scene&, Pod& pod) { pod = pod_with({"gpus", "gpus"}); },
     "node-0: gpus <- gpu/node-0/dev-0 gpu/node-0/dev-1"},
    {"all_takes_every_device_of_a_node",
     [](Scene& scene, Pod&) {
       scene.add_claim("gpus", wants_all("gpu"));
       scene.take(Scene::device("node-0", "gpu", 3));
     },
     "node-1: gpus <- gpu/node-1/dev-0 gpu/node-1/dev-1 gpu/node-1/dev-2 gpu/node-1/dev-3"},
    {"a_claim_without_requests_is_allocated_with_nothing",
     [](Scene& scene, Pod&) { scene.add_claim("gpus", ""); }, "node-0: gpus <-"},
    {"a_selector_chooses_among_the_devices_of_the_class",
     [](Scene& scene, Pod&) {
       scene.add_devices("node-1", "gpu", 2, R"(,"attributes":{"model":{"string":"a"}})");
       scene.add_claim("gpus", requests({request("r", "gpu",
                                                 selector("has(device.attributes['gpu'].model)"
                                                          " && device.attributes['gpu'].model "
                                                          "== 'a'"))}));
     },
     "node-1: gpus <- gpu/node-1/dev-0"},
    {"a_class_may_select_by_any_expression",
     [](Scene& scene, Pod&) {
       scene.add_class("gpu",
                       R"("selectors":[{"cel":{"expression":"device.driver == 'n' + 'ic'"}}])");
     },
     "node-0: gpus <- nic/node-0/dev-0 nic/node-0/dev-1"},
    {"a_constraint_holds_for_all_devices_of_the_claim",
     [](Scene& scene, Pod&) {
       scene.add_slice("node-1", "gpu",
                       R"("nodeName":"node-1","devices":[)"
                       R"({"name":"a","attributes":{"numa":{"int":0}}},)"
                       R"({"name":"b","attributes":{"numa":{"int":1}}},)"
                       R"({"name":"c","attributes":{"numa":{"int":1}}}])");
       scene.add_claim("gpus",
                       wants("gpu", 2) + R"(,"constraints":[{"matchAttribute":"gpu/numa"}])");
     },
     "node-1: gpus <- gpu/node-1/b gpu/node-1/c"},
    {"the_node_with_the_better_alternative_is_taken",
     [](Scene& scene, Pod&) {
       for (int i = 0; i < 3; ++i) scene.take(Scene::device("node-0", "gpu", i));
       scene.add_claim(
           "gpus",
           R"("requests":[{"name":"q","firstAvailable":[)"
           R"({"name":"two","deviceClassName":"gpu","allocationMode":"ExactCount","count":2},)"
           R"({"name":"one","deviceClassName":"gpu","allocationMode":"ExactCount","count":1}]}])");
     },
     "node-1: gpus <- gpu/node-1/dev-0=q/two gpu/node-1/dev-1=q/two"},
    {"an_administrator_sees_devices_that_are_in_use",
     [](Scene& scene, Pod&) {
       scene.nodes.resize(1);
       for (int i = 0; i < 4; ++i) scene.take(Scene::device("node-0", "gpu", i));
       scene.add_claim("gpus", requests({request("r", "gpu", R"(,"adminAccess":true)")}));
     },
     "node-0: gpus <- gpu/node-0/dev-0(admin)"},
    {"a_shared_device_is_given_out_until_its_capacity_is_used",
     [](Scene& scene, Pod& pod) {
       scene.add_devices(
           "node-0", "gpu", 1,
           R"(,"allowMultipleAllocations":true,"capacity":{"memory":{"value":"4Gi"}})");
       const std::string part = R"(,"capacity":{"requests":{"memory":"2Gi"}})";
       scene.add_claim("gpus", requests({request("r", "gpu", part)}));
       scene.add_claim("more", requests({request("r", "gpu", part)}));
       pod = pod_with({"gpus", "more"});
     },
     "node-0: gpus <- gpu/node-0/dev-0(shared) more <- gpu/node-0/dev-0(shared)"},
    {"a_tainted_device_is_for_requests_that_tolerate_it",
     [](Scene& scene, Pod& pod) {
       scene.add_devices("node-0", "gpu", 4, R"(,"taints":[{"key":"old","effect":"NoSchedule"}])");
       scene.add_claim(
           "old", requests({request("r", "gpu",
                                    R"(,"tolerations":[{"key":"old","operator":"Exists"}])")}));
       pod = pod_with({"old"});
     },
     "node-0: old <- gpu/node-0/dev-0"},
    {"an_extended_resource_is_provided_by_the_class_that_names_it",
     [](Scene& scene, Pod& pod) {
       scene.add_class("gpu", R"("extendedResourceName":"example.com/gpu")");
       pod = pod_with({"nic"}, R"("containers":[{"name":"c","resources":{"requests":{"cpu":"1",)"
                               R"("example.com/gpu":"2"}}}])");
     },
     "node-0: nic <- nic/node-0/dev-0 extended <- gpu/node-0/dev-0=container-0-request-1 "
     "gpu/node-0/dev-1=container-0-request-1"},
    {"every_class_has_an_extended_resource_of_its_name",
     [](Scene&, Pod& pod) {
       pod = pod_with({}, R"("containers":[{"name":"c","resources":{"requests":{)"
                          R"("deviceclass.resource.kubernetes.io/nic":"1"}}}])");
     },
     "node-0: extended <- nic/node-0/dev-0=container-0-request-0"},
    {"more_devices_than_any_number_can_count_are_not_none",
     [](Scene&, Pod& pod) {
       pod = pod_with({}, R"("containers":[{"name":"c","resources":{"requests":{)"
                          R"("deviceclass.resource.kubernetes.io/nic":"9223372036854775808"}}}])");
     },
     "error: running \"DynamicResources\" filter plugin: claim lab/<extended-resources>, request "
     "container-0-request-0: adding 9223372036854775807 devices exceeds the claim limit of 32, "
     "with 0 already accounted for"},
};

// Earlier allocations and failed attempts.
const Row kAllocated[] = {
    {"an_allocated_claim_ties_the_pod_to_its_nodes_and_is_reserved",
     [](Scene& scene, Pod&) { scene.allocate("gpus", Scene::device("node-1", "gpu", 0)); },
     "node-1: gpus <- reserved"},
    {"what_the_other_claims_want_must_be_on_that_node",
     [](Scene& scene, Pod& pod) {
       pod = pod_with({"gpus", "nic"});
       scene.allocate("gpus", Scene::device("node-1", "gpu", 0));
     },
     "node-1: gpus <- reserved nic <- nic/node-1/dev-0"},
    {"a_claim_that_is_reserved_needs_nothing_more",
     [](Scene& scene, Pod& pod) {
       scene.allocate("gpus", Scene::device("node-1", "gpu", 0));
       scene.edit("gpus").reserved_for.push_back({"", "pods", "trainer-0", pod.meta.uid});
     },
     "node-1:"},
    {"an_allocation_without_node_selector_is_for_every_node",
     [](Scene& scene, Pod&) {
       scene.allocate("gpus", Scene::device("node-9", "gpu", 0));
       scene.edit("gpus").allocation->node_selector.reset();
     },
     "node-0: gpus <- reserved"},
    {"a_claim_that_fits_no_node_and_that_nobody_uses_loses_its_devices",
     [](Scene& scene, Pod&) { scene.allocate("gpus", Scene::device("node-9", "gpu", 0)); },
     nowhere("2 resourceclaim not available on the node",
             "deallocation of ResourceClaim completed, ") +
         " -> gpus"},
    {"a_claim_that_others_use_keeps_its_devices",
     [](Scene& scene, Pod&) {
       scene.allocate("gpus", Scene::device("node-9", "gpu", 0));
       scene.edit("gpus").reserved_for.push_back({"", "pods", "other", api::Uid("other")});
     },
     nowhere("2 resourceclaim not available on the node")},
    {"no_claim_loses_its_devices_for_a_pod_whose_other_claims_fit_nowhere",
     [](Scene& scene, Pod& pod) {
       scene.allocate("nic", Scene::device("node-9", "nic", 0));
       scene.add_claim("gpus", wants("gpu", 5));
       pod = pod_with({"gpus", "nic"});
     },
     kNowhere},
    {"devices_of_two_nodes_are_given_up_one_by_one",
     [](Scene& scene, Pod& pod) {
       pod = pod_with({"gpus", "nic"});
       scene.allocate("gpus", Scene::device("node-0", "gpu", 0));
       scene.allocate("nic", Scene::device("node-1", "nic", 0));
     },
     nowhere("2 resourceclaim not available on the node",
             "deallocation of ResourceClaim completed, ") +
         " -> gpus"},
    {"a_full_reservation_list_is_full",
     [](Scene& scene, Pod&) {
       scene.allocate("gpus", Scene::device("node-1", "gpu", 0));
       auto& users = scene.edit("gpus").reserved_for;
       while (users.size() < api::kReservedForMax) users.emplace_back();
     },
     "unschedulable: claim gpus is reserved for 256 pods, which is the most there can be"},
    {"a_device_whose_driver_failed_to_make_it_ready_is_given_up",
     [](Scene& scene, Pod&) {
       scene.allocate("gpus", Scene::device("node-0", "gpu", 0));
       Claim& claim = scene.edit("gpus");
       claim.allocation->devices[0].binding_conditions = {"ready"};
       claim.allocation->devices[0].binding_failure_conditions = {"failed"};
       claim.device_statuses = {{Scene::device("node-0", "gpu", 0), {{"failed", true}}}};
     },
     nowhere("2 resourceclaim not available on the node",
             "deallocation of ResourceClaim completed, ") +
         " -> gpus"},
    {"a_claim_for_extended_resources_that_a_failed_attempt_left_is_deleted",
     [](Scene& scene, Pod& pod) {
       scene.add_claim("stale", wants("nic"));
       scene.stale_extended_claim = scene.claims.at(Scene::key("stale"));
       pod = pod_with({}, R"("containers":[{"name":"c","resources":{"requests":{)"
                          R"("deviceclass.resource.kubernetes.io/nic":"1"}}}])");
     },
     nowhere("2 cannot schedule extended resource claim", "deletion of ResourceClaim completed, ") +
         " -> without stale"},
    {"a_failure_behind_a_device_that_is_not_ready_is_not_seen",
     [](Scene& scene, Pod&) {
       scene.allocate("gpus", Scene::device("node-0", "gpu", 0));
       Claim& claim = scene.edit("gpus");
       claim.allocation->devices.push_back(Scene::result(Scene::device("node-0", "gpu", 1)));
       for (auto& result : claim.allocation->devices) result.binding_conditions = {"ready"};
       claim.allocation->devices[1].binding_failure_conditions = {"failed"};
       claim.device_statuses = {{Scene::device("node-0", "gpu", 1), {{"failed", true}}}};
     },
     "node-0: gpus <- reserved"},
    {"a_claim_that_only_bears_the_mark_of_extended_resources_is_not_deleted",
     [](Scene& scene, Pod&) {
       scene.allocate("gpus", Scene::device("node-9", "gpu", 0));
       scene.edit("gpus").is_extended_resource_claim = true;
     },
     nowhere("2 resourceclaim not available on the node",
             "deallocation of ResourceClaim completed, ") +
         " -> gpus"},
};

// PreFilter ends at the class, before PostFilter is told about the stale claim.
const Row kClassesAndClaims[] = {
    {"a_stale_claim_for_extended_resources_stays_while_a_class_is_missing",
     [](Scene& scene, Pod& pod) {
       scene.add_claim("stale", wants("nic"));
       scene.stale_extended_claim = scene.claims.at(Scene::key("stale"));
       pod = pod_with({"gpus"}, R"("containers":[{"name":"c","resources":{"requests":{)"
                                R"("deviceclass.resource.kubernetes.io/nic":"1"}}}])");
       scene.classes.erase("gpu");
     },
     nowhere("request r: device class gpu does not exist")},
    {"a_stale_claim_stays_while_no_class_has_the_extended_resources",
     [](Scene& scene, Pod& pod) {
       scene.add_claim("stale", wants("nic"));
       scene.stale_extended_claim = scene.claims.at(Scene::key("stale"));
       pod = pod_with({}, R"("containers":[{"name":"c","resources":{"requests":{"a.b/c":"1"}}}])");
     },
     nowhere("2 Insufficient a.b/c")},
};

const Row kOthers[] = {
    {"a_pod_that_has_a_node_is_left_alone", [](Scene&, Pod& pod) { pod.node_name = "node-0"; },
     "not ours"},
    {"a_pod_that_is_being_deleted_is_left_alone",
     [](Scene&, Pod& pod) { pod.meta.is_being_deleted = true; }, "not ours"},
    {"a_pod_with_scheduling_gates_is_left_alone", [](Scene&, Pod& pod) { pod.has_gates = true; },
     "not ours"},
    {"a_pod_of_another_scheduler_is_left_alone",
     [](Scene&, Pod& pod) { pod.is_scheduled_by_others = true; }, "not ours"},
    {"a_finished_pod_is_left_alone", [](Scene&, Pod& pod) { pod.phase = api::PodPhase::failed; },
     "not ours"},

    {"a_claim_that_was_not_made_yet_is_waited_for",
     [](Scene&, Pod& pod) { pod.claims = {{"gpus", "", "template"}}; },
     "wait: pod \"lab/trainer-0\": ResourceClaim not created yet"},
    {"a_claim_that_is_not_there_is_waited_for", [](Scene& scene, Pod&) { scene.claims.clear(); },
     "wait: could not find ResourceClaim \"lab/gpus\""},
    {"a_claim_that_is_being_deleted_is_waited_for",
     [](Scene& scene, Pod&) { scene.edit("gpus").meta.is_being_deleted = true; },
     "wait: resourceclaim \"gpus\" is being deleted"},
    {"a_claim_that_somebody_is_allocating_is_waited_for",
     [](Scene& scene, Pod&) { scene.in_flight.push_back(Scene::key("gpus")); },
     "wait: resource claim lab/gpus is in the process of being allocated"},
    {"a_generated_claim_must_be_the_pods_own",
     [](Scene&, Pod& pod) {
       pod.claims = {{"g", "", "template"}};
       pod.claim_statuses = {{"g", "gpus"}};
     },
     "wait: ResourceClaim lab/gpus was not created for Pod lab/trainer-0 (Pod is not owner)"},
    {"an_entry_that_needs_no_claim_asks_for_none",
     [](Scene&, Pod& pod) {
       pod.claims = {{"g", "", "template"}};
       pod.claim_statuses = {{"g", std::nullopt}};
     },
     "node-0:"},
};

// Why there is no node.
const Row kReasons[] = {
    {"too_many_devices_are_nowhere",
     [](Scene& scene, Pod&) { scene.add_claim("gpus", wants("gpu", 5)); }, kNowhere},
    {"a_device_class_must_be_there", [](Scene& scene, Pod&) { scene.classes.clear(); },
     nowhere("request r: device class gpu does not exist")},
    {"a_class_of_an_alternative_must_be_there",
     [](Scene& scene, Pod&) {
       scene.add_claim("gpus", R"("requests":[{"name":"q","firstAvailable":[)"
                               R"({"name":"a","deviceClassName":"gpu","count":1},)"
                               R"({"name":"b","deviceClassName":"none","count":1}]}])");
     },
     nowhere("request q/b: device class none does not exist")},
    {"a_selector_that_fails_holds_up_the_pod",
     [](Scene& scene, Pod&) {
       scene.add_claim(
           "gpus", requests({request("r", "gpu", selector("device.attributes['gpu'].x == 1"))}));
     },
     "error: running \"DynamicResources\" filter plugin: claim lab/gpus: selector #0 on device "
     "gpu/node-0/dev-0: CEL runtime error: no such key: x. consider using CEL optional chaining "
     "(.? "
     "followed by orValue()) or guarding the check with has() for optional fields"},
    {"a_pod_goes_to_the_node_that_it_selects",
     [](Scene&, Pod& pod) {
       pod = pod_with({"gpus"}, R"("nodeSelector":{"kubernetes.io/hostname":"node-1"})");
     },
     "node-1: gpus <- gpu/node-1/dev-0 gpu/node-1/dev-1"},
    {"a_pod_goes_to_the_node_that_its_affinity_requires",
     [](Scene&, Pod& pod) {
       pod = pod_with({"gpus"},
                      R"("affinity":{"nodeAffinity":{)"
                      R"("requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[)"
                      R"({"matchFields":[{"key":"metadata.name","operator":"In",)"
                      R"("values":["node-1"]}]}]}}})");
     },
     "node-1: gpus <- gpu/node-1/dev-0 gpu/node-1/dev-1"},
    {"a_pod_that_selects_a_node_goes_to_no_other",
     [](Scene& scene, Pod& pod) {
       scene.add_node("node-1", R"("taints":[{"key":"mine","effect":"NoSchedule"}])");
       pod = pod_with({"gpus"}, R"("nodeSelector":{"disk":"fast"})");
     },
     nowhere("1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated "
             "taint(s)")},
    {"a_cordoned_node_takes_no_pods",
     [](Scene& scene, Pod&) { scene.add_node("node-0", R"("unschedulable":true)"); },
     "node-1: gpus <- gpu/node-1/dev-0 gpu/node-1/dev-1"},
    {"a_pod_goes_to_a_node_whose_taints_it_tolerates",
     [](Scene& scene, Pod& pod) {
       scene.add_node("node-0", R"("taints":[{"key":"mine","value":"v","effect":"NoSchedule"},)"
                                R"({"key":"soft","effect":"PreferNoSchedule"}])");
       scene.add_node("node-1", R"("taints":[{"key":"mine","effect":"NoExecute"}])");
       pod = pod_with({"gpus"}, R"("tolerations":[{"key":"mine","value":"v"}])");
     },
     "node-0: gpus <- gpu/node-0/dev-0 gpu/node-0/dev-1"},
    {"a_pod_goes_to_no_node_with_another_value_or_effect_than_it_tolerates",
     [](Scene& scene, Pod& pod) {
       scene.add_node("node-0", R"("taints":[{"key":"mine","value":"v","effect":"NoSchedule"}])");
       scene.add_node("node-1", R"("taints":[{"key":"mine","value":"w","effect":"NoExecute"}])");
       pod =
           pod_with({"gpus"}, R"("tolerations":[{"key":"mine","value":"w","effect":"NoSchedule"},)"
                              R"({"key":"mine","operator":"Lt","value":"9"}])");
     },
     nowhere("2 node(s) had untolerated taint(s)")},
    {"a_pod_that_tolerates_everything_goes_to_a_cordoned_node",
     [](Scene& scene, Pod& pod) {
       scene.add_node("node-0",
                      R"("unschedulable":true,"taints":[)"
                      R"({"key":"node.kubernetes.io/unschedulable","effect":"NoSchedule"}])");
       pod = pod_with({"gpus"}, R"("tolerations":[{"operator":"Exists"}])");
     },
     "node-0: gpus <- gpu/node-0/dev-0 gpu/node-0/dev-1"},
    {"an_extended_resource_that_nobody_has_is_insufficient",
     [](Scene& scene, Pod& pod) {
       scene.nodes.resize(1);
       pod = pod_with({}, R"("containers":[{"name":"c","resources":{"requests":{"a.b/c":"1"}}}])");
     },
     "unschedulable: 0/1 nodes are available: 1 Insufficient a.b/c. preemption: 0/1 nodes are "
     "available: 1 Preemption is not helpful for scheduling."},
    {"a_device_plugin_is_not_played",
     [](Scene& scene, Pod& pod) {
       for (const auto* const node : {"node-0", "node-1"}) {
         scene.add_node(node, "", "", R"("allocatable":{"a.b/c":"4"})");
       }
       pod = pod_with({}, R"("containers":[{"name":"c","resources":{"requests":{"a.b/c":"1"}}}])");
     },
     nowhere("2 the scheduler of dra-playground does not count the device plugin's a.b/c")},
    {"a_field_that_the_scheduler_does_not_know_is_not_guessed",
     [](Scene&, Pod& pod) { pod.unsupported = "podAffinity"; },
     "unschedulable: the scheduler of dra-playground does not know podAffinity"},
    {"without_nodes_there_is_no_place", [](Scene& scene, Pod&) { scene.nodes.clear(); },
     "unschedulable: no nodes available to schedule pods"},
};

const auto kName = [](const auto& info) { return info.param.sentence; };
INSTANTIATE_TEST_SUITE_P(Devices, DecidePlacement, ::testing::ValuesIn(kDevices), kName);
INSTANTIATE_TEST_SUITE_P(Allocated, DecidePlacement, ::testing::ValuesIn(kAllocated), kName);
INSTANTIATE_TEST_SUITE_P(ClassesAndClaims, DecidePlacement, ::testing::ValuesIn(kClassesAndClaims),
                         kName);
INSTANTIATE_TEST_SUITE_P(Others, DecidePlacement, ::testing::ValuesIn(kOthers), kName);
INSTANTIATE_TEST_SUITE_P(Reasons, DecidePlacement, ::testing::ValuesIn(kReasons), kName);

std::string line_of(Scene& scene, const Pod& pod) {
  const Verdict verdict = decide_placement(pod, scene.view());
  const auto* no = std::get_if<Unschedulable>(&verdict);
  return no == nullptr ? "(it has a place)" : no->line;
}

TEST(DecidePlacementLines, queue_equal_pods_in_one_line) {
  Scene scene(1, 1);
  scene.add_claim("a", wants("gpu", 2));
  scene.add_claim("b", wants("gpu", 2));
  scene.add_claim("c", wants("gpu", 3));
  EXPECT_EQ(line_of(scene, pod_with({"a"})), line_of(scene, pod_with({"b"})));
  EXPECT_NE(line_of(scene, pod_with({"a"})), line_of(scene, pod_with({"c"})));
}

TEST(DecidePlacementLines, separate_pods_by_selected_nodes) {
  Scene scene(1, 1);
  scene.add_claim("a", wants("gpu", 2));
  const Pod one = pod_with({"a"});
  const Pod other = pod_with({"a"}, R"("nodeSelector":{"disk":"fast"})");
  EXPECT_NE(line_of(scene, one), line_of(scene, other));
}

TEST(DecidePlacementLines, separate_pods_by_tolerated_taints) {
  Scene scene(1, 1);
  scene.add_claim("a", wants("gpu", 2));
  const Pod one = pod_with({"a"}, R"("tolerations":[{"key":"x","operator":"Exists"}])");
  const Pod other = pod_with({"a"}, R"("tolerations":[{"key":"y","operator":"Exists"}])");
  EXPECT_NE(line_of(scene, one), line_of(scene, other));
}

TEST(DecidePlacementLines, separate_pods_by_priority) {
  Scene scene(1, 1);
  scene.add_claim("a", wants("gpu", 2));
  EXPECT_NE(line_of(scene, pod_with({"a"})), line_of(scene, pod_with({"a"}, R"("priority":1000)")));
}

TEST(DecidePlacementLines, separate_pods_by_containers_that_end) {
  Scene scene(1, 1);
  scene.add_class("gpu", R"("extendedResourceName":"example.com/gpu")");
  const std::string four = R"({"name":"a","resources":{"requests":{"example.com/gpu":"4"}}})";
  const std::string one = R"({"name":"b","resources":{"requests":{"example.com/gpu":"1"}}})";
  const Pod both_run = pod_with({}, fmt::format(R"("containers":[{},{}])", four, one));
  const Pod one_ends =
      pod_with({}, fmt::format(R"("initContainers":[{}],"containers":[{}])", four, one));
  EXPECT_NE(line_of(scene, both_run), line_of(scene, one_ends));
}

TEST(DecidePlacementLines, isolate_pod_with_error) {
  Scene scene;
  scene.add_claim("a",
                  requests({request("r", "gpu", selector("device.attributes['gpu'].x == 1"))}));
  const Pod one = pod_with({"a"});
  Pod other = pod_with({"a"});
  other.meta.key.name = "trainer-1";
  EXPECT_NE(line_of(scene, one), line_of(scene, other));
}

TEST(DecidePlacementTime, is_that_of_all_nodes) {
  const auto decide = [](int looks_max, int& looks) {
    Scene scene(2, 1);
    scene.add_claim("gpus", wants("gpu", 2));
    scene.is_time_up = [looks_max, &looks] { return ++looks > looks_max; };
    return text_of(decide_placement(pod_with({"gpus"}), scene.view()));
  };
  int looks = 0;
  EXPECT_EQ(decide(1000, looks), kNowhere);
  int again = 0;
  EXPECT_EQ(decide(looks - 1, again),
            "error: running \"DynamicResources\" filter plugin: node node-1: timed out trying to "
            "allocate devices");
}

TEST(DecidePlacementMisfits, retry_node_only_when_something_is_freed) {
  Scene scene(2, 1);
  scene.add_claim("gpus", wants("gpu"));
  const Pod pod = pod_with({"gpus"});
  const allocation::AllocationResult first{
      .devices = {Scene::result(Scene::device("node-0", "gpu", 0))}};
  scene.devices.take(first);
  scene.take(Scene::device("node-1", "gpu", 0));
  EXPECT_EQ(text_of(decide_placement(pod, scene.view())), kNowhere);
  const std::uint64_t there = scene.devices.version("node-1");
  scene.devices.give_back(first);
  EXPECT_EQ(scene.devices.version("node-1"), there);
  EXPECT_EQ(text_of(decide_placement(pod, scene.view())), "node-0: gpus <- gpu/node-0/dev-0");
}

TEST(DecidePlacementMisfits, retry_all_nodes_of_freed_device) {
  Scene scene(2, 0);
  scene.add_slice("net", "gpu", R"("allNodes":true,"devices":[{"name":"a"}])");
  const allocation::AllocationResult given{.devices = {Scene::result({"gpu", "net", "a"})}};
  scene.devices.take(given);
  const std::uint64_t before = scene.devices.version("node-1");
  scene.devices.give_back(given);
  EXPECT_NE(scene.devices.version("node-1"), before);
}

}  // namespace
}  // namespace dcm::playground
