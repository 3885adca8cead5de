// Carries out what decide_pod decides.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "controllers/common/event_sink.hpp"
#include "controllers/resource_claim/api.hpp"
#include "controllers/resource_claim/attempt.hpp"
#include "controllers/resource_claim/item.hpp"
#include "controllers/resource_claim/metrics.hpp"
#include "controllers/resource_claim/one_at_a_time.hpp"
#include "controllers/resource_claim/predecessor.hpp"
#include "controllers/resource_claim/stores.hpp"
#include "runtime/log.hpp"

namespace dcm::resource_claim {

// One sync at a time per pod; any number of pods at once. All references must outlive it.
class PodSync {
 public:
  using Wake = std::function<void(const WaitingPod&, WaitingPod::Because)>;
  PodSync(Stores stores, ClaimApi& api, common::EventSink& events, CreateMetrics& metrics,
          ItemProblems& problems, common::FeatureGates gates, Predecessor::Exists predecessor,
          Wake wake, runtime::Logger log);

  Task<Retry> sync(api::NamespacedName key, Attempt attempt);

  // What the next round will know of the pod at its start.
  PodSnapshot snapshot_of(const PodPtr& pod) const;

  // Pods with a create whose outcome is not known.
  std::size_t unknown_creates() const { return unknown_creates_.size(); }

 private:
  // Each adds its step's answer to the snapshot. A value: the round ends here.
  using End = std::optional<Retry>;
  Task<End> carry_out(PodSnapshot& snapshot, const PodFinished& step, Attempt attempt);
  Task<End> carry_out(PodSnapshot& snapshot, const GetClaim& step, Attempt attempt);
  Task<End> carry_out(PodSnapshot& snapshot, const ListClaims& step, Attempt attempt);
  Task<End> carry_out(PodSnapshot& snapshot, const CreateClaim& step, Attempt attempt);
  Task<End> carry_out(PodSnapshot& snapshot, const WriteNames& step, Attempt attempt);
  Task<End> carry_out(PodSnapshot& snapshot, const Reserve& step, Attempt attempt);

  Task<bool> list_claims(PodSnapshot& snapshot, Attempt attempt);
  Task<Result<ClaimPtr>> reserve(const Reserve& step, Attempt attempt);
  PodSnapshot::EarlierCreates earlier_creates(const api::Pod& pod) const;
  void forget_finished_creates(const api::NamespacedName& key, const PodPtr& pod);
  bool refresh(PodSnapshot& snapshot) const;
  void note_created(const CreateClaim& step, const Result<ClaimPtr>& created, const api::Pod& pod);
  void report(const api::Pod& pod, const PodProblem& problem, Attempt attempt) const;

  Stores stores_;
  ClaimApi& api_;
  common::EventSink& events_;
  CreateMetrics& metrics_;
  ItemProblems& problems_;
  common::FeatureGates gates_;
  runtime::Logger log_;
  // By pod, the UID that the create was for: the next attempt lists before it creates. An entry
  // goes with the answer of that list, or with the pod.
  std::map<api::NamespacedName, api::Uid> unknown_creates_;
  Predecessor predecessor_;
  OneAtATime<api::InternedString> listings_;      // of a predecessor's claims, by namespace
  OneAtATime<api::NamespacedName> reservations_;  // by claim
};

}  // namespace dcm::resource_claim
