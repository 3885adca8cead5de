// The controller's decisions about a pod group, and about pods in a group, as a table.

#include <gtest/gtest.h>

#include "controllers/resource_claim/explain/describe.hpp"
#include "controllers/resource_claim/rules/decide_claim.hpp"
#include "controllers/resource_claim/rules/decide_pod.hpp"
#include "test/support/objects.hpp"
#include "test/unit/resource_claim/known.hpp"

namespace dcm::resource_claim {
namespace {

using runtime::Error;
using runtime::Reason;
using test::make_claim;
using test::make_group;
using test::make_pod;
using test::make_template;

constexpr common::FeatureGates kOn = {.generic_workload = true,
                                      .dra_workload_resource_claims = true};
constexpr common::FeatureGates kHalfOn = {.generic_workload = true};

// A group and its pods, with one claim "fabric" from template "net".
test::GroupBuilder trainers() {
  return make_group("trainers").from_template("fabric", "net");
}
test::PodBuilder member() {
  return make_pod("p").in_group("trainers").from_template("fabric", "net");
}
test::ClaimBuilder shared(const std::string& name) {
  return make_claim(name).generated_for_group("trainers", "fabric");
}

// ---- the group ----------------------------------------------------------------------------------

class KnownOfGroup : public KnownGeneration<KnownOfGroup, GroupSnapshot> {
 public:
  explicit KnownOfGroup(GroupPtr group) {
    snapshot_.group = std::move(group);
    snapshot_.api_version = "scheduling.k8s.io/v1beta1";
  }
  const api::ObjectMeta& owner() const { return snapshot_.group->meta; }
  KnownOfGroup& cached(const ClaimPtr& claim) {
    snapshot_.claims[claim->meta.key.name] = claim;
    snapshot_.owned.add(claim);
    return *this;
  }
};

struct GroupRow {
  const char* sentence;
  GroupSnapshot known;
  const char* step;
};

TEST(DecideGroup, creates_claims_like_for_pod) {
  const GroupRow rows[] = {
      {"an entry with a template gets a claim", KnownOfGroup(trainers()).with(make_template("net")),
       "create trainers-fabric-vrgz8 for fabric from net"},
      {"one that the status names is enough",
       KnownOfGroup(trainers().names("fabric", "x")).cached(shared("x")), "finished"},
      {"one that the cache does not have is asked for",
       KnownOfGroup(trainers().names("fabric", "x")), "get claim x"},
      {"one that is gone is made again",
       KnownOfGroup(trainers().names("fabric", "x")).gone("x").with(make_template("net")),
       "create trainers-fabric-vrgz8 for fabric from net, as claim x is gone"},
      {"one of another group of that name is not the group's",
       KnownOfGroup(trainers().names("fabric", "x").with_uid("new"))
           .cached(shared("x"))
           .with(make_template("net")),
       "create trainers-fabric-wlk56 for fabric from net, as claim x is not owned by the pod "
       "group"},
      {"one that was made and not named is found", KnownOfGroup(trainers()).cached(shared("x")),
       "write names fabric=x"},
      {"of two that were made, the one that it uses",
       KnownOfGroup(trainers())
           .cached(shared("x"))
           .cached(shared("y").allocated().reserved_for_consumer(
               {"scheduling.k8s.io", "podgroups", "trainers", test::uid_of("trainers")})),
       "write names fabric=y"},
      {"where the name is taken, it looks whose it is",
       KnownOfGroup(trainers()).taken("fabric").with(make_template("net")),
       "get claim trainers-fabric-vrgz8"},
      {"all entries are written, not only the new one",
       KnownOfGroup(trainers().from_template("gpus", "gpu").names("gpus", "y"))
           .cached(shared("x"))
           .cached(make_claim("y").generated_for_group("trainers", "gpus")),
       "write names fabric=x gpus=y"},
      {"a claim that a user has made is not the business of the group's work",
       KnownOfGroup(make_group("trainers").uses("fabric", "big")), "finished"},
      {"nothing is made for a group that is being deleted",
       KnownOfGroup(trainers().being_deleted()).with(make_template("net")), "finished"},
  };
  for (const GroupRow& row : rows) {
    EXPECT_EQ(describe(decide_group(row.known, kOn)), row.step) << row.sentence;
    EXPECT_EQ(describe(decide_group(row.known, kHalfOn)), "finished") << row.sentence;
  }
}

TEST(DecideGroup, continues_after_failing_entry) {
  const GroupRow rows[] = {
      {"without a template",
       KnownOfGroup(trainers().from_template("gpus", "gpu")).with(make_template("gpu")),
       "create trainers-gpus-ssdzk for gpus from gpu"},
      {"it is reported after the others",
       KnownOfGroup(trainers().from_template("gpus", "gpu").names("gpus", "y"))
           .cached(make_claim("y").generated_for_group("trainers", "gpus")),
       "finished; FailedResourceClaimCreation: PodGroupResourceClaim fabric: resource claim "
       "template "
       "\"net\": resourceclaimtemplate.resource.k8s.io \"net\" not found (retry)"},
      {"a refusal",
       KnownOfGroup(trainers()).create_failed("fabric", {Reason::forbidden, "exceeded quota"}),
       "finished; FailedResourceClaimCreation: PodGroupResourceClaim fabric: create ResourceClaim "
       "trainers-fabric-vrgz8: exceeded quota (retry)"},
      {"a source that we don't know", KnownOfGroup(make_group("trainers").unsupported("fabric")),
       "finished; FailedResourceClaimCreation: PodGroupResourceClaim fabric: checking for claim "
       "before creating it: PodGroup lab/trainers, spec.resourceClaim fabric: none of the "
       "supported "
       "fields are set (retry)"},
  };
  for (const GroupRow& row : rows) {
    EXPECT_EQ(describe(decide_group(row.known, kOn)), row.step) << row.sentence;
  }
}

TEST(DecideGroup, sets_group_as_owner_in_served_version) {
  const GroupSnapshot known = KnownOfGroup(trainers()).with(make_template("net"));
  const GroupStep step = decide_group(known, kOn);
  const api::ClaimOwner& owner = std::get<CreateClaim>(step).owner;
  EXPECT_EQ(owner.api_version, "scheduling.k8s.io/v1beta1");
  EXPECT_EQ(owner.kind, "PodGroup");
  EXPECT_EQ(owner.name, "trainers");
  EXPECT_EQ(owner.uid, test::uid_of("trainers"));
}

// ---- a pod in a group ---------------------------------------------------------------------------

class Known : public KnownGeneration<Known, PodSnapshot> {
 public:
  explicit Known(PodPtr pod) { snapshot_.pod = std::move(pod); }
  Known& in(const GroupPtr& group) {
    snapshot_.group = group;
    return *this;
  }
  Known& cached(const ClaimPtr& claim) {
    snapshot_.claims[claim->meta.key.name] = claim;
    const auto& owner = claim->controller;
    if (owner && owner->uid == snapshot_.pod->meta.uid) snapshot_.owned.add(claim);
    return *this;
  }
  Known& busy(const std::string& claim) {
    snapshot_.busy.insert(claim);
    return *this;
  }
};

struct Row {
  const char* sentence;
  PodSnapshot known;
  const char* step;
};

void expect_steps(const common::FeatureGates& gates, std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    EXPECT_EQ(describe(decide_pod(row.known, gates)), row.step) << row.sentence;
  }
}

TEST(DecidePodInGroup, finds_group_claim_and_never_creates_it) {
  expect_steps(
      kOn,
      {
          {"while there is none, the pod waits",
           Known(member()).in(trainers()).with(make_template("net")), "finished"},
          {"one that the group's status names is named",
           Known(member()).in(trainers().names("fabric", "x")).cached(shared("x")),
           "write names fabric=x"},
          {"until that names it, the pod waits", Known(member()).in(trainers()).cached(shared("x")),
           "finished"},
          {"a named one that is the group's is good",
           Known(member().names("fabric", "x")).in(trainers()).cached(shared("x")), "finished"},
          {"also for a pod that does not know a group of that name with another UID",
           Known(member().names("fabric", "x")).in(trainers().with_uid("new")).cached(shared("x")),
           "finished"},
          {"one that was made again is named instead",
           Known(member().names("fabric", "x"))
               .in(trainers().names("fabric", "y"))
               .gone("x")
               .cached(shared("y")),
           "write names fabric=y"},
          {"while it is not made again, the pod waits",
           Known(member().names("fabric", "x")).in(trainers()).gone("x").with(make_template("net")),
           "finished"},
          {"a named one that the cache does not have is asked for",
           Known(member().names("fabric", "x")).in(trainers()), "get claim x"},
          {"of two, that which the group's status names",
           Known(member())
               .in(trainers().names("fabric", "y"))
               .cached(shared("x"))
               .cached(shared("y")),
           "write names fabric=y"},
          {"one that is not the group's is none",
           Known(member())
               .in(trainers().names("fabric", "y"))
               .cached(make_claim("y").generated_for_group("others", "fabric")),
           "finished"},
          {"one of another entry of the group is none",
           Known(member())
               .in(trainers().from_template("gpus", "gpu").names("gpus", "y"))
               .cached(make_claim("y").generated_for_group("trainers", "gpus")),
           "finished"},
      });
}

TEST(DecidePodInGroup, uses_group_claim_only_for_equal_entry) {
  expect_steps(kOn, {
                        {"another name",
                         Known(member())
                             .in(make_group("trainers").from_template("nic", "net"))
                             .with(make_template("net")),
                         "create p-fabric-tjltg for fabric from net"},
                        {"another template",
                         Known(member())
                             .in(make_group("trainers").from_template("fabric", "slow"))
                             .with(make_template("net")),
                         "create p-fabric-tjltg for fabric from net"},
                        {"a claim instead of a template",
                         Known(member())
                             .in(make_group("trainers").uses("fabric", "net"))
                             .with(make_template("net")),
                         "create p-fabric-tjltg for fabric from net"},
                        {"the pod's own and the group's side by side",
                         Known(member().from_template("gpus", "gpu"))
                             .in(trainers())
                             .cached(shared("x"))
                             .with(make_template("gpu")),
                         "create p-gpus-r7gf5 for gpus from gpu"},
                    });
}

TEST(DecidePodInGroup, reserves_group_for_pod_with_node) {
  const test::PodBuilder bound = member().names("fabric", "x").on_node("n");
  expect_steps(
      kOn,
      {
          {"a claim of the group", Known(bound).in(trainers()).cached(shared("x").allocated()),
           "reserve x for pod group trainers trainers-uid"},
          {"a claim that both name",
           Known(make_pod("p").in_group("trainers").uses("fabric", "big").on_node("n"))
               .in(make_group("trainers").uses("fabric", "big"))
               .cached(make_claim("big").allocated()),
           "reserve big for pod group trainers trainers-uid"},
          {"a claim that only the pod names is reserved for the pod",
           Known(make_pod("p").in_group("trainers").uses("fabric", "big").on_node("n"))
               .in(trainers())
               .cached(make_claim("big").allocated()),
           "reserve big for p p-uid"},
          {"not again",
           Known(bound)
               .in(trainers())
               .cached(shared("x").allocated().reserved_for_group("trainers")),
           "finished"},
          {"not where the scheduler has reserved it for the pod itself",
           Known(bound).in(trainers()).cached(shared("x").allocated().reserved_for("p")),
           "finished"},
          {"a reservation of a group of that name counts, whatever its UID",
           Known(bound)
               .in(trainers().with_uid("new"))
               .cached(shared("x").allocated().reserved_for_group("trainers")),
           "finished"},
          {"not what a former group of that name owns: the garbage collector takes that",
           Known(bound).in(trainers().with_uid("new")).cached(shared("x").allocated()), "finished"},
          {"one of another group does not",
           Known(bound).in(trainers()).cached(shared("x").allocated().reserved_for_group("others")),
           "reserve x for pod group trainers trainers-uid"},
          {"not while another pod of the group does it",
           Known(bound).in(trainers()).cached(shared("x").allocated()).busy("x"), "finished"},
          {"not without an allocation", Known(bound).in(trainers()).cached(shared("x")),
           "finished"},
      });
}

TEST(DecidePodInGroup, waits_for_group_of_pod) {
  const char* const missing =
      "finished; log: podgroup.scheduling.k8s.io \"trainers\" not found (retry)";
  for (const auto& gates : {kOn, kHalfOn}) {
    expect_steps(
        gates, {
                   {"no claim is made", Known(member()).with(make_template("net")), missing},
                   {"none is named",
                    Known(member()).cached(make_claim("x").generated_for("p", "fabric")), missing},
                   {"none is asked for", Known(member().names("fabric", "x")), missing},
                   {"none is reserved",
                    Known(make_pod("p").in_group("trainers").uses("a", "b").on_node("n"))
                        .cached(make_claim("b").allocated()),
                    missing},
                   {"a pod that waits for a user can wait without its group",
                    Known(make_pod("p").in_group("trainers").uses("a", "b")), "finished"},
                   {"a finished pod needs none",
                    Known(member().phase(api::PodPhase::succeeded).on_node("n")), "finished"},
               });
  }
  expect_steps(kOn, {{"a pod that has all that it needs does without",
                      Known(member().names("fabric", "x").on_node("n"))
                          .cached(shared("x").allocated().reserved_for_group("trainers")),
                      "finished"}});
}

TEST(DecidePodInGroup, handles_group_claims_gate_off) {
  const char* const off =
      "finished; FailedResourceClaimCreation: PodResourceClaim fabric: claim fabric is a PodGroup "
      "claim but the DRAWorkloadResourceClaims feature is disabled (no retry)";
  expect_steps(
      kHalfOn,
      {
          {"a claim of the group is refused", Known(member()).in(trainers()), off},
          {"also one that is there: it is nobody's",
           Known(member().names("fabric", "x")).in(trainers()).cached(shared("x")), off},
          {"the pod's own are made all the same",
           Known(member().from_template("gpus", "gpu")).in(trainers()).with(make_template("gpu")),
           "create p-gpus-r7gf5 for gpus from gpu"},
          {"a claim that both name is not reserved, and that is no fault",
           Known(make_pod("p").in_group("trainers").uses("fabric", "big").on_node("n"))
               .in(make_group("trainers").uses("fabric", "big"))
               .cached(make_claim("big").allocated()),
           "finished"},
          {"a reservation for the group is none for the pod",
           Known(make_pod("p").in_group("trainers").uses("a", "big").on_node("n"))
               .in(trainers())
               .cached(make_claim("big").allocated().reserved_for_group("trainers")),
           "reserve big for p p-uid"},
      });
}

TEST(DecidePodInGroup, treats_claim_of_group_as_foreign_without_group) {
  expect_steps(kOn,
               {{"a pod that is in no group",
                 Known(make_pod("p").from_template("fabric", "net").names("fabric", "x"))
                     .cached(shared("x"))
                     .with(make_template("net")),
                 "create p-fabric-tjltg for fabric from net, as claim x is not owned by the pod"}});
}

// ---- a claim that is reserved for a group -------------------------------------------------------

class KnownOfClaim {
 public:
  explicit KnownOfClaim(ClaimPtr claim) {
    snapshot_.claim = std::move(claim);
    snapshot_.group_claims = common::GroupClaims::shared;
  }
  KnownOfClaim& gate_off() {
    snapshot_.group_claims = common::GroupClaims::refused;
    return *this;
  }
  KnownOfClaim& deleted(const std::string& group) {
    snapshot_.deleted.insert(test::uid_of(group));
    return *this;
  }
  KnownOfClaim& cached(const GroupPtr& group) {
    snapshot_.cached[named(group->meta.key.name)] = consumer_of(*group);
    return *this;
  }
  KnownOfClaim& got(const api::InternedString& group, ConsumerAnswer answer) {
    snapshot_.answers[named(group)] = std::move(answer);
    return *this;
  }
  KnownOfClaim& got(const GroupPtr& group) {
    return got(group->meta.key.name, consumer_of(*group));
  }
  operator ClaimSnapshot() const { return snapshot_; }

