// Messages of other components about an object: each row has the evidence, and the resulting
// sentence.
#include "explain/evidence.hpp"

#include <gtest/gtest.h>

#include "explain/render.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::explain {
namespace {

using common::Draft;
using common::Outlook;
using common::Sight;
using common::Topic;
using common::Unknown;
using common::Worker;
using runtime::WallTime;

const WallTime kNow = *runtime::parse_timestamp("2027-03-01T09:00:00Z");
const WallTime kBefore = *runtime::parse_timestamp("2027-03-01T08:59:00Z");

std::string told(const Evidence& evidence, Draft draft = {}) {
  Sight sight;
  add_evidence(evidence, kNow, draft, sight);
  const common::Explanation explanation = common::settle(std::move(draft), sight, {});
  std::string text;
  for (const Topic& topic : explanation.topics()) {
    for (const common::Finding& finding : topic.findings) {
      text += std::string(to_string(finding.outlook)) + " " + finding.reason + ": " + finding.text +
              "\n";
    }
  }
  return text;
}

PodReport waiting_pod() {
  return {.is_pending = true, .uid = "u"};
}
PodReport unschedulable(std::string message) {
  PodReport pod = waiting_pod();
  pod.scheduled = Condition{false, "Unschedulable", std::move(message), kBefore};
  return pod;
}
PodReport pod_on_node() {
  return {.is_pending = true, .uid = "u", .node = "node-1"};
}
Condition ready(bool is_true) {
  return {is_true, "KubeletReady", is_true ? "" : "container runtime is down", kBefore};
}

TEST(AddEvidence, quotes_other_components) {
  struct Row {
    const char* sentence;
    Evidence evidence;
    const char* part;
  };
  PodReport gated = waiting_pod();
  gated.gates = {"example.com/quota"};
  PodReport preempting = unschedulable("no");
  preempting.nominated_node = "node-3";
  PodReport deleted = pod_on_node();
  deleted.is_being_deleted = true;
  using Events = std::vector<EventReport>;
  for (const Row& row : std::vector<Row>{
           {"scheduling gates",
            {.pod = gated},
            "stuck SchedulingGated: The pod is not scheduled before its scheduling gates are "
            "removed: example.com/quota."},
           {"no word of a scheduler",
            {.pod = waiting_pod()},
            "waiting NotSeenByScheduler: No scheduler has reported on the pod yet. kube-scheduler "
            "says nothing until all claims of the pod exist. If they exist and it still says "
            "nothing, check that scheduler \"default-scheduler\" runs.\n"},
           {"the scheduler's own words",
            {.pod = unschedulable("0/3 nodes are available: 3 cannot allocate all claims.")},
            "waiting Unschedulable: Scheduler \"default-scheduler\" said at 2027-03-01T08:59:00Z "
            "(1 min 0 s ago) "
            "(Unschedulable): \"0/3 nodes are available: 3 cannot allocate all claims.\". On those "
            "nodes, the free devices do not satisfy the pod's claims."},
           {"allocated elsewhere",
            {.pod = unschedulable("1 resourceclaim not available on the node")},
            "A claim of the pod is allocated already, and cannot be used on those nodes.\n"},
           {"allocated on another node",
            {.pod = unschedulable("1 resourceclaim not available on the node"),
             .allocations =
                 std::vector<AllocationReport>{
                     {.claim = "c", .nodes = "node-1", .consumers = {"pod lab/x"}}}},
            "waiting AllocationUnusable: The devices of claim \"c\" can be used on node-1 only, "
            "and "
            "something else keeps the pod from running there. The scheduler deallocates the claim "
            "once it is no longer reserved for pod lab/x.\n"},
           {"allocated, and a device has failed",
            {.pod = unschedulable("1 resourceclaim not available on the node"),
             .allocations = std::vector<AllocationReport>{{.claim = "c",
                                                           .nodes = "node-1",
                                                           .failures = {"condition x/f of device "
                                                                        "d/p/a is true (R: \"m\")"},
                                                           .lacks_conditions = true}}},
            "waiting AllocationUnusable: The devices of claim \"c\" cannot be bound: condition x/f "
            "of device d/p/a is true (R: \"m\"). The scheduler places no pod with this "
            "allocation.\n"},
           {"allocated, and binding took too long",
            {.pod = unschedulable("1 resourceclaim not available on the node"),
             .allocations =
                 std::vector<AllocationReport>{{.claim = "c",
                                                .nodes = "node-1",
                                                .lacks_conditions = true,
                                                .since = kNow - std::chrono::minutes(10)}}},
            "waiting AllocationUnusable: The binding conditions of claim \"c\" were not all true "
            "within 10 min, the scheduler's default"},
           {"a class that is missing",
            {.pod = unschedulable("request r: device class gpu does not exist")},
            "Create the DeviceClass that the claim names."},
           {"a claim that is being deleted",
            {.pod = unschedulable("resourceclaim \"c\" is being deleted")},
            "The scheduler uses no claim that is being deleted"},
           {"a claim that is missing",
            {.pod = unschedulable("could not find ResourceClaim \"lab/c\"")},
            "The pod continues when that claim exists."},
           {"a foreign claim",
            {.pod = unschedulable("ResourceClaim lab/c was not created for Pod lab/p")},
            "The name is another object's"},
           {"words without advice",
            {.pod = unschedulable("0/3 nodes are available: 3 Insufficient cpu.")},
            "3 Insufficient cpu.\".\n"},
           {"preemption",
            {.pod = preempting},
            "waiting Nominated: Node \"node-3\" has been chosen for the pod: scheduler "
            "\"default-scheduler\" makes room there"},
           {"a binding condition, which makes older words of the scheduler obsolete",
            {.pod = preempting,
             .binding = std::vector<MissingCondition>{{"example.com/attached", "d/p/g", "c"}}},
            "waiting BindingConditions: Devices are allocated, and the scheduler binds a pod to a "
            "node only when these conditions are true: example.com/attached of device d/p/g in "
            "claim \"c\"."},
           {"the pod may not be read",
            {.pod = std::unexpected(Unknown{"forbidden"})},
            "unknown NotRead: The pod itself could not be read: forbidden. It is not known what "
            "the scheduler says."},
           {"a node that is gone",
            {.pod = pod_on_node(), .events = Events{}, .node = NodeReport{}},
            "waiting NodeGone: Node \"node-1\" does not exist."},
           {"a node that is not ready",
            {.pod = pod_on_node(), .events = Events{}, .node = NodeReport{true, ready(false)}},
            "stuck NodeNotReady: Node \"node-1\" has not been ready since 2027-03-01T08:59:00Z "
            "(1 min 0 s ago): \"container runtime is down\". Nothing starts on it"},
           {"a pod that is being deleted on a node that is lost",
            {.pod = deleted, .events = Events{}, .node = NodeReport{true, ready(false)}},
            "The pod keeps its claims until kubelet confirms that its containers have ended."},
           {"a node that may not be read",
            {.pod = pod_on_node(), .events = Events{}, .node = std::unexpected(Unknown{"no"})},
            "unknown NotRead: The node could not be read: no. It is not known whether the node is "
            "ready."},
           {"a driver that is not registered",
            {.pod = pod_on_node(),
             .events = Events{{"FailedPrepareDynamicResources", "driver x is not registered",
                               kBefore, 3}},
             .node = NodeReport{true, ready(true)}},
            "stuck NotPrepared: kubelet reported at 2027-03-01T08:59:00Z (1 min 0 s ago), 3 times: "
            "\"driver x is not registered\". Check that the driver runs on that node"},
           {"a refusal by quota",
            {.events = Events{{"FailedResourceClaimCreation", "exceeded quota: gpus", kBefore, 2}},
             .quotas = std::vector<QuotaReport>{{"gpus", "count/resourceclaims.resource.k8s.io",
                                                 "3", "3", true}}},
            "stuck CreateRefused: The last failure was reported at 2027-03-01T08:59:00Z (1 min 0 s "
            "ago), 2 times in all: \"exceeded quota: gpus\". Raise the quota"},
           {"an exhausted quota without any event",
            {.events = Events{},
             .quotas = std::vector<QuotaReport>{{"gpus", "count/resourceclaims.resource.k8s.io",
                                                 "3", "3", true}}},
            "stuck QuotaExhausted: ResourceQuota \"gpus\": 3 of 3 used of "
            "count/resourceclaims.resource.k8s.io, so no further claim is admitted."},
           {"a quota with room",
            {.events = Events{},
             .quotas = std::vector<QuotaReport>{{"gpus", "count/resourceclaims.resource.k8s.io",
                                                 "1", "3", false}}},
            "note Quota: ResourceQuota \"gpus\": 1 of 3 used"},
           {"a refusal by a policy",
            {.events = Events{{"FailedResourceClaimCreation",
                               "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no",
                               kBefore, 1}},
             .quotas = std::vector<QuotaReport>{}},
            "Change the ResourceClaimTemplate as the policy asks"},
           {"events that may not be read",
            {.events = std::unexpected(Unknown{"no"}), .quotas = std::vector<QuotaReport>{}},
            "unknown NotRead: Events could not be read: no. It is not known whether an attempt was "
            "refused."},
       }) {
    const std::string text = told(row.evidence);
    EXPECT_NE(text.find(row.part), std::string::npos) << row.sentence << "\n" << text;
  }
}

TEST(AddEvidence, says_that_devices_could_not_be_read) {
  EXPECT_EQ(told({.devices = std::unexpected(Unknown{"Node objects: forbidden"})}),
            "unknown NotRead: Devices, classes and nodes could not be read: Node objects: "
            "forbidden. It is not known which devices are free.\n");
  EXPECT_EQ(told({.devices = std::optional<Topic>()}), "") << "no claim waits for devices";
}

TEST(AsksDevices, is_true_only_before_allocation) {
  Draft waits;
  waits.topics.emplace_back(Topic{.title = "c"}).add(Outlook::waiting, "NotAllocated", "It waits.");
  PodReport gated = waiting_pod();
  gated.gates = {"example.com/quota"};
  EXPECT_TRUE(asks_devices({.pod = waiting_pod()}, waits));
  EXPECT_TRUE(asks_devices({}, waits)) << "a claim";
  EXPECT_FALSE(asks_devices({.pod = waiting_pod()}, {}));
  PodReport extended = waiting_pod();
  extended.wants_extended_resources = true;
  EXPECT_TRUE(asks_devices({.pod = extended}, {}));
  extended.node = "n";
  EXPECT_FALSE(asks_devices({.pod = extended}, {}));
  EXPECT_FALSE(asks_devices({.pod = gated}, waits));
  EXPECT_FALSE(asks_devices({.pod = pod_on_node()}, waits));
  EXPECT_FALSE(asks_devices({.pod = std::unexpected(Unknown{"forbidden"})}, waits));
}

TEST(AddEvidence, names_only_next_actor) {
  PodReport nominated = waiting_pod();
  nominated.nominated_node = "node-1";
  EXPECT_EQ(told({.pod = nominated}).find("NotSeenByScheduler"), std::string::npos)
      << "kube-scheduler nominates the node of a pod that it binds";
  PodReport running{.is_pending = false, .node = "node-1"};
  EXPECT_EQ(told({.pod = running}), "");
  PodReport scheduled = waiting_pod();
  scheduled.scheduled = Condition{true, "", "", kBefore};
  EXPECT_EQ(told({.pod = scheduled}), "");
}

TEST(AddEvidence, advises_on_failed_attempts) {
  Draft draft;
  draft.topics.emplace_back(Topic{.title = "resourceclaim-controller"})
      .add(Outlook::stuck, "LastProblem", "It failed: exceeded quota: gpus.");
  EXPECT_EQ(told({}, draft),
            "stuck LastProblem: It failed: exceeded quota: gpus. Raise the quota, or delete claims "
            "that are no longer needed: the next attempt then succeeds.\n");
}

api::LeaseSpec lease(std::string holder, WallTime renewed) {
  return {.holder = std::move(holder),
          .duration = std::chrono::seconds(15),
          .acquire_time = {},
          .renew_time = runtime::micro_timestamp(renewed)};
}

TEST(JudgeLease, reports_absence_only_without_renewal) {
  using namespace std::chrono_literals;
  using enum Worker::State;
  struct Row {
    const char* sentence;
    std::optional<api::LeaseSpec> lease;
    std::optional<api::LeaseSpec> later;
    Worker::State state;
    const char* part;
  };
  for (const Row& row : std::vector<Row>{
           {"renewed just now", lease("a", kNow - 3s), {}, works, ""},
           {"there is none", {}, {}, perhaps, "There is no Lease ns/dcm"},
           {"released", lease("", kNow - 60s), lease("", kNow - 60s), nobody,
            "Nobody holds Lease ns/dcm: its last holder released it"},
           {"expired", lease("a", kNow - 60s), lease("a", kNow - 60s), nobody,
            "The holder of Lease ns/dcm, a, last renewed it at 2027-03-01T08:59:00Z"},
           {"a holder with another clock", lease("a", kNow - 600s), lease("a", kNow - 598s), works,
            ""},
           {"a takeover meanwhile", lease("a", kNow - 20s), lease("b", kNow), works, ""},
           {"renewed in a future that does not come nearer", lease("a", kNow + 600s),
            lease("a", kNow + 600s), nobody, "has expired"},
       }) {
    const Worker worker = judge_lease("ns/dcm", row.lease, row.later, kNow);
    EXPECT_EQ(worker.state, row.state) << row.sentence;
    EXPECT_NE(worker.text.find(row.part), std::string::npos) << row.sentence << worker.text;
  }
  EXPECT_TRUE(seems_held(lease("a", kNow - 14s), kNow));
  EXPECT_FALSE(seems_held(lease("a", kNow - 16s), kNow));
  EXPECT_FALSE(seems_held(lease("a", kNow + 16s), kNow));
  api::LeaseSpec ancient = lease("a", kNow);
  ancient.renew_time = "0001-01-01T00:00:01Z";
  EXPECT_FALSE(seems_held(ancient, kNow));
}

}  // namespace
}  // namespace dcm::explain
