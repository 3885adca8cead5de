// Explanations of a pod and its claims: a row is the known state, and the sentence for it.
#include <gtest/gtest.h>

#include "controllers/resource_claim/explain/explain.hpp"
#include "test/support/objects.hpp"
#include "test/unit/resource_claim/world.hpp"

namespace dcm::resource_claim {
namespace {

using api::PodPhase;
using common::Outlook;
using common::Topic;
using test::make_claim;
using test::make_pod;
using test::make_template;

// The contents of the caches.
struct Known {
  PodPtr pod;
  std::vector<ClaimPtr> claims = {};
  std::vector<TemplatePtr> templates = {};
  std::vector<PodPtr> others = {};  // pods
  Miss miss = Miss::unknown;
  common::FeatureGates gates = {};
  GroupPtr group = nullptr;
};

std::vector<Topic> explain(const Known& known) {
  PodSnapshot snapshot;
  snapshot.pod = known.pod;
  snapshot.group = known.group;
  for (const ClaimPtr& claim : known.claims) {
    snapshot.claims[claim->meta.key.name] = claim;
    if (claim->controller && claim->controller->uid == known.pod->meta.uid) {
      snapshot.owned.add(claim);
    }
  }
  for (const TemplatePtr& one : known.templates) snapshot.templates[one->meta.key.name.str()] = one;
  const auto snapshot_of = [&known](const ClaimPtr& claim) {
    ClaimSnapshot result;
    result.claim = claim;
    for (const PodPtr& pod : known.others) {
      result.cached[{ConsumerName::Kind::pod, pod->meta.key.name}] = consumer_of(*pod);
    }
    return result;
  };
  return explain_pod(std::move(snapshot), known.gates, known.miss, snapshot_of);
}

// "stuck TemplateMissing: There is no …", one per line; a topic's title precedes its lines.
std::string told(const Known& known) {
  std::string text;
  for (const Topic& topic : explain(known)) {
    text += "# " + topic.title + "\n";
    for (const common::Finding& finding : topic.findings) {
      text += std::string(to_string(finding.outlook)) + " " + finding.reason + ": " + finding.text +
              "\n";
    }
  }
  return text;
}

struct Row {
  const char* sentence;
  Known known;
  std::vector<const char*> parts;  // of the findings, in this order
};

void expect_told(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    const std::string text = told(row.known);
    std::size_t at = 0;
    for (const char* part : row.parts) {
      const std::size_t found = text.find(part, at);
      EXPECT_NE(found, std::string::npos) << row.sentence << ": " << part << "\nin\n" << text;
      if (found != std::string::npos) at = found;
    }
  }
}

test::PodBuilder from_template() {
  return make_pod("p").from_template("accel", "gpus");
}
test::PodBuilder user(const char* claim = "shared") {
  return make_pod("p").uses("accel", claim);
}

TEST(ExplainPod, describes_missing_claims) {
  expect_told({
      {"the template is missing",
       {from_template()},
       {"# Pod claim \"accel\", from ResourceClaimTemplate \"gpus\"",
        "stuck TemplateMissing: There is no ResourceClaimTemplate \"gpus\" in namespace \"lab\", "
        "so no claim can be made. Create it"}},
      {"the claim that the pod names itself is missing",
       {user()},
       {"stuck ClaimMissing: There is no ResourceClaim \"shared\" in namespace \"lab\". The pod "
        "names it directly"}},
      {"one is made now",
       {from_template(), {}, {make_template("gpus")}},
       {"acting Create: There is no claim for it yet. Next: make it from ResourceClaimTemplate "
        "\"gpus\"",
        "# resourceclaim-controller", "acting CreateClaim: Next: make the claim for pod claim"}},
      {"the one that the status names is not in the cache",
       {from_template().names("accel", "p-x"), {}, {make_template("gpus")}},
       {"acting ClaimUnknown: The pod's status names ResourceClaim \"p-x\", which is not in the "
        "cache"}},
      {"…nor in the cluster",
       {from_template().names("accel", "p-x"), {}, {make_template("gpus")}, {}, Miss::gone},
       {"note NamedClaimGone: The pod's status names ResourceClaim \"p-x\", which is gone.",
        "acting Create: "}},
      {"…and there is no template for another",
       {from_template().names("accel", "p-x"), {}, {}, {}, Miss::gone},
       {"note NamedClaimGone", "stuck TemplateMissing"}},
      {"the status names another pod's",
       {from_template().names("accel", "q-x"),
        {make_claim("q-x").generated_for("q", "accel")},
        {make_template("gpus")}},
       {"note ForeignClaim: The pod's status names ResourceClaim \"q-x\", which was not made for "
        "this pod (UID p-uid) but belongs to pod \"q\" (UID q-uid): it is not used.",
        "acting Create: "}},
      {"the status names nobody's",
       {from_template().names("accel", "x"), {make_claim("x")}, {make_template("gpus")}},
       {"note ForeignClaim: ", "has no owner"}},
      {"its name is not in the status yet",
       {from_template(), {make_claim("p-x").generated_for("p", "accel")}},
       {"acting WriteName: ResourceClaim \"p-x\" was made for it", "waiting NotAllocated",
        "acting WriteNames: Next: write"}},
      {"none is needed", {from_template().needs_no_claim("accel")}, {"fine NotNeeded"}},
      {"a newer API has set something else",
       {make_pod("p").unsupported("accel")},
       {"stuck Unsupported"}},
      {"a feature gate forbids the template",
       {from_template(),
        {},
        {make_template("gpus").with_admin_access()},
        {},
        Miss::unknown,
        {.dra_admin_access = false}},
       {"stuck FeatureDisabled: No claim can be made: PodResourceClaim accel: admin access"}},
  });
}

TEST(ExplainPod, describes_existing_claims) {
  const auto allocated = [] { return make_claim("shared").with_device("pool", "gpu-0"); };
  test::ClaimBuilder full = allocated();
  for (int i = 0; i < 256; ++i) full.reserved_for("q" + std::to_string(i));
  expect_told({
      {"not allocated",
       {user(), {make_claim("shared")}},
       {"waiting NotAllocated: ResourceClaim \"shared\" exists, and no device is allocated to it "
        "yet: the scheduler allocates devices"}},
      {"not allocated, and the pod has its node already",
       {user().on_node("n"), {make_claim("shared")}},
       {"stuck NeverAllocated: No device is allocated to ResourceClaim \"shared\", and the pod is "
        "on node \"n\" already."}},
      {"allocated to others",
       {user(), {allocated().reserved_for("q")}},
       {"waiting NotReserved: ResourceClaim \"shared\" is allocated (gpu.example.com/pool/gpu-0), "
        "and reserved for pod \"q\", not for this pod. The scheduler reserves it"}},
      {"allocated to as many as there can be",
       {user(), {full}},
       {"stuck TooManyConsumers: ", "a claim can have at most 256 consumers"}},
      {"…and the pod has its node already",
       {user().on_node("n"), {full}},
       {"stuck TooManyConsumers: ResourceClaim \"shared\" cannot be reserved for the pod"}},
      {"allocated, and the pod was given its node",
       {user().on_node("n"), {allocated()}},
       {"acting Reserve: ", "and reserved for no consumer. The pod is on node \"n\"",
        "acting Reserve: Next: reserve ResourceClaim \"shared\" for the pod."}},
      {"reserved for it",
       {user().on_node("n"), {allocated().reserved_for("p")}},
       {"fine Reserved: ResourceClaim \"shared\" is allocated (gpu.example.com/pool/gpu-0) and "
        "reserved for the pod.",
        "fine NothingToDo"}},
      {"made for another pod",
       {user("q-x"), {make_claim("q-x").generated_for("q", "accel")}},
       {"note ClaimOfAnotherPod: ResourceClaim \"q-x\" was made for pod \"q\", and is deleted with "
        "it",
        "waiting NotAllocated"}},
      {"being deleted while another pod has it reserved",
       {user(), {allocated().being_deleted().with_finalizer().reserved_for("q")}},
       {"stuck ClaimBeingDeleted: ResourceClaim \"shared\" is being deleted, so no further pod "
        "can use it.",
        "waiting DeletionHeldByConsumers: ResourceClaim \"shared\" is being deleted, and remains "
        "until its consumers have ended: pod \"q\"."}},
      {"being deleted, and another finalizer keeps it",
       {user(), {make_claim("shared").being_deleted()}},
       {"stuck ClaimBeingDeleted", "stuck DeletionHeldByOthers: ", "metadata.finalizers"}},
      {"being deleted while the pod itself, on no node, has it reserved",
       {user(), {allocated().being_deleted().with_finalizer().reserved_for("p")}},
       {"stuck ReservedWhileDeleted: ResourceClaim \"shared\" is being deleted and waits for this "
        "pod"}},
      {"being deleted while the pod itself has it reserved",
       {user().on_node("n"), {allocated().being_deleted().with_finalizer().reserved_for("p")}},
       {"note ClaimBeingDeleted: ResourceClaim \"shared\" is being deleted. It is reserved "
        "for the pod, which keeps it until the pod has ended."}},
  });
}

// As left by two managers that created a claim each. "ours" is named, unless the row says
// otherwise.
TEST(ExplainPod, describes_second_claim_and_its_removal) {
  const auto pod = [] { return from_template().names("accel", "ours"); };
  const auto made = [](const char* name) { return make_claim(name).generated_for("p", "accel"); };
  const auto has = [&](const char* name) { return made(name).with_device("pool", name); };
  expect_told({
      {"it holds nothing",
       {pod(), {made("ours"), made("theirs")}},
       {"waiting NotAllocated: ResourceClaim \"ours\" exists",
        "note SurplusClaim: ResourceClaim \"theirs\" is a second claim for pod claim \"accel\": "
        "two "
        "managers have made claims. The pod uses ResourceClaim \"ours\". The second claim holds no "
        "device, "
        "and is deleted with the pod. To delete it now: kubectl -n lab delete resourceclaim "
        "theirs"}},
      {"it keeps devices that nobody uses, while the pod waits for its own",
       {pod(), {made("ours"), has("theirs")}},
       {"stuck SurplusClaim: ",
        "The second claim keeps unused devices (gpu.example.com/pool/theirs). "
        "To release them: kubectl -n lab delete resourceclaim theirs"}},
      {"it keeps devices that nobody uses, beside a pod that runs",
       {pod().on_node("n"), {has("ours").reserved_for("p"), has("theirs")}},
       {"fine Reserved: ResourceClaim \"ours\"",
        "waiting SurplusClaim: ", "delete resourceclaim theirs"}},
      {"both have devices for the pod",
       {pod().on_node("n"), {has("ours").reserved_for("p"), has("theirs").reserved_for("p")}},
       {"waiting SurplusClaim: ",
        "The second claim is allocated as well (gpu.example.com/pool/theirs) and reserved for the "
        "pod, which may "
        "have started with it. So both keep their devices until the pod has ended. To end it now: "
        "kubectl -n lab delete pod p"}},
      {"another pod has it reserved",
       {pod(), {made("ours"), has("theirs").reserved_for("q")}},
       {"waiting SurplusClaim: ",
        "The second claim keeps its devices (gpu.example.com/pool/theirs) until its "
        "consumers have ended: pod \"q\"."}},
      {"it has what the pod needs, so that it is the one to use",
       {pod(), {made("ours"), has("theirs").reserved_for("p")}},
       {"acting WriteName: ResourceClaim \"theirs\" is allocated and reserved for the pod, whose "
        "status names ResourceClaim \"ours\" instead: that is corrected now.",
        "note SurplusClaim: ResourceClaim \"ours\" is a second claim"}},
      {"each of several",
       {pod(), {made("ours"), made("theirs"), made("third")}},
       {"delete resourceclaim theirs", "delete resourceclaim third"}},
  });
  EXPECT_EQ(told({pod(), {made("ours"), made("theirs").being_deleted()}}).find("Surplus"),
            std::string::npos)
      << "one that is deleted already";
  EXPECT_EQ(
      told({pod(), {made("ours"), make_claim("x").generated_for("p", "other")}}).find("Surplus"),
      std::string::npos)
      << "one of another pod claim";
}

TEST(ExplainPod, describes_extended_resources) {
  const auto pod = [] { return make_pod("p").extended_resource_claim("p-ext"); };
  expect_told({
      {"the claim is missing after a failed binding",
       {pod()},
       {"# Extended resources, ResourceClaim \"p-ext\"",
        "waiting ClaimMissing: ", "makes another one when it finds a node"}},
      {"the claim of a pod with a node is missing",
       {pod().on_node("n")},
       {"stuck ClaimMissing: ", "is not made again: recreate the pod."}},
      {"it is another pod's",
       {pod(), {make_claim("p-ext").for_extended_resources_of("q")}},
       {"stuck ForeignClaim: ", "was not made for this pod (UID p-uid) but for Pod \"q\""}},
      {"it is in use",
       {pod().on_node("n"),
        {make_claim("p-ext").for_extended_resources_of("p").allocated().reserved_for("p")}},
       {"fine Reserved: ResourceClaim \"p-ext\" is allocated (no device)"}},
  });
}

TEST(ExplainPod, explains_ignored_pods) {
  expect_told({
      {"finished",
       {user().on_node("n").phase(PodPhase::succeeded),
        {make_claim("shared").allocated().reserved_for("p")}},
       {"# ResourceClaim \"shared\"",
        "note Reserved: It is allocated (no device), and reserved for pod \"p\".",
        "note Finished: The pod has finished: it gets no more claims."}},
      {"deleted before it was given a node",
       {user().being_deleted()},
       {"note Finished: The pod is being deleted before it was given a node"}},
      {"being deleted on its node",
       {user().on_node("n").being_deleted()},
       {"note BeingDeleted: The pod is being deleted: no more claims are made or reserved"}},
      {"a member of a group",
       {user().in_group("g")},
       {"stuck InGroup: The pod is a member of pod group \"g\", and the feature gate"}},
  });
}

TEST(ExplainPod, describes_group_member) {
  constexpr common::FeatureGates kOn = {.generic_workload = true,
                                        .dra_workload_resource_claims = true};
  constexpr common::FeatureGates kHalfOn = {.generic_workload = true};
  const GroupPtr group = test::make_group("g").from_template("accel", "gpus").get();
  const auto member = [] { return from_template().in_group("g"); };
  const auto known = [&](const test::PodBuilder& pod, std::vector<ClaimPtr> claims,
                         const common::FeatureGates& gates) {
    return Known{.pod = pod, .claims = std::move(claims), .gates = gates, .group = group};
  };
  const auto shared = [] { return make_claim("c").generated_for_group("g", "accel"); };
  expect_told({
      {"without its group",
       {.pod = member(), .gates = kOn},
       {"stuck GroupMissing: The pod is a member of pod group \"g\", which does not exist."}},
      {"while the group's claim is not made",
       known(member(), {}, kOn),
       {"waiting GroupClaimMissing: The claim is that of pod group \"g\""}},
      {"whose claim is not named yet",
       {.pod = member(),
        .claims = {shared()},
        .gates = kOn,
        .group = test::make_group("g").from_template("accel", "gpus").names("accel", "c")},
       {"acting WriteName: ResourceClaim \"c\" was made for it"}},
      {"reserved for the group",
       known(member().names("accel", "c"), {shared().allocated().reserved_for_group("g")}, kOn),
       {"fine Reserved: ResourceClaim \"c\" is allocated (no device) and reserved for the pod's "
        "group."}},
      {"that came with a node",
       known(member().names("accel", "c").on_node("n"), {shared().allocated()}, kOn),
       {"it is reserved for its group now", "reserve ResourceClaim \"c\" for the pod's group"}},
      {"that came with a node, to a group whose name another one had",
       known(member().names("accel", "c").on_node("n"),
             {make_claim("c")
                  .controlled_by({api::kSchedulingGroup, "PodGroup", "g", api::Uid("former")})
                  .for_pod_claim("accel")
                  .allocated()},
             kOn),
       {"waiting FormerGroup: ResourceClaim \"c\" was made for an earlier pod group"}},
      {"with the gate for their claims off",
       known(member(), {}, kHalfOn),
       {"stuck FeatureDisabled", "DRAWorkloadResourceClaims feature is disabled"}},
  });
}

// ---- by the controller, which knows its queue ---------------------------------------------------

std::string told_by(World& world, const std::string& pod) {
  std::string text;
  for (const Topic& topic : world.controller().explain_pod(world.api.pod(pod), Miss::unknown)) {
    for (const common::Finding& finding : topic.findings) {
      text += std::string(to_string(finding.outlook)) + " " + finding.reason + ": " + finding.text +
              "\n";
    }
  }
  return text;
}

TEST(ExplainPod, quotes_server_on_refused_create_and_names_next_attempt) {
  World world;
  world.api.fault = [](std::size_t, const std::string& call) {
    if (!call.starts_with("create")) return test::Fault{};
    return test::refused({runtime::Reason::forbidden, "exceeded quota: q"});
  };
  world.api.put(make_template("gpus"));
  world.start();
  world.api.put(from_template());
  world.run_for(std::chrono::seconds(1));
  const std::string text = told_by(world, "p");
  EXPECT_NE(text.find("stuck LastProblem: The last attempt, at "), text.npos) << text;
  EXPECT_NE(text.find(": exceeded quota: q. "
                      "It has been failing since "),
            text.npos)
      << text;
  EXPECT_NE(text.find("attempts in a row failed. The next attempt is at "), text.npos) << text;

  world.api.fault = [](std::size_t, const std::string&) { return test::Fault{}; };
  world.settle();
  const std::string later = told_by(world, "p");
  EXPECT_EQ(later.find("LastProblem"), later.npos) << later;
  EXPECT_EQ(later.find("Queued"), later.npos) << later;
  EXPECT_NE(later.find("waiting NotAllocated"), later.npos) << later;
}

}  // namespace
}  // namespace dcm::resource_claim