 private:
  static ConsumerName named(const api::InternedString& group) {
    return {ConsumerName::Kind::group, group};
  }

  ClaimSnapshot snapshot_;
};

TEST(DecideClaimOfGroup, drops_stale_group_reservation) {
  const auto claim = [] {
    return shared("x").allocated().with_finalizer().reserved_for_group("trainers");
  };
  const char* const released = "release trainers-uid, deallocate";
  struct ClaimRow {
    const char* sentence;
    ClaimSnapshot known;
    const char* step;
  };
  const ClaimRow rows[] = {
      {"not while the group is there", KnownOfClaim(claim()).cached(trainers()), "finished"},
      {"also one that is being deleted", KnownOfClaim(claim()).cached(trainers().being_deleted()),
       "finished"},
      {"one that is not known is asked for", KnownOfClaim(claim()), "get pod group trainers"},
      {"so is one with another UID", KnownOfClaim(claim()).cached(trainers().with_uid("new")),
       "get pod group trainers"},
      {"one that was seen to go is gone", KnownOfClaim(claim()).deleted("trainers"), released},
      {"one that the server does not have is gone", KnownOfClaim(claim()).got("trainers", Gone{}),
       released},
      {"one that was replaced is gone", KnownOfClaim(claim()).got(trainers().with_uid("new")),
       released},
      {"one that the server has is not", KnownOfClaim(claim()).got(trainers()), "finished"},
      {"a server that has stopped serving groups says nothing about one",
       KnownOfClaim(claim()).got("trainers", Error{Reason::not_served, "404 page not found"}),
       "finished; 404 page not found"},
      {"but the other consumers are judged",
       KnownOfClaim(claim().reserved_for("p"))
           .got("trainers", Error{Reason::not_served, "404 page not found"})
           .deleted("p"),
       "release p-uid"},
      {"a name that none can have is no group's",
       KnownOfClaim(shared("x").allocated().with_finalizer().reserved_for_consumer(
           {api::kSchedulingGroup, "podgroups", "../a", api::Uid("u")})),
       "release u, deallocate"},
      {"with the gate off it is kept forever", KnownOfClaim(claim()).deleted("trainers").gate_off(),
       "finished"},
      {"a group's claim without reservations is not deleted here",
       KnownOfClaim(shared("x")).deleted("trainers"), "finished"},
  };
  for (const ClaimRow& row : rows) {
    EXPECT_EQ(describe(decide_claim(row.known)), row.step) << row.sentence;
  }
}

TEST(DecideClaimOfGroup, asks_again_for_group_missing_from_cache) {
  const ClaimSnapshot known =
      KnownOfClaim(shared("x").allocated().reserved_for_group("trainers")).got(trainers());
  const ClaimStep step = decide_claim(known);
  EXPECT_EQ(std::get<EndClaimRound>(step).outcome, kLookAgain);
}

}  // namespace
}  // namespace dcm::resource_claim
