#include <algorithm>

#include <fmt/format.h>

#include "controllers/common/pod_claims.hpp"
#include "controllers/resource_claim/explain/explain.hpp"

namespace dcm::resource_claim {
namespace {

using common::Input;
using common::Inputs;
using common::Outlook;
using common::Topic;
using Cause = Problem::Cause;

// ---- one pod claim ------------------------------------------------------------------------------

struct PodClaimWords {
  const PodView& view;
  const api::PodClaim& pod_claim;
  Topic& topic;

  void operator()(const Settled& settled) const {
    if (settled.origin == Settled::Origin::not_needed) {
      return topic.add({Outlook::fine, {}}, "NotNeeded",
                       "The pod's status says that it needs no claim.");
    }
    if (settled.claim == nullptr && settled.origin == Settled::Origin::group) {
      return explain_missing_shared();
    }
    if (settled.claim == nullptr) return explain_missing();
    if (settled.origin == Settled::Origin::user) explain_foreign_owner(*settled.claim);
    if (settled.origin != Settled::Origin::user) explain_name(*settled.claim);
    explain_use(view, pod_claim, settled.claim, topic);
    if (settled.origin == Settled::Origin::generated) {
      explain_surplus_claims(view.snapshot, pod_claim, *settled.claim, topic);
    }
  }
  void operator()(const Problem& problem) const;
  void operator()(const GetClaim& step) const {
    topic.add(
        Outlook::acting, "ClaimUnknown",
        fmt::format("The pod's status names ResourceClaim \"{}\", which is not in the cache: the "
                    "controller asks the API server, and makes another claim if it is gone.",
                    step.name));
  }
  void operator()(const CreateClaim& step) const {
    if (!step.replaces.empty()) explain_replaced();
    explain_create(pod_claim, step, topic);
  }

