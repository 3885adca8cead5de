#include "cmd/dra-playground/scheduler/decide_placement.hpp"

#include <functional>
#include <ostream>

#include <gtest/gtest.h>

#include "test/unit/playground/scene.hpp"

namespace dcm::playground {
namespace {

// "node-1: gpus <- gpu/node-1/dev-0, shared <- reserved"; or what else was decided.
std::string text_of(const Verdict& verdict) {
  if (std::holds_alternative<NotOurs>(verdict)) return "not ours";
  if (const auto* wait = std::get_if<WaitForClaims>(&verdict)) return "wait: " + wait->why;
  if (const auto* no = std::get_if<Unschedulable>(&verdict)) return "unschedulable: " + no->why;
  const auto& placement = std::get<Placement>(verdict);
  std::string text = placement.node.str() + ":";
  for (const ClaimStep& step : placement.steps) {
    text += " " + step.claim->meta.key.name + " <-";
    if (step.claim->is_allocated) text += " reserved";
    for (const Grant& grant : step.grants) text += " " + grant.device.str();
    for (const GrantedConfig& config : step.config) {
      text += config.source == GrantedConfig::Source::claim ? " claim" : " class";
      text += config.text;
      for (const std::string& request : config.requests) text += " " + request;
    }
  }
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
  scene.add_claim("gpus", {wants("gpu", 2)});
  scene.add_claim("nic", {wants("nic")});
  Pod pod = pod_with({"gpus"});
  GetParam().arrange(scene, pod);
  EXPECT_EQ(text_of(decide_placement(pod, scene.view())), GetParam().expected);
}

const Row kRows[] = {
    {"a_claim_gets_devices_on_the_first_node_that_has_them", [](Scene&, Pod&) {},
     "node-0: gpus <- gpu/node-0/dev-0 gpu/node-0/dev-1"},
    {"a_pod_without_claims_goes_to_the_first_node", [](Scene&, Pod& pod) { pod = pod_with(); },
     "node-0:"},
    {"a_node_without_free_devices_is_passed_over",
     [](Scene& scene, Pod&) {
       for (int i = 0; i < 3; ++i) scene.inventory.take(device("node-0", "gpu", i));
     },
     "node-1: gpus <- gpu/node-1/dev-0 gpu/node-1/dev-1"},
    {"all_claims_of_a_pod_come_from_one_node",
     [](Scene& scene, Pod& pod) {
       pod = pod_with({"gpus", "nic"});
       for (int i = 0; i < 4; ++i) scene.inventory.take(device("node-0", "nic", i));
     },
     "node-1: gpus <- gpu/node-1/dev-0 gpu/node-1/dev-1 nic <- nic/node-1/dev-0"},
    {"a_pod_goes_to_the_node_that_it_selects", [](Scene&, Pod& pod) { pod.wanted_node = "node-1"; },
     "node-1: gpus <- gpu/node-1/dev-0 gpu/node-1/dev-1"},
    {"a_pod_that_selects_a_node_goes_to_no_other",
     [](Scene&, Pod& pod) { pod.wanted_node = "node-9"; },
     "unschedulable: 0/2 nodes have the devices that its claims ask for"},
    {"a_selector_that_the_scheduler_does_not_know_is_not_guessed",
     [](Scene&, Pod& pod) { pod.unsupported = "the node selector disk"; },
     "unschedulable: the scheduler of dra-playground does not know the node selector disk"},
    {"two_claims_for_the_same_devices_share_none",
     [](Scene& scene, Pod& pod) {
       scene.add_claim("more", {wants("gpu", 2)});
       pod = pod_with({"gpus", "more"});
     },
     "node-0: gpus <- gpu/node-0/dev-0 gpu/node-0/dev-1 more <- gpu/node-0/dev-2 "
     "gpu/node-0/dev-3"},
    {"a_claim_that_two_entries_name_is_one_claim",
     [](Scene&, Pod& pod) { pod = pod_with({"gpus", "gpus"}); },
     "node-0: gpus <- gpu/node-0/dev-0 gpu/node-0/dev-1"},
    {"an_allocated_claim_ties_the_pod_to_its_node_and_is_reserved",
     [](Scene& scene, Pod&) { scene.allocate("gpus", device("node-1", "gpu", 0)); },
     "node-1: gpus <- reserved"},
    {"what_the_other_claims_want_must_be_on_that_node",
     [](Scene& scene, Pod& pod) {
       pod = pod_with({"gpus", "nic"});
       scene.allocate("gpus", device("node-1", "gpu", 0));
     },
     "node-1: gpus <- reserved nic <- nic/node-1/dev-0"},
    {"a_claim_that_is_reserved_needs_nothing_more",
     [](Scene& scene, Pod& pod) {
       scene.allocate("gpus", device("node-1", "gpu", 0));
       scene.edit("gpus").reserved_for.push_back({"", "pods", "trainer-0", pod.meta.uid});
     },
     "node-1:"},
    {"all_takes_every_device_of_a_node",
     [](Scene& scene, Pod&) {
       scene.add_claim("gpus", {wants_all("gpu")});
       scene.inventory.take(device("node-0", "gpu", 3));
     },
     "node-1: gpus <- gpu/node-1/dev-0 gpu/node-1/dev-1 gpu/node-1/dev-2 gpu/node-1/dev-3"},
    {"a_claim_without_requests_is_allocated_with_nothing",
     [](Scene& scene, Pod&) { scene.add_claim("gpus", {}); }, "node-0: gpus <-"},

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
     "wait: no claim was made for gpus"},
    {"a_claim_that_is_not_there_is_waited_for", [](Scene& scene, Pod&) { scene.claims.clear(); },
     "wait: there is no claim gpus"},
    {"a_claim_that_is_being_deleted_is_waited_for",
     [](Scene& scene, Pod&) { scene.edit("gpus").meta.is_being_deleted = true; },
     "wait: claim gpus is being deleted"},
    {"a_claim_that_somebody_is_allocating_is_waited_for",
     [](Scene& scene, Pod&) { scene.in_flight.push_back(Scene::key("gpus")); },
     "wait: claim gpus is being allocated"},
    {"a_generated_claim_must_be_the_pods_own",
     [](Scene&, Pod& pod) {
       pod.claims = {{"g", "", "template"}};
       pod.claim_statuses = {{"g", "gpus"}};
     },
     "wait: claim gpus was not made for this pod"},
    {"an_entry_that_needs_no_claim_asks_for_none",
     [](Scene&, Pod& pod) {
       pod.claims = {{"g", "", "template"}};
       pod.claim_statuses = {{"g", std::nullopt}};
     },
     "node-0:"},

