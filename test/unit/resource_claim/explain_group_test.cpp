// Explanations of a pod group and its claims.
#include <gmock/gmock.h>

#include "controllers/resource_claim/explain/explain.hpp"
#include "test/unit/resource_claim/world.hpp"

namespace dcm::resource_claim {
namespace {

using test::make_claim;
using test::make_group;
using test::make_template;
using testing::HasSubstr;

class ExplainGroup : public testing::Test {
 protected:
  ExplainGroup() {
    world.gates.generic_workload = true;
    world.gates.dra_workload_resource_claims = true;
  }

  std::string told(const GroupPtr& group) {
    if (!is_started_) world.start_standby();
    is_started_ = true;
    world.api.put(group);
    std::string text;
    const GroupPtr stored = world.controller().find_group(group->meta.key);
    for (const common::Topic& topic : world.controller().explain_group(stored, Miss::unknown)) {
      text += "# " + topic.title + "\n";
      for (const common::Finding& finding : topic.findings) {
        text += std::string(to_string(finding.outlook)) + " " + finding.reason + ": " +
                finding.text + "\n";
      }
    }
    return text;
  }

  World world;

 private:
  bool is_started_ = false;
};

TEST_F(ExplainGroup, shows_each_entry_and_next_step) {
  const auto group = [] { return make_group("g").from_template("fabric", "net"); };
  EXPECT_THAT(told(group()), HasSubstr("# Claim \"fabric\", from ResourceClaimTemplate \"net\"\n"
                                       "stuck TemplateMissing: "));
  world.api.put(make_template("net"));
  EXPECT_THAT(told(group()), HasSubstr("acting Create: There is no claim for it yet"));
  world.api.put(
      make_claim("c").generated_for_group("g", "fabric").allocated().reserved_for_group("g"));
  EXPECT_THAT(told(group()),
              HasSubstr("acting WriteNames: Next: write the names of its claims into "
                        "the group's status."));
  EXPECT_THAT(
      told(group().names("fabric", "c")),
      HasSubstr("fine ClaimThere: ResourceClaim \"c\" is allocated (no device), and reserved "
                "for pod group \"g\".\n# resourceclaim-controller\nfine NothingToDo"));
  EXPECT_THAT(told(group().names("fabric", "c").being_deleted()), HasSubstr("note BeingDeleted"));
  EXPECT_THAT(told(make_group("u").uses("store", "big")), HasSubstr("stuck ClaimMissing"));
}

TEST_F(ExplainGroup, mentions_gate_for_group_claims) {
  world.gates.dra_workload_resource_claims = false;
  EXPECT_THAT(told(make_group("g")), HasSubstr("stuck FeatureDisabled"));
}

TEST_F(ExplainGroup, fits_on_one_line) {
  EXPECT_EQ(describe(*make_group("g").get(), 1), "1 pod with claims");
  EXPECT_EQ(describe(*make_group("g").being_deleted().get(), 3),
            "3 pods with claims, being deleted");
}

}  // namespace
}  // namespace dcm::resource_claim