 private:
  void explain_missing() const {
    topic.add(
        Outlook::stuck, "ClaimMissing",
        fmt::format(
            "There is no ResourceClaim \"{}\" in namespace \"{}\". The pod names it directly, so "
            "no template makes it. Create it: until then the pod cannot be scheduled.",
            pod_claim.claim_name, view.namespace_()));
  }
  void explain_missing_shared() const {
    topic.add(
        Outlook::waiting, "GroupClaimMissing",
        fmt::format(
            "The claim is that of pod group \"{}\", which has the same entry: it is made for the "
            "group, not for the pod, and the group's status names none yet. The events of the "
            "group say why.",
            view.pod().scheduling_group.str()));
  }
  // The pod may use another pod's claim, as long as that claim exists.
  void explain_foreign_owner(const api::ResourceClaim& claim) const {
    if (!common::has_pod_as_controller(claim) || common::is_owned_by(claim, view.pod())) return;
    topic.add(Outlook::note, "ClaimOfAnotherPod",
              fmt::format("{} was made for pod \"{}\", and is deleted with it. This pod names it "
                          "directly and loses it then.",
                          quoted(claim), claim.controller->name));
  }
  void explain_name(const api::ResourceClaim& claim) const {
    const api::PodClaimStatus* status = common::find_status(view.pod(), pod_claim.name);
    if (status != nullptr && status->claim_name == claim.meta.key.name) return;
    if (status != nullptr && status->claim_name && common::is_reserved_for(claim, view.pod())) {
      return topic.add(
          Outlook::acting, "WriteName",
          fmt::format("{} is allocated and reserved for the pod, whose status names ResourceClaim "
                      "\"{}\" instead: that is corrected now.",
                      quoted(claim), *status->claim_name));
    }
    topic.add(Outlook::acting, "WriteName",
              fmt::format("{} was made for it; its name is not in the pod's status yet, and is "
                          "written there now.",
                          quoted(claim)));
  }
  // Why the claim that the status names is unusable.
  void explain_replaced() const {
    const api::PodClaimStatus* status = common::find_status(view.pod(), pod_claim.name);
    const api::InternedString& name = *status->claim_name;
    const ClaimPtr claim = find_claim(view.snapshot, name);
    if (claim == nullptr) {
      return topic.add(
          Outlook::note, "NamedClaimGone",
          fmt::format("The pod's status names ResourceClaim \"{}\", which is gone.", name));
    }
    topic.add(Outlook::note, "ForeignClaim",
              fmt::format("The pod's status names {}, which was not made for this pod (UID {}) but "
                          "{}: it is not used.",
                          quoted(*claim), view.pod().meta.uid.str(), owner_of(*claim)));
  }
  static std::string owner_of(const api::ResourceClaim& claim) {
    return claim.controller ? "belongs to " + quoted(*claim.controller) : "has no owner";
  }
};

void PodClaimWords::operator()(const Problem& problem) const {
  const api::PodClaimStatus* status = common::find_status(view.pod(), pod_claim.name);
  switch (problem.cause) {
    case Cause::template_missing:
      if (status != nullptr && status->claim_name) explain_replaced();
      return explain_missing_template(pod_claim, view.pod(), "pod", topic);
    case Cause::gate_off:
      return topic.add(Outlook::stuck, "FeatureDisabled",
                       fmt::format("No claim can be made: {} (--feature-gates).", problem.message));
    case Cause::unsupported:
      return topic.add(Outlook::stuck, "Unsupported",
                       "The pod claim names neither a claim nor a template: a newer API may have "
                       "other sources, which this version does not know.");
    default:
      return topic.add(Outlook::stuck, "Failed", problem.message);
  }
}

std::string title_of(const api::PodClaim& pod_claim) {
  const std::string name = fmt::format("Pod claim \"{}\"", pod_claim.name.str());
  if (!pod_claim.claim_name.empty()) {
    return fmt::format("{}, ResourceClaim \"{}\"", name, pod_claim.claim_name);
  }
  if (pod_claim.template_name.empty()) return name;
  return fmt::format("{}, from ResourceClaimTemplate \"{}\"", name, pod_claim.template_name);
}

// ---- extended resources -------------------------------------------------------------------------

Topic explain_extended(const PodView& view) {
  const std::string& name = view.pod().extended_resource_claim.str();
  Topic topic{.title = fmt::format("Extended resources, ResourceClaim \"{}\"", name),
              .findings = {}};
  const ClaimPtr claim = find_claim(view.snapshot, name);
  if (claim == nullptr && view.pod().node_name.empty()) {
    // After a failed binding, kube-scheduler deletes the claim and leaves the pod's status as it
    // is.
    topic.add(
        Outlook::waiting, "ClaimMissing",
        fmt::format("There is no ResourceClaim \"{}\" any more, which the scheduler made in an "
                    "earlier attempt for the pod's extended resources. It makes another one "
                    "when it finds a node for the pod.",
                    name));
  } else if (claim == nullptr) {
    topic.add(
        Outlook::stuck, "ClaimMissing",
        fmt::format("There is no ResourceClaim \"{}\", which the scheduler made for the pod's "
                    "extended resources. The pod has a node, so the claim is not made again: "
                    "recreate the pod.",
                    name));
  } else if (!common::is_claim_of(*claim, view.pod(), common::GroupClaims::refused)) {
    topic.add(
        Outlook::stuck, "ForeignClaim",
        fmt::format("The pod's status names {} for its extended resources, which was not made "
                    "for this pod (UID {}){}: it is not the pod's.",
                    quoted(*claim), view.pod().meta.uid.str(),
                    claim->controller
                        ? fmt::format(" but for {} \"{}\"", claim->controller->kind.str(),
                                      claim->controller->name)
                        : std::string()));
  } else {
    explain_use(view, api::PodClaim{}, claim, topic);
  }
  return topic;
}

// ---- a pod for which nothing is done ------------------------------------------------------------

void explain_left_alone(const PodView& view, LeftAlone why, Topic& topic) {
  switch (why) {
    case LeftAlone::finished:
      return topic.add(
          Outlook::note, "Finished",
          view.pod().meta.is_being_deleted && view.pod().node_name.empty()
              ? "The pod is being deleted before it was given a node: it gets no more claims."
              : "The pod has finished: it gets no more claims. Its reservations are removed, and "
                "the claims that were made for it are deleted.");
    case LeftAlone::being_deleted:
      return topic.add(Outlook::note, "BeingDeleted",
                       "The pod is being deleted: no more claims are made or reserved for it. It "
                       "keeps its claims until its containers have ended.");
    case LeftAlone::in_group:
      return topic.add(Outlook::stuck, "InGroup",
                       fmt::format("The pod is a member of pod group \"{}\", and the feature gate "
                                   "GenericWorkload is off: nothing is made or reserved for it.",
                                   view.pod().scheduling_group.str()));
    case LeftAlone::group_missing:
      return topic.add(Outlook::stuck, "GroupMissing",
                       fmt::format("The pod is a member of pod group \"{}\", which does not exist. "
                                   "Only the group says which claims are its own: until it exists, "
                                   "no claims are made or reserved for the pod.",
                                   view.pod().scheduling_group.str()));
  }
}

// Its claims, if they still exist.
Topic explain_left_behind(const PodView& view, const ClaimPtr& claim) {
  Topic topic{.title = quoted(*claim)};
  explain_deletion(view.snapshot_of(claim), topic);
  topic.add(Outlook::note,
            common::is_reserved_for(*claim, view.pod(), common::group_claims(view.gates))
                ? "Reserved"
                : "NotReserved",
            fmt::format("It is {}.", describe_use(*claim)));
  return topic;
}

std::vector<Topic> explain_ended(const PodView& view, LeftAlone why) {
  std::vector<Topic> topics;
  for (const auto& [name, answer] : view.snapshot.claims) {
    const auto* claim = std::get_if<ClaimPtr>(&answer);
    if (claim != nullptr) topics.push_back(explain_left_behind(view, *claim));
  }
  explain_left_alone(view, why, topics.emplace_back(Topic{"resourceclaim-controller"}));
  return topics;
}

// The inputs of a decision for the pod.
Inputs inputs_of(const api::Pod& pod) {
  Inputs inputs{Input::claims};
  if (!pod.scheduling_group.empty()) inputs.add(Input::groups);
  const auto has_template = [](const api::PodClaim& claim) { return !claim.template_name.empty(); };
  if (std::ranges::any_of(pod.claims, has_template)) inputs.add(Input::templates);
  return inputs;
}

struct StepWords {
  std::string_view word;
  Topic& topic;

