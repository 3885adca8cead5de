#include <fmt/format.h>

#include "controllers/common/pod_claims.hpp"
#include "controllers/resource_claim/explain/explain.hpp"

namespace dcm::resource_claim {
namespace {

using common::Input;
using common::Outlook;
using common::Topic;
using Cause = Problem::Cause;

struct EntryWords {
  const GroupSnapshot& snapshot;
  const api::PodClaim& entry;
  Topic& topic;

  void operator()(const Settled& settled) const {
    if (settled.origin == Settled::Origin::not_needed) {
      return topic.add({Outlook::fine, {}}, "NotNeeded",
                       "The group's status says that none is needed.");
    }
    if (settled.claim == nullptr) {
      return topic.add(Outlook::stuck, "ClaimMissing",
                       fmt::format("There is no ResourceClaim \"{}\". The group names it directly, "
                                   "so no template makes it: create it.",
                                   entry.claim_name));
    }
    const api::ResourceClaim& claim = *settled.claim;
    topic.add({Outlook::fine, {Input::claims}}, "ClaimThere",
              fmt::format("{} is {}.", quoted(claim), describe_use(claim)));
  }
  void operator()(const Problem& problem) const {
    if (problem.cause != Cause::template_missing) {
      return topic.add(Outlook::stuck, "Failed", problem.message);
    }
    explain_missing_template(entry, *snapshot.group, "group", topic);
  }
  void operator()(const GetClaim& step) const {
    topic.add(Outlook::acting, "ClaimUnknown",
              fmt::format("The group's status names ResourceClaim \"{}\", which is not in the "
                          "cache: the controller asks the API server.",
                          step.name));
  }
  void operator()(const CreateClaim& step) const { explain_create(entry, step, topic); }
};

std::string title_of(const api::PodClaim& entry) {
  const bool is_named = !entry.claim_name.empty();
  return fmt::format("Claim \"{}\", {} \"{}\"", entry.name.str(),
                     is_named ? "ResourceClaim" : "from ResourceClaimTemplate",
                     is_named ? entry.claim_name : entry.template_name);
}

Topic explain_next(const GroupSnapshot& snapshot, const common::FeatureGates& gates) {
  Topic topic{.title = "resourceclaim-controller"};
  if (common::group_claims(gates) == common::GroupClaims::refused) {
    topic.add(Outlook::stuck, "FeatureDisabled",
              "The feature gate DRAWorkloadResourceClaims is off: no claims are made for groups.");
  } else if (snapshot.group->meta.is_being_deleted) {
    topic.add(Outlook::note, "BeingDeleted",
              "The group is being deleted: no more claims are made for it. Its reservations remain "
              "until it is gone.");
  } else {
    explain_step(widen<PodStep>(decide_group(snapshot, gates)), "group", topic);
  }
  return topic;
}

}  // namespace

std::string describe(const api::PodGroup& group, std::size_t pods) {
  return fmt::format("{} with claims{}", common::count(pods, "pod"),
                     group.meta.is_being_deleted ? ", being deleted" : "");
}

std::vector<Topic> explain_group(GroupSnapshot snapshot, const common::FeatureGates& gates,
                                 Miss miss) {
  if (miss == Miss::gone) answer_look_ups(snapshot, common::names_of_claims(*snapshot.group));
  std::vector<Topic> topics;
  for (const api::PodClaim& entry : snapshot.group->claims) {
    Topic& topic = topics.emplace_back(Topic{title_of(entry)});
    tell(decide_group_claim(snapshot, gates, entry), EntryWords{snapshot, entry, topic});
  }
  topics.push_back(explain_next(snapshot, gates));
  for (Topic& topic : topics) topic.rest_on({Input::claims, Input::templates});
  return topics;
}

}  // namespace dcm::resource_claim
