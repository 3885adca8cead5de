// Which claims belong to a pod, and whether it is finished: a row for each sentence.
#include "controllers/common/pod_claims.hpp"

#include <gtest/gtest.h>

#include "client/api/decoder.hpp"
#include "test/support/objects.hpp"

namespace dcm::common {
namespace {

using api::PodPhase;
using test::make_claim;
using test::make_pod;

struct TargetRow {
  const char* sentence;
  api::ObjectPtr<api::Pod> pod;  // its first pod claim is asked for
  PodClaimTarget target;
};

TEST(PodClaims, names_claim_of_pod_claim) {
  const TargetRow rows[] = {
      {"a claim that the user named is that claim", make_pod("p").uses("gpus", "shared"),
       UserClaim{"shared"}},
      {"the user's name wins over an entry in the status",
       make_pod("p").uses("gpus", "shared").names("gpus", "other"), UserClaim{"shared"}},
      {"a generated claim is named by the status",
       make_pod("p").from_template("gpus", "gpu").names("nic", "n").names("gpus", "p-gpus-1"),
       GeneratedClaim{"p-gpus-1"}},
      {"an entry without a name says that no claim is needed",
       make_pod("p").from_template("gpus", "gpu").needs_no_claim("gpus"), NoClaimNeeded{}},
      {"without an entry the claim is not made yet",
       make_pod("p").from_template("gpus", "gpu").names("nic", "n"), NotMadeYet{}},
      {"an empty name is no name", make_pod("p").from_template("gpus", "gpu").names("gpus", ""),
       NotMadeYet{}},
      {"neither a claim nor a template is a newer API than we know",
       make_pod("p").unsupported("gpus"), UnsupportedPodClaim{}},
  };
  for (const TargetRow& row : rows) {
    EXPECT_EQ(target_of(*row.pod, row.pod->claims[0]), row.target) << row.sentence;
  }
}

struct NamesRow {
  const char* sentence;
  api::ObjectPtr<api::Pod> pod;
  std::vector<std::string_view> names;
};

TEST(PodClaims, lists_names_of_all_claims) {
  const NamesRow rows[] = {
      {"named by spec and status",
       make_pod("p").uses("a", "x").from_template("b", "t").names("b", "y"),
       {"x", "y"}},
      {"a pod claim that has no claim yet names none", make_pod("p").from_template("b", "t"), {}},
      {"the claim for extended resources counts, also alone",
       make_pod("p").extended_resource_claim("e"),
       {"e"}},
      {"a claim that two pod claims share is named once",
       make_pod("p").uses("a", "x").uses("b", "x"),
       {"x"}},
  };
  for (const NamesRow& row : rows) EXPECT_EQ(names_of_claims(*row.pod), row.names) << row.sentence;
}

struct PairRow {
  const char* sentence;
  api::ObjectPtr<api::ResourceClaim> claim;
  api::ObjectPtr<api::Pod> pod;
  bool expected;
};

TEST(PodClaims, finds_owner_of_claim) {
  const PairRow rows[] = {
      {"the controller owner has the pod's UID", make_claim("c").owned_by("p"), make_pod("p"),
       true},
      {"a pod that was replaced under the same name is another pod", make_claim("c").owned_by("p"),
       make_pod("p").with_uid("new"), false},
      {"a claim without a controller is nobody's", make_claim("c"), make_pod("p"), false},
      {"an owner in another namespace is forged", make_claim("c").owned_by("p").in_namespace("x"),
       make_pod("p"), false},
      {"no UID equals no UID, but proves nothing", make_claim("c").owned_by_uid("p", api::Uid()),
       make_pod("p").with_uid(""), false},
      {"a claim that a group owns does not crash for a pod without a group",
       make_claim("c").controlled_by({"scheduling.k8s.io", "PodGroup", "g", api::Uid("g")}),
       make_pod("p"), false},
  };
  for (const PairRow& row : rows) {
    EXPECT_EQ(is_owned_by(*row.claim, *row.pod), row.expected) << row.sentence;
  }
}

TEST(PodClaims, matches_claims_with_pod) {
  const PairRow rows[] = {
      {"the user's claim, regardless of its owner", make_claim("c").owned_by("other"),
       make_pod("p").uses("a", "c"), true},
      {"a generated claim that the pod owns", make_claim("c").owned_by("p"),
       make_pod("p").from_template("a", "t").names("a", "c"), true},
      {"not a generated claim that somebody else owns", make_claim("c").owned_by("other"),
       make_pod("p").from_template("a", "t").names("a", "c"), false},
      {"the claim for extended resources that the pod owns",
       make_claim("c").for_extended_resources_of("p"), make_pod("p").extended_resource_claim("c"),
       true},
      {"not a claim for extended resources that somebody else owns",
       make_claim("c").for_extended_resources_of("other"),
       make_pod("p").extended_resource_claim("c"), false},
      {"not a claim that the pod owns but does not refer to", make_claim("c").owned_by("p"),
       make_pod("p").uses("a", "x"), false},
      {"not a claim of another namespace", make_claim("c").in_namespace("x"),
       make_pod("p").uses("a", "c"), false},
  };
  for (const PairRow& row : rows) {
    EXPECT_EQ(is_claim_of(*row.claim, *row.pod, GroupClaims::refused), row.expected)
        << row.sentence;
  }
}

TEST(PodClaims, lists_pods_that_may_consume_claim) {
  const auto pod = [] { return make_pod("p").uses("a", "c"); };
  const PairRow rows[] = {
      {"a pod with a node, an allocated claim, and a reservation",
       make_claim("c").allocated().reserved_for("p"), pod().on_node("n"), true},
      {"not without a node", make_claim("c").allocated().reserved_for("p"), pod(), false},
      {"not without an allocation", make_claim("c").reserved_for("p"), pod().on_node("n"), false},
      {"not without a reservation", make_claim("c").allocated().reserved_for("q"),
       pod().on_node("n"), false},
      {"not a claim that is not its own", make_claim("d").allocated().reserved_for("p"),
       pod().on_node("n"), false},
      {"not on the reservation of the pod that had the name before",
       make_claim("c").allocated().reserved_for("p"), pod().on_node("n").with_uid("new"), false},
  };
  for (const PairRow& row : rows) {
    EXPECT_EQ(may_consume_now(*row.claim, *row.pod, GroupClaims::refused), row.expected)
        << row.sentence;
  }
}

// A pod of group "g" that uses claim "c" by a template, and objects shared by both.
test::PodBuilder member() {
  return make_pod("p").in_group("g").from_template("gpus", "gpu").names("gpus", "c").on_node("n");
}

TEST(PodClaims, allows_pod_to_use_group_claim) {
  const auto of_group = [] { return make_claim("c").generated_for_group("g", "gpus").allocated(); };
  const PairRow rows[] = {
      {"reserved for the group", of_group().reserved_for_group("g"), member(), true},
      {"reserved for the pod", of_group().reserved_for("p"), member(), true},
      {"its own claim, reserved for the group",
       make_claim("c").generated_for("p", "gpus").allocated().reserved_for_group("g"), member(),
       true},
      {"a user's claim, reserved for the group",
       make_claim("u").allocated().reserved_for_group("g"), member().uses("more", "u"), true},
      {"whatever UID the group has",
       make_claim("c")
           .controlled_by({"scheduling.k8s.io", "PodGroup", "g", api::Uid("new")})
           .allocated()
           .reserved_for_group("g"),
       member(), true},
      {"not of another group",
       make_claim("c").generated_for_group("h", "gpus").allocated().reserved_for_group("g"),
       member(), false},
      {"not reserved for another group", of_group().reserved_for_group("h"), member(), false},
      {"not of a kind that is called the same",
       make_claim("c")
           .controlled_by({"example.com", "PodGroup", "g", test::uid_of("g")})
           .allocated()
           .reserved_for_group("g"),
       member(), false},
      {"not reserved for something that is called the same",
       of_group().reserved_for_consumer({"example.com", "podgroups", "g", api::Uid("u")}), member(),
       false},
      {"not without a pod claim that leads to it",
       make_claim("d").generated_for_group("g", "gpus").allocated().reserved_for_group("g"),
       member(), false},
      {"not in another namespace", of_group().reserved_for_group("g").in_namespace("else"),
       member(), false},
      {"a pod in no group", of_group().reserved_for_group("g"),
       make_pod("p").from_template("gpus", "gpu").names("gpus", "c").on_node("n"), false},
  };
  for (const PairRow& row : rows) {
    EXPECT_EQ(may_consume_now(*row.claim, *row.pod, GroupClaims::shared), row.expected)
        << row.sentence;
  }
  const api::ObjectPtr<api::ResourceClaim> shared = of_group().reserved_for_group("g");
  const api::ObjectPtr<api::Pod> pod = member();
  EXPECT_FALSE(may_consume_now(*shared, *pod, GroupClaims::refused));
}

TEST(PodClaims, counts_claims_of_groups) {
  EXPECT_EQ(group_claims({}), GroupClaims::refused);
  EXPECT_EQ(group_claims({.generic_workload = true}), GroupClaims::refused);
  EXPECT_EQ(group_claims({.generic_workload = true, .dra_workload_resource_claims = true}),
            GroupClaims::shared);
}

struct DoneRow {
  const char* sentence;
  api::ObjectPtr<api::Pod> pod;
  bool is_done;
  bool is_active;
};

TEST(PodClaims, recognizes_finished_pod) {
  const DoneRow rows[] = {
      {"succeeded", make_pod("p").phase(PodPhase::succeeded).on_node("n"), true, false},
      {"failed", make_pod("p").phase(PodPhase::failed).on_node("n"), true, false},
      {"deleted before it had a node", make_pod("p").being_deleted(), true, false},
      {"not while it is being deleted from its node", make_pod("p").being_deleted().on_node("n"),
       false, false},
      {"not while it waits for a node", make_pod("p"), false, true},
      {"not while it runs", make_pod("p").phase(PodPhase::running).on_node("n"), false, true},
      {"not when its node does not answer", make_pod("p").phase(PodPhase::unknown).on_node("n"),
       false, true},
  };
  for (const DoneRow& row : rows) {
    EXPECT_EQ(is_done(*row.pod), row.is_done) << row.sentence;
    EXPECT_EQ(is_active(*row.pod), row.is_active) << row.sentence;
  }
}

}  // namespace
}  // namespace dcm::common