  void operator()(const EndRound& step) const {
    if (!step.problems.empty()) {  // reported with the pod claims
      return topic.add(Outlook::note, "Blocked",
                       fmt::format("Nothing more can be done for the {} now.", word));
    }
    topic.add({Outlook::fine, {}}, "NothingToDo",
              fmt::format("There is nothing to do for the {} now.", word));
  }
  void operator()(const GetClaim& step) const {
    add("GetClaim", fmt::format("ask the API server for ResourceClaim \"{}\"", step.name));
  }
  void operator()(const CreateClaim& step) const {
    add("CreateClaim", fmt::format("make the claim for pod claim \"{}\"", step.pod_claim));
  }
  void operator()(const WriteNames&) const {
    add("WriteNames", fmt::format("write the names of its claims into the {}'s status", word));
  }
  void operator()(const Reserve& step) const {
    add("Reserve", fmt::format("reserve {} for the pod{}", quoted(*step.claim),
                               step.consumer.is_pod() ? "" : "'s group"));
  }

 private:
  void add(const char* reason, const std::string& what) const {
    topic.add(Outlook::acting, reason, fmt::format("Next: {}.", what));
  }
};

}  // namespace

void answer_look_ups(KnownClaims& known, const std::vector<std::string_view>& names) {
  for (const std::string_view name : names) known.claims.try_emplace(std::string(name), Gone{});
}

void explain_create(const api::PodClaim& pod_claim, const CreateClaim& step, Topic& topic) {
  topic.add(Outlook::acting, "Create",
            fmt::format("There is no claim for it yet. Next: make it from ResourceClaimTemplate "
                        "\"{}\", with the name \"{}\".",
                        pod_claim.template_name, step.name));
}

void explain_missing_template(const api::PodClaim& pod_claim, const api::ClaimUser& user,
                              std::string_view word, Topic& topic) {
  topic.add({Outlook::stuck, {Input::worker}}, "TemplateMissing",
            fmt::format("There is no ResourceClaimTemplate \"{}\" in namespace \"{}\", so no claim "
                        "can be made. Create it, and the {} continues at once.",
                        pod_claim.template_name, user.meta.key.namespace_, word));
}

void explain_step(const PodStep& step, std::string_view word, Topic& topic) {
  std::visit(StepWords{word, topic}, step);
}

std::vector<Topic> explain_pod(PodSnapshot snapshot, const common::FeatureGates& gates, Miss miss,
                               const SnapshotOf& snapshot_of) {
  if (miss == Miss::gone) answer_look_ups(snapshot, common::names_of_claims(*snapshot.pod));
  const PodView view{snapshot, gates, snapshot_of};
  if (const auto why = why_left_alone(snapshot, gates)) {
    std::vector<Topic> topics = explain_ended(view, *why);
    if (*why == LeftAlone::group_missing) topics.back().rest_on({Input::groups});
    return topics;
  }
  std::vector<Topic> topics;
  for (const api::PodClaim& pod_claim : snapshot.pod->claims) {
    Topic& topic = topics.emplace_back(Topic{title_of(pod_claim)});
    tell(decide_pod_claim(snapshot, gates, pod_claim), PodClaimWords{view, pod_claim, topic});
  }
  if (!snapshot.pod->extended_resource_claim.empty()) topics.push_back(explain_extended(view));
  explain_step(decide_pod(snapshot, gates), "pod",
               topics.emplace_back(Topic{"resourceclaim-controller"}));
  for (Topic& topic : topics) topic.rest_on(inputs_of(*snapshot.pod));
  return topics;
}

}  // namespace dcm::resource_claim
