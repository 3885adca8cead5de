#include <fmt/format.h>

#include "controllers/common/pod_claims.hpp"
#include "controllers/resource_claim/explain/explain.hpp"

namespace dcm::resource_claim {
namespace {

using common::Outlook;
using common::Topic;
using Cause = Problem::Cause;

void explain_unallocated(const api::Pod& pod, const api::ResourceClaim& claim, Topic& topic) {
  if (pod.node_name.empty()) {
    topic.add(
        Outlook::waiting, "NotAllocated",
        fmt::format(
            "{} exists, and no device is allocated to it yet: the scheduler allocates devices when "
            "it places the pod.",
            quoted(claim)));
  } else {
    topic.add(Outlook::stuck, "NeverAllocated",
              fmt::format("No device is allocated to {}, and the pod is on node \"{}\" already. "
                          "Only the scheduler allocates, and only for pods that it places itself: "
                          "do not set spec.nodeName.",
                          quoted(claim), pod.node_name.str()));
  }
}

struct ReservationWords {
  const api::Pod& pod;
  const api::ResourceClaim& claim;
  Topic& topic;

  void operator()(NotReserved why) const {
    if (why == NotReserved::no_node) return explain_waiting_for_scheduler();
    if (why == NotReserved::is_groups) {
      return topic.add(Outlook::stuck, "FeatureDisabled",
                       fmt::format("{} is the pod group's, and the feature gate "
                                   "DRAWorkloadResourceClaims is off: it is not reserved.",
                                   quoted(claim)));
    }
    if (why == NotReserved::is_former_groups) {
      return topic.add(
          Outlook::waiting, "FormerGroup",
          fmt::format("{} was made for an earlier pod group of the same name. When the "
                      "garbage collector has deleted it, the pod gets the claim of "
                      "its own group.",
                      quoted(claim)));
    }
    if (why != NotReserved::under_way) return;
    topic.add(Outlook::acting, "ReservationUnderWay",
              fmt::format("{} is being reserved for another pod at this moment. This pod is next.",
                          quoted(claim)));
  }
  void operator()(const Problem& problem) const {
    topic.add(
        Outlook::stuck,
        problem.cause == Cause::too_many_users ? "TooManyConsumers" : "ReservationFailed",
        fmt::format("{} cannot be reserved for the pod: {}.", quoted(claim), problem.message));
  }
  void operator()(const Reserve& step) const {
    topic.add(
        Outlook::acting, "Reserve",
        fmt::format("{} is {}. The pod is on node \"{}\", so it is reserved for {} now, without "
                    "the scheduler.",
                    quoted(claim), describe_use(claim), pod.node_name.str(),
                    step.consumer.is_pod() ? "it" : "its group"));
  }

