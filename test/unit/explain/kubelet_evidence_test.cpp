// Why a pod on a node does not start or end: each row has kubelet's message, and the resulting
// sentence.
#include "explain/kubelet_evidence.hpp"

#include <gtest/gtest.h>

#include "explain/render.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::explain {
namespace {

using runtime::WallTime;

const WallTime kNow = *runtime::parse_timestamp("2027-03-01T09:00:00Z");
const WallTime kLongAgo = *runtime::parse_timestamp("2027-03-01T08:59:00Z");
const WallTime kJustNow = *runtime::parse_timestamp("2027-03-01T08:59:59Z");

std::string told(const common::Topic& topic) {
  std::string text;
  for (const common::Finding& finding : topic.findings) {
    text +=
        std::string(to_string(finding.outlook)) + " " + finding.reason + ": " + finding.text + "\n";
  }
  return text;
}

PodReport starting() {
  return {.is_pending = true, .node = "n"};
}
PodReport waiting(std::string reason, std::string message) {
  PodReport pod = starting();
  pod.has_sandbox = true;
  pod.waits = ContainerReport{"main", std::move(reason), std::move(message)};
  return pod;
}
PodReport ending(std::optional<WallTime> ended) {
  return {.is_being_deleted = true, .node = "n", .containers_ended = ended};
}
PodReport ended(std::vector<std::string> finalizers) {
  return {.has_ended = true,
          .is_being_deleted = true,
          .node = "n",
          .containers_ended = kLongAgo,
          .finalizers = std::move(finalizers)};
}
Evidence with_event(std::string reason) {
  return {.events = std::vector<EventReport>{{std::move(reason), "driver x failed", kLongAgo, 3}}};
}

TEST(ExplainKubelet, names_what_blocks_start_or_end_of_pod) {
  const Evidence prepare_failed = with_event("FailedPrepareDynamicResources");
  PodReport prepared = starting();
  prepared.has_sandbox = true;
  struct Row {
    const char* sentence;
    PodReport pod;
    Evidence evidence;
    std::string told;
  };
  for (const Row& row : std::vector<Row>{
           {"a pod that starts", starting(), {}, ""},
           {"a claim that cannot be prepared", starting(), prepare_failed,
            "stuck NotPrepared: kubelet reported at 2027-03-01T08:59:00Z (1 min 0 s ago), 3 times: "
            "\"driver x failed\". Check the log of the driver on that node. kubelet retries by "
            "itself.\n"},
           {"an event about a claim that was prepared since", prepared, prepare_failed, ""},
           {"an event about the start of a pod that ends", ending({}), prepare_failed, ""},
           {"an image that is missing",
            waiting("ErrImageNeverPull", "no image"),
            {},
            "stuck ContainerWaits: Container \"main\" does not start: \"ErrImageNeverPull\" "
            "\"no image\".\n"},
           {"a reason with more lines",
            waiting("Oops\nstuck Nothing: All is well.", "x"),
            {},
            "stuck ContainerWaits: Container \"main\" does not start: \"Oops stuck Nothing: All is "
            "well.\" \"x\".\n"},
           {"a CDI file that is missing",
            waiting("CreateContainerError", "unresolvable CDI devices x"),
            {},
            "stuck ContainerWaits: Container \"main\" does not start: "
            "\"CreateContainerError\" \"unresolvable CDI devices x\". The driver has prepared the "
            "claim, but the node lacks "
            "the CDI file that describes its devices: restart the driver there, or recreate the "
            "pod.\n"},
           {"containers that have just ended",
            ending(kJustNow),
            {},
            "waiting NotUnprepared: The pod's containers ended at 2027-03-01T08:59:59Z (1 s ago). "
            "kubelet lets the pod go when the drivers have unprepared its claims, and records no "
            "event when one fails. Check that the drivers run on that node, and kubelet's log.\n"},
           {"an event of dra-hollow-node", ending({}),
            with_event("FailedUnprepareDynamicResources"),
            "stuck NotUnprepared: kubelet reported at 2027-03-01T08:59:00Z (1 min 0 s ago), 3 "
            "times: \"driver x failed\". Check the log of the driver on that node. kubelet retries "
            "by itself.\n"},
           {"a pod that has ended", ended({}), prepare_failed, ""},
       }) {
    EXPECT_EQ(told(explain_kubelet(row.pod, row.evidence, kNow)), row.told) << row.sentence;
  }
  EXPECT_TRUE(told(explain_kubelet(ending(kLongAgo), {}, kNow)).starts_with("stuck NotUnprepared"));
}

TEST(ExplainKubelet, does_not_blame_ended_pod_for_claims) {
  const Evidence lost{.node = NodeReport{true, Condition{false, "", "lost", std::nullopt}}};
  EXPECT_EQ(told(explain_kubelet(ended({}), lost, kNow)),
            "stuck NodeNotReady: Node \"n\" has not been ready: \"lost\". The pod has ended, and "
            "is removed when the node is back. If the node is lost, delete the Node object.\n");
}

TEST(IsHeldByFinalizers, is_true_if_only_finalizers_remain) {
  EXPECT_TRUE(is_held_by_finalizers(ended({"example.com/hold"})));
  EXPECT_FALSE(is_held_by_finalizers(ended({})));
  PodReport on_no_node{.is_being_deleted = true, .finalizers = {"example.com/hold"}};
  EXPECT_TRUE(is_held_by_finalizers(on_no_node));
  PodReport still_running = on_no_node;
  still_running.node = "n";
  EXPECT_FALSE(is_held_by_finalizers(still_running));
  EXPECT_EQ(told(explain_finalizers(on_no_node)),
            "stuck HeldByFinalizers: The pod has ended, and its finalizers keep it: "
            "example.com/hold. It goes when the programs that added them have removed them.\n");
}

}  // namespace
}  // namespace dcm::explain