    {"too_many_devices_are_nowhere",
     [](Scene& scene, Pod&) { scene.add_claim("gpus", {wants("gpu", 5)}); },
     "unschedulable: 0/2 nodes have the devices that its claims ask for"},
    {"a_full_reservation_list_is_full",
     [](Scene& scene, Pod&) {
       scene.allocate("gpus", device("node-1", "gpu", 0));
       scene.edit("gpus").reserved_for.resize(api::kReservedForMax);
     },
     "unschedulable: claim gpus is reserved for 256 pods, which is the most there can be"},
    {"devices_of_two_nodes_fit_no_pod",
     [](Scene& scene, Pod& pod) {
       pod = pod_with({"gpus", "nic"});
       scene.allocate("gpus", device("node-0", "gpu", 0));
       scene.allocate("nic", device("node-1", "nic", 0));
     },
     "unschedulable: its claims have devices of different nodes"},
    {"an_allocated_device_must_be_there",
     [](Scene& scene, Pod&) { scene.allocate("gpus", device("node-9", "gpu", 0)); },
     "unschedulable: device gpu/node-9/dev-0 of claim gpus is not there"},
    {"a_device_class_must_be_there", [](Scene& scene, Pod&) { scene.classes.clear(); },
     "unschedulable: there is no device class gpu"},
    {"what_the_scheduler_does_not_know_it_does_not_guess",
     [](Scene& scene, Pod&) { scene.edit("gpus").unsupported = "firstAvailable"; },
     "unschedulable: the scheduler of dra-playground does not know firstAvailable of claim gpus"},
    {"each_unknown_thing_is_named",
     [](Scene& scene, Pod& pod) {
       pod.unsupported = "affinity";
       scene.edit("gpus").unsupported = "constraints";
     },
     "unschedulable: the scheduler of dra-playground does not know affinity, nor constraints of "
     "claim gpus"},
    {"devices_that_the_scheduler_does_not_know_are_given_to_nobody",
     [](Scene& scene, Pod&) {
       scene.nodes.resize(1);
       Slice parts = slice("node-0", "gpu", 4);
       parts.devices[3].unknown = "consumesCounters";
       scene.inventory.set_slice(parts);
     },
     "unschedulable: 0/1 nodes have the devices that its claims ask for; the scheduler of "
     "dra-playground does not know consumesCounters of device gpu/node-0/dev-3"},
    {"a_closed_node_says_why",
     [](Scene& scene, Pod&) {
       scene.nodes.clear();
       scene.closed_nodes["node-0"] = "has the taint mine";
     },
     "unschedulable: 0/1 nodes have the devices that its claims ask for; node-0 has the taint "
     "mine"},
    {"a_node_is_selected_by_its_label",
     [](Scene& scene, Pod& pod) {
       scene.nodes[1].hostname = "other-name";
       pod.wanted_node = "other-name";
     },
     "node-1: gpus <- gpu/node-1/dev-0 gpu/node-1/dev-1"},
    {"a_device_that_an_administrator_only_looks_at_ties_the_pod_to_its_node",
     [](Scene& scene, Pod&) {
       scene.edit("gpus").is_allocated = true;
       scene.edit("gpus").admin_devices = {device("node-1", "gpu", 0)};
     },
     "node-1: gpus <- reserved"},
    {"configuration_of_classes_comes_before_that_of_the_claim",
     [](Scene& scene, Pod&) {
       scene.add_claim("gpus", {{.name = "a", .device_class = "gpu"},
                                {.name = "b", .device_class = "nic"},
                                {.name = "c", .device_class = "gpu"}});
       scene.edit("gpus").config = {{"{1}", {"b"}}, {"{2}", {}}, {"{3}", {"a", "b", "c"}}};
       auto gpu = std::make_shared<DeviceClass>(*scene.classes["gpu"]);
       gpu->config = {{"{4}"}};
       scene.classes["gpu"] = gpu;
     },
     "node-0: gpus <- gpu/node-0/dev-0 nic/node-0/dev-0 gpu/node-0/dev-1 class{4} a c "
     "claim{1} b claim{2} claim{3}"},
};

INSTANTIATE_TEST_SUITE_P(Rows, DecidePlacement, ::testing::ValuesIn(kRows),
                         [](const auto& info) { return info.param.sentence; });

std::string line_of(const Scene& scene, const Pod& pod) {
  const Verdict verdict = decide_placement(pod, scene.view());
  const auto* no = std::get_if<Unschedulable>(&verdict);
  return no == nullptr ? "(it has a place)" : no->line;
}

TEST(DecidePlacementLines, pods_that_want_the_same_wait_in_one_line) {
  Scene scene(1, 1);
  scene.add_claim("a", {wants("gpu", 2)});
  scene.add_claim("b", {wants("gpu", 2)});
  scene.add_claim("c", {wants("gpu", 3)});
  scene.add_claim("d", {wants_all("fpga")});
  EXPECT_EQ(line_of(scene, pod_with({"a"})), line_of(scene, pod_with({"b"})));
  EXPECT_NE(line_of(scene, pod_with({"a"})), line_of(scene, pod_with({"c"})));
}

// A claim has no more than 32 devices, so the one may never have a place where the other has.
TEST(DecidePlacementLines, one_claim_and_two_with_the_same_requests_wait_in_different_lines) {
  Scene scene(1, 1);
  scene.add_claim("both", {wants("gpu", 2), wants("gpu", 2)});
  scene.add_claim("a", {wants("gpu", 2)});
  scene.add_claim("b", {wants("gpu", 2)});
  EXPECT_NE(line_of(scene, pod_with({"both"})), line_of(scene, pod_with({"a", "b"})));
}

TEST(DecidePlacementLines, pods_that_select_different_nodes_wait_in_different_lines) {
  Scene scene(1, 1);
  scene.add_claim("a", {wants("gpu", 2)});
  Pod one = pod_with({"a"});
  Pod other = pod_with({"a"});
  one.wanted_node = "node-0";
  EXPECT_NE(line_of(scene, one), line_of(scene, other));
}

TEST(DecidePlacementLines, a_pod_with_a_problem_of_its_own_delays_no_other) {
  Scene scene;
  scene.add_claim("a", {wants("fpga")});
  Pod one = pod_with({"a"});
  Pod other = pod_with({"a"});
  other.meta.key.name = "trainer-1";
  EXPECT_NE(line_of(scene, one), line_of(scene, other));
}

}  // namespace
}  // namespace dcm::playground
