// Which claims a pod needs and why it cannot use them, in kubelet's words: a row for each sentence.
// Numbers in brackets are the cases of the node's specification.
#include "node/claims/look.hpp"

#include <gtest/gtest.h>

#include "test/support/objects.hpp"

namespace dcm::node {
namespace {

using common::GroupClaims;
using test::make_claim;
using test::make_pod;

struct NamesRow {
  const char* sentence;
  api::ObjectPtr<api::Pod> pod;
  std::vector<ClaimToLookUp> claims;
};

TEST(ClaimsToLookUp, lists_claims_of_pod) {  // [40], [42]
  const NamesRow rows[] = {
      {"by name, and through the status",
       make_pod("p").uses("a", "shared").from_template("b", "t").names("b", "p-b"),
       {{"shared", false}, {"p-b", true}}},
      {"an entry without a name: nothing to prepare",
       make_pod("p").from_template("b", "t").needs_no_claim("b"),
       {}},
      {"the claim for extended resources comes last, its owner is not checked",
       make_pod("p").uses("a", "shared").extended_resource_claim("p-extended"),
       {{"shared", false}, {"p-extended", false}}},
  };
  for (const NamesRow& row : rows) {
    const auto claims = claims_to_look_up(*row.pod);
    ASSERT_TRUE(claims) << row.sentence;
    EXPECT_EQ(*claims, row.claims) << row.sentence;
  }
}

TEST(ClaimsToLookUp, rejects_claim_not_yet_created) {  // [40]
  const api::ObjectPtr<api::Pod> pod = make_pod("p").from_template("b", "t");
  EXPECT_EQ(claims_to_look_up(*pod).error(), R"(pod "lab/p": ResourceClaim not created yet)");
  const api::ObjectPtr<api::Pod> newer = make_pod("p").unsupported("b");
  EXPECT_EQ(claims_to_look_up(*newer).error(),
            R"(pod "lab/p", spec.resourceClaim "b": none of the supported fields are set)");
}

struct RefusalRow {
  const char* sentence;
  api::ObjectPtr<api::ResourceClaim> claim;
  bool is_from_template;
  GroupClaims groups;
  std::optional<std::string> error;
};

TEST(RefuseClaim, explains_unusable_claim) {  // [39]
  const api::ObjectPtr<api::Pod> pod = make_pod("p").in_group("g");
  const RefusalRow rows[] = {
      {"allocated and reserved", make_claim("c").allocated().reserved_for("p"), false,
       GroupClaims::refused, std::nullopt},
      {"not allocated", make_claim("c").reserved_for("p"), false, GroupClaims::refused,
       "ResourceClaim c: not allocated"},
      {"not reserved", make_claim("c").allocated(), false, GroupClaims::refused,
       "pod p (p-uid) is not allowed to use ResourceClaim c (c-uid)"},
      {"reserved for another pod of that name",
       make_claim("c").allocated().reserved_for_consumer({"", "pods", "p", api::Uid("old")}), false,
       GroupClaims::refused, "pod p (p-uid) is not allowed to use ResourceClaim c (c-uid)"},
      {"made for another pod", make_claim("c").allocated().owned_by("q").reserved_for("p"), true,
       GroupClaims::refused,
       "ResourceClaim lab/c was not created for Pod lab/p (Pod is not owner)"},
      {"made neither for it nor for its group",
       make_claim("c").allocated().owned_by("q").reserved_for("p"), true, GroupClaims::shared,
       "ResourceClaim lab/c was not created for Pod lab/p (neither Pod nor PodGroup g is the "
       "owner)"},
      {"made for it", make_claim("c").allocated().owned_by("p").reserved_for("p"), true,
       GroupClaims::refused, std::nullopt},
      {"reserved for its group", make_claim("c").allocated().reserved_for_group("g"), false,
       GroupClaims::shared, std::nullopt},
      {"reserved for its group, which does not count",
       make_claim("c").allocated().reserved_for_group("g"), false, GroupClaims::refused,
       "pod p (p-uid) is not allowed to use ResourceClaim c (c-uid)"},
  };
  for (const RefusalRow& row : rows) {
    EXPECT_EQ(
        refuse_claim(*pod, {"c", row.is_from_template}, {row.claim, {}}, {.groups = row.groups}),
        row.error)
        << row.sentence;
  }
}

ClaimView skipping(std::vector<std::vector<std::string>> skips_of_results) {
  ClaimView view{.claim = make_claim("c").allocated().reserved_for("p"), .results = {}};
  for (auto& skipped : skips_of_results) {
    view.results.push_back({{"gpu", "pool", std::to_string(view.results.size())}, skipped});
  }
  return view;
}

TEST(RefuseClaim, skips_driver_if_all_results_skip) {  // [79]
  const std::vector<std::string> all{"*"};
  const std::vector<std::string> both{"NodePrepareResources", "NodeUnprepareResources"};
  const auto skipped = [](const ClaimView& view) {
    return driver_states(view.results).at("gpu").skip_operations;
  };
  EXPECT_EQ(skipped(skipping({{"*"}, {"*"}})), all);
  EXPECT_EQ(skipped(skipping({{"NodePrepareResources"}, {}})), std::vector<std::string>());
  EXPECT_EQ(skipped(skipping({{"*"}, {both[1], both[0]}})), both) << "sorted";
}

TEST(RefuseClaim, rejects_skipping_claim_with_gate_off) {  // [79]
  const api::ObjectPtr<api::Pod> pod = make_pod("p");
  const ClaimView view = skipping({{"*"}});
  EXPECT_EQ(refuse_claim(*pod, {"c"}, view, {.skip_gate = SkipGate::off}),
            "ResourceClaim c: DRAOptionalNodeOperations feature gate is disabled on kubelet");
  EXPECT_EQ(refuse_claim(*pod, {"c"}, view, {.skip_gate = SkipGate::on}), std::nullopt);
}

TEST(RefuseDrivers, requires_each_called_driver) {  // [41], [79]
  const auto none = [](const std::string&) { return false; };
  EXPECT_EQ(refuse_drivers(skipping({{}}), none), "DRA driver gpu is not registered");
  EXPECT_EQ(refuse_drivers(skipping({{"*"}}), none), std::nullopt) << "it is not called";
  EXPECT_EQ(refuse_drivers(skipping({}), none), std::nullopt) << "no result, no driver";
}

TEST(DecodeAllocation, reads_results_leniently) {
  const auto results =
      allocation_results(R"({"status":{"allocation":{"devices":{"results":[)"
                         R"({"request":"r","driver":"gpu","pool":"p","device":"d","shareID":"s",)"
                         R"("skipNodeOperations":["*",7]},3,{}]}}}})");
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].device, (DeviceKey{"gpu", "p", "d", "s"}));
  EXPECT_EQ(results[0].skip_operations, std::vector<std::string>{"*"});
  EXPECT_EQ(results[1].device, DeviceKey());
  for (const char* none : {"", "{", "[]", R"({"status":{"allocation":{"devices":[]}}})"}) {
    EXPECT_TRUE(allocation_results(none).empty()) << none;
  }
}

}  // namespace
}  // namespace dcm::node
