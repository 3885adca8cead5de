#include "controllers/resource_claim/explain_use.hpp"

#include <fmt/format.h>

#include "controllers/common/pod_claims.hpp"

namespace dcm::resource_claim {
namespace {

using common::Outlook;
using common::Topic;
using Cause = PodProblem::Cause;

void explain_unallocated(const api::Pod& pod, const api::ResourceClaim& claim, Topic& topic) {
  if (pod.node_name.empty()) {
    topic.add(Outlook::waiting, "NotAllocated",
              fmt::format("{} is there, and no device is allocated to it yet: the scheduler does "
                          "that when it places the pod. Why it has not, its events on the pod say "
                          "(kubectl describe pod).",
                          quoted(claim)));
  } else {
    topic.add(Outlook::stuck, "NeverAllocated",
              fmt::format("No device is allocated to {}, and the pod is on node \"{}\" already. "
                          "Only the scheduler allocates, and only for pods that it places itself: "
                          "leave spec.nodeName to it.",
                          quoted(claim), pod.node_name.str()));
  }
}

struct ReservationWords {
  const api::Pod& pod;
  const api::ResourceClaim& claim;
  Topic& topic;

  void operator()(NotReserved why) const {
    if (why == NotReserved::no_node) return explain_waiting_for_scheduler();
    if (why != NotReserved::under_way) return;
    topic.add(Outlook::acting, "ReservationUnderWay",
              fmt::format("{} is being reserved for another pod at this moment; then it is this "
                          "one's turn.",
                          quoted(claim)));
  }
  void operator()(const PodProblem& problem) const {
    topic.add(
        Outlook::stuck,
        problem.cause == Cause::too_many_users ? "TooManyConsumers" : "ReservationFailed",
        fmt::format("{} cannot be reserved for the pod: {}.", quoted(claim), problem.message));
  }
  void operator()(const Reserve&) const {
    topic.add(
        Outlook::acting, "Reserve",
        fmt::format("{} is allocated ({}), and reserved for {}. The pod is on node \"{}\", so "
                    "it is reserved for it now, without the scheduler.",
                    quoted(claim), describe_devices(claim), describe_consumers(claim),
                    pod.node_name.str()));
  }

 private:
  void explain_waiting_for_scheduler() const {
    const bool is_full = claim.reserved_for.size() >= api::kReservedForMax;
    const std::string state =
        fmt::format("{} is allocated ({}), and reserved for {}", quoted(claim),
                    describe_devices(claim), describe_consumers(claim));
    if (is_full) {
      return topic.add(Outlook::stuck, "TooManyConsumers",
                       fmt::format("{}: more than {} are not possible. The pod waits for one of "
                                   "them to end.",
                                   state, api::kReservedForMax));
    }
    topic.add(Outlook::waiting, "NotReserved",
              state +
                  ", not for this pod. The scheduler reserves it when it places the pod, where "
                  "these devices can be used. Why it has not, its events on the pod say "
                  "(kubectl describe pod).");
  }
};

void explain_deleted(const api::Pod& pod, const SnapshotOf& snapshot_of, const ClaimPtr& claim,
                     Topic& topic) {
  if (common::is_reserved_for(*claim, pod)) {
    return topic.add(Outlook::note, "ClaimBeingDeleted",
                     fmt::format("{} is being deleted. The pod has it reserved and keeps it until "
                                 "it has ended.",
                                 quoted(*claim)));
  }
  topic.add(Outlook::stuck, "ClaimBeingDeleted",
            fmt::format("{} is being deleted, so it is allocated to and reserved for nobody new. "
                        "The pod can go on when it is gone and there is another in its place.",
                        quoted(*claim)));
  explain_deletion(snapshot_of(claim), topic);
}

}  // namespace

void explain_use(const PodSnapshot& snapshot, const SnapshotOf& snapshot_of, const ClaimPtr& claim,
                 Topic& topic) {
  const api::Pod& pod = *snapshot.pod;
  if (claim->meta.is_being_deleted) return explain_deleted(pod, snapshot_of, claim, topic);
  if (!claim->is_allocated) return explain_unallocated(pod, *claim, topic);
  if (common::is_reserved_for(*claim, pod)) {
    return topic.add(Outlook::fine, "Reserved",
                     fmt::format("{} is allocated ({}) and reserved for the pod.", quoted(*claim),
                                 describe_devices(*claim)));
  }
  std::visit(ReservationWords{pod, *claim, topic}, decide_reservation(snapshot, claim));
}

}  // namespace dcm::resource_claim
