// Explanations of a pod's taints and of rules: a cluster, and the resulting sentences.
#include "controllers/device_taint_eviction/explain.hpp"

#include <functional>

#include <gtest/gtest.h>

#include "test/unit/device_taint_eviction/cluster.hpp"
#include "test/unit/device_taint_eviction/world.hpp"

namespace dcm::device_taint_eviction {
namespace {

using api::PodPhase;
using common::Topic;

std::string text_of(const std::vector<Topic>& topics) {
  std::string text;
  for (const Topic& topic : topics) {
    for (const common::Finding& finding : topic.findings) {
      text += std::string(to_string(finding.outlook)) + " " + finding.reason + ": " + finding.text +
              "\n";
    }
  }
  return text;
}

void expect_parts(const char* sentence, const std::string& text,
                  const std::vector<const char*>& parts) {
  std::size_t place = 0;
  for (const char* part : parts) {
    const std::size_t found = text.find(part, place);
    EXPECT_NE(found, std::string::npos) << sentence << ": " << part << "\nin\n" << text;
    if (found != std::string::npos) place = found;
  }
}

// ---- a pod --------------------------------------------------------------------------------------

struct PodRow {
  const char* sentence;
  std::function<void(World&)> arrange;
  std::vector<const char*> parts;
  EvictionMode mode = EvictionMode::remove;
};

// A pod that has a device, gpu-0 in pool "pool", and these tolerations.
void user(World& world, std::vector<api::DeviceToleration> tolerations = {}) {
  world.put(user_of_claim("p"));
  world.put(claim_of("p").with_device("pool", "gpu-0", std::move(tolerations)));
}
void taint(World& world, const api::DeviceTaint& taint) {
  world.put(test::make_slice("s", "pool").device("gpu-0", {taint}));
}

TEST(ExplainEviction, describes_pod) {
  for (const PodRow& row : std::vector<PodRow>{
           {"no taint",
            [](World& world) { user(world); },
            {"fine NotEvicted: Nothing evicts the pod.", "fine NoTaint"}},
           {"no node",
            [](World& world) { world.put(test::make_pod("p").uses("gpus", "p-claim")); },
            {"fine OnNoNode"}},
           {"ended",
            [](World& world) { world.put(user_of_claim("p").phase(PodPhase::succeeded)); },
            {"fine LeftAlone: The pod has ended or is being deleted"}},
           {"a driver's taint that is tolerated for a time",
            [](World& world) {
              user(world, {exists("burnt", 600s)});
              taint(world, no_execute("burnt", 0s, "badly"));
            },
            {"waiting EvictionDue: The pod will be evicted at 2027-03-01T09:10:00Z (in 9 min 30 s)",
             "note Tainted: Its driver taints device gpu.example.com/pool/gpu-0 with "
             "burnt=badly:NoExecute since 2027-03-01T09:00:00Z (30 s ago). That is tolerated until "
             "2027-03-01T09:10:00Z (in 9 min 30 s)."}},
           {"a rule's taint that is not tolerated",
            [](World& world) {
              user(world);
              world.put(test::make_rule("r", no_execute("burnt")).selects_all());
            },
            {"acting Evict: The pod has been due since 2027-03-01T09:00:00Z (30 s ago): its "
             "condition "
             "DisruptionTarget is written, then it is deleted.",
             "note Tainted: DeviceTaintRule \"r\" taints device", "That is not tolerated."}},
           {"…through the Eviction API",
            [](World& world) {
              user(world);
              taint(world, no_execute("burnt"));
            },
            {"acting Evict: ", "it is evicted through the Eviction API"},
            EvictionMode::evict},
           {"tolerated forever",
            [](World& world) {
              user(world, {exists("burnt")});
              taint(world, no_execute("burnt"));
            },
            {"fine NotEvicted", "fine Tolerated: ", "It is tolerated forever."}},
           {"a taint that nobody can date",
            [](World& world) {
              user(world);
              api::DeviceTaint undated = no_execute("burnt");
              undated.time_added.reset();
              taint(world, undated);
            },
            {"fine NotEvicted", "note TaintWithoutTime: "}},
           {"a claim that is not reserved for it",
            [](World& world) {
              world.put(user_of_claim("p"));
              world.put(test::make_claim("p-claim").with_device("pool", "gpu-0"));
              taint(world, no_execute("burnt"));
            },
            {"fine NotEvicted", "fine NoTaint"}},
       }) {
    World world;
    row.arrange(world);
    EvictionSnapshot snapshot;
    snapshot.pod = world.find_pod({test::kNamespace, "p"});
    snapshot.uid = snapshot.pod->meta.uid;
    snapshot.now = at(30s);
    snapshot.mode = row.mode;
    const Topic topic = explain_pod(snapshot, world, world.tracker.taints(), Evicted::no);
    expect_parts(row.sentence, text_of({topic}), row.parts);
  }
}

// ---- a claim ------------------------------------------------------------------------------------

TEST(ExplainEviction, counts_taints_of_claim_beyond_20) {
  World world;
  user(world);
  std::vector<api::DeviceTaint> taints;
  for (int i = 0; i < 23; ++i) taints.push_back(no_execute("burnt-" + std::to_string(i)));
  world.put(test::make_slice("s", "pool").device("gpu-0", taints));
  const Topic topic = explain_taints_of(world.find_claim({test::kNamespace, "p-claim"}),
                                        world.tracker.taints(), at(30s));
  EXPECT_EQ(topic.findings.size(), 21U);
  expect_parts("more than 20", text_of({topic}), {"note MoreTaints: There are 3 more."});
}

// ---- a rule -------------------------------------------------------------------------------------

std::string told_of(const api::DeviceTaintRule& rule,
                    const std::function<void(RuleFacts&)>& arrange = {}) {
  RuleFacts facts(rule, at(30s));
  if (arrange) arrange(facts);
  return text_of(explain_rule(std::move(facts)));
}

TEST(ExplainEviction, describes_rule_without_eviction) {
  const auto rule = [](const api::DeviceTaint& taint) { return test::make_rule("r", taint); };
  const auto evicting = no_execute("burnt");
  expect_parts("no selector", told_of(*rule(evicting).get()), {"stuck SelectsNothing"});
  expect_parts("a selector of a newer API",
               told_of(*rule(evicting).selects_all().unknown_selector_field("color").get()),
               {"stuck SelectorNotUnderstood: Its spec.deviceSelector has \"color\""});
  expect_parts("another effect",
               told_of(*rule(with_effect(api::TaintEffect::no_schedule)).selects_all().get()),
               {"note EvictsNobody: Its taint is burnt:NoSchedule: only NoExecute evicts.",
                "note NoCondition"});
  expect_parts("nobody on its devices",
               told_of(*rule(evicting).selects("gpu.example.com", "pool", "").get(),
                       [](RuleFacts& facts) { facts.published_devices = 8; }),
               {"note Selects: It selects the devices of driver gpu.example.com and pool pool: 8 "
                "published devices in the current slices.",
                "note Evicts: Its taint is burnt:NoExecute, since", "fine NobodyToEvict"});
}

TEST(ExplainEviction, describes_rule_and_its_pods) {
  const auto rule = test::make_rule("r", no_execute("burnt")).selects_all().get();
  expect_parts("two, the one that is due first in front",
               told_of(*rule,
                       [](RuleFacts& facts) {
                         facts.pods = {{{"lab", "later"}, at(90s)}, {{"lab", "now"}, at(0s)}};
                       }),
               {"acting PodsPendingEviction: 2 pods must leave because of it",
                "note PodPending: Pod lab/now has been due since",
                "Pod lab/later is due at 2027-03-01T09:01:30Z (in 1 min 0 s)."});
  expect_parts("while they are still counted",
               told_of(*rule,
                       [](RuleFacts& facts) {
                         facts.pods = {{{"lab", "later"}, at(90s)}};
                         facts.walk = RuleFacts::Walk::under_way;
                       }),
               {"waiting PodsPendingEviction: 1 pod must leave", "acting StillCounting"});
}

TEST(ExplainEviction, describes_condition_of_rule) {
  const auto with = [](const char* status, const char* reason, seconds transition) {
    return test::make_rule("r", no_execute("burnt"))
        .selects_all()
        .condition({"EvictionInProgress", status, reason, "", 1, at(transition)})
        .get();
  };
  const auto wants = [](RuleFacts& facts) {
    facts.wanted = decide_condition(api::TaintEffect::no_execute, {}, "");
  };
  expect_parts("right", told_of(*with("False", "NotStarted", 0s), wants),
               {"note Condition: It says False, NotStarted", "fine ConditionIsRight"});
  expect_parts("written a moment ago", told_of(*with("True", "PodsPendingEviction", 25s), wants),
               {"waiting ConditionFollows: It should say False, NotStarted", "(in 5 s)"});
  expect_parts("to be written", told_of(*with("True", "PodsPendingEviction", 0s), wants),
               {"acting WriteCondition"});
}

// ---- the controller -----------------------------------------------------------------------------

TEST(ExplainEviction, names_last_failure_and_next_attempt) {
  Cluster cluster;
  cluster.add_pod("p");
  cluster.start();
  cluster.api.fault = [](std::size_t, const std::string& call) {
    if (call != "remove p") return Fault{};
    return refused({runtime::Reason::forbidden, "the policy says no"});
  };
  cluster.api.put(Cluster::rule_for_all());
  cluster.run_for(10s);
  const std::string text =
      text_of(cluster.controller().explain_pod(cluster.api.pods.at({test::kNamespace, "p"})));
  expect_parts("a refused eviction", text,
               {"acting Evict: The pod has been due since", "now it is deleted",
                "stuck LastProblem: The last attempt, at ",
                "failed: it could not be evicted: the policy says no. It has been failing since",
                "acting Queued: ", "attempts in a row failed. The next attempt is at "});
}

TEST(ExplainEviction, distinguishes_working_process_from_standby) {
  Cluster cluster;
  cluster.add_pod("p", {exists("burnt", 600s)});
  cluster.api.put(Cluster::rule_for_all());
  cluster.start_standby();
  expect_parts("on standby",
               text_of(cluster.controller().explain_rule(*cluster.controller().find_rule("r"))),
               {"waiting PodsPendingEviction: 1 pod must leave", "Pod lab/p is due at"});
  cluster.activate();
  cluster.run_for(1s);
  expect_parts("at work",
               text_of(cluster.controller().explain_rule(*cluster.controller().find_rule("r"))),
               {"waiting PodsPendingEviction: 1 pod must leave", "Pod lab/p is due at",
                "note Condition: It says True, PodsPendingEviction", "fine ConditionIsRight"});
}

}  // namespace
}  // namespace dcm::device_taint_eviction