 private:
  void explain_waiting_for_scheduler() const {
    const std::string state = fmt::format("{} is {}", quoted(claim), describe_use(claim));
    if (api::is_full(claim)) {
      return topic.add(Outlook::stuck, "TooManyConsumers",
                       fmt::format("{}: a claim can have at most {} consumers. The pod waits for "
                                   "one of them to end.",
                                   state, api::kReservedForMax));
    }
    topic.add(Outlook::waiting, "NotReserved",
              state + (claim.reserved_for.empty() ? "" : ", not for this pod") +
                  ". The scheduler reserves it if it places the pod on a node "
                  "where these devices can be used.");
  }
};

// The scheduler places no pod with a claim in deletion, and the claim stays until the pod has
// ended.
void explain_deadlock(const api::Pod& pod, const api::ResourceClaim& claim, Topic& topic) {
  topic.add(Outlook::stuck, "ReservedWhileDeleted",
            fmt::format("{} is being deleted and waits for this pod, for which it is reserved. The "
                        "pod is on no node yet, and the scheduler refuses claims that are being "
                        "deleted, so neither can proceed. Delete the pod: kubectl -n {} delete "
                        "pod {}",
                        quoted(claim), pod.meta.key.namespace_.str(), pod.meta.key.name));
}

void explain_deleted(const PodView& view, const ClaimPtr& claim, Topic& topic) {
  if (common::is_reserved_for(*claim, view.pod(), common::group_claims(view.gates))) {
    if (view.pod().node_name.empty()) return explain_deadlock(view.pod(), *claim, topic);
    return topic.add(Outlook::note, "ClaimBeingDeleted",
                     fmt::format("{} is being deleted. It is reserved for the pod, which keeps it "
                                 "until the pod has ended.",
                                 quoted(*claim)));
  }
  topic.add(Outlook::stuck, "ClaimBeingDeleted",
            fmt::format("{} is being deleted, so no further pod can use it. The pod can continue "
                        "when another claim has taken its place.",
                        quoted(*claim)));
  explain_deletion(view.snapshot_of(claim), topic);
}

}  // namespace

void explain_use(const PodView& view, const api::PodClaim& pod_claim, const ClaimPtr& claim,
                 Topic& topic) {
  const api::Pod& pod = view.pod();
  if (claim->meta.is_being_deleted) return explain_deleted(view, claim, topic);
  if (!claim->is_allocated) return explain_unallocated(pod, *claim, topic);
  if (common::is_reserved_for(*claim, pod, common::group_claims(view.gates))) {
    return topic.add(
        {Outlook::fine, {}}, "Reserved",
        fmt::format("{} is allocated ({}) and reserved for {}.", quoted(*claim),
                    describe_devices(*claim),
                    common::is_reserved_for(*claim, pod) ? "the pod" : "the pod's group"));
  }
  std::visit(ReservationWords{pod, *claim, topic},
             decide_reservation(view.snapshot, view.gates, pod_claim, claim));
}

namespace {

using common::Outlook;

std::string command(const api::Pod& pod, std::string_view kind, const std::string& name) {
  return fmt::format("kubectl -n {} delete {} {}", pod.meta.key.namespace_.str(), kind, name);
}

// The devices of the claim, and how to release them.
std::string describe_state(const api::ResourceClaim& claim, const api::Pod& pod) {
  const std::string deletion = command(pod, "resourceclaim", claim.meta.key.name.str());
  if (!claim.is_allocated) {
    return fmt::format(
        "The second claim holds no device, and is deleted with the pod. To delete it now: {}",
        deletion);
  }
  const std::string devices = describe_devices(claim);
  if (common::is_reserved_for(claim, pod)) {
    return fmt::format(
        "The second claim is allocated as well ({}) and reserved for the pod, which may have "
        "started with it. So "
        "both keep their devices until the pod has ended. To end it now: {}",
        devices, command(pod, "pod", pod.meta.key.name.str()));
  }
  if (!claim.reserved_for.empty()) {
    return fmt::format(
        "The second claim keeps its devices ({}) until its consumers have ended: {}.", devices,
        describe_consumers(claim));
  }
  return fmt::format("The second claim keeps unused devices ({}). To release them: {}", devices,
                     deletion);
}

// A pod without a node may be waiting for exactly those devices.
Outlook outlook_of(const api::ResourceClaim& claim, const api::Pod& pod) {
  if (!claim.is_allocated) return Outlook::note;
  return pod.node_name.empty() && claim.reserved_for.empty() ? Outlook::stuck : Outlook::waiting;
}

void add(const api::ResourceClaim& claim, const api::ResourceClaim& used, const api::Pod& pod,
         const api::PodClaim& pod_claim, common::Topic& topic) {
  topic.add({outlook_of(claim, pod), {}}, "SurplusClaim",
            fmt::format("{} is a second claim for pod claim \"{}\": two managers have made claims. "
                        "The pod uses {}. {}",
                        quoted(claim), pod_claim.name, quoted(used), describe_state(claim, pod)));
}

}  // namespace

void explain_surplus_claims(const PodSnapshot& snapshot, const api::PodClaim& pod_claim,
                            const api::ResourceClaim& used, common::Topic& topic) {
  snapshot.owned.for_each_of(*snapshot.pod, pod_claim, [&](const ClaimPtr& claim) {
    const bool is_used = claim->meta.key.name == used.meta.key.name;
    if (!is_used) add(*claim, used, *snapshot.pod, pod_claim, topic);
    return false;
  });
}

void explain_surplus(const PodSnapshot& snapshot, const common::FeatureGates& gates,
                     const api::ResourceClaim& claim, common::Topic& topic) {
  if (why_left_alone(snapshot, gates)) return;
  for (const api::PodClaim& pod_claim : snapshot.pod->claims) {
    if (!is_generated_for(claim, *snapshot.pod, pod_claim)) continue;
    const PodClaimStep settled = decide_pod_claim(snapshot, gates, pod_claim);
    if (!settled || settled->claim == nullptr) continue;
    if (settled->claim->meta.key.name == claim.meta.key.name) continue;
    add(claim, *settled->claim, *snapshot.pod, pod_claim, topic);
  }
}

}  // namespace dcm::resource_claim
