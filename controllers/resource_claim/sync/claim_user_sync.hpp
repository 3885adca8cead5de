// Carries out what decide_pod and decide_group decide: the work for the users of claims.
#pragma once

#include <string>

#include "client/api/event_sink.hpp"
#include "controllers/resource_claim/api/api.hpp"
#include "controllers/resource_claim/item.hpp"
#include "controllers/resource_claim/metrics.hpp"
#include "controllers/resource_claim/rules/decide_pod.hpp"
#include "controllers/resource_claim/stores.hpp"
#include "controllers/resource_claim/sync/foreign_claims.hpp"
#include "controllers/resource_claim/sync/one_at_a_time.hpp"
#include "controllers/resource_claim/sync/round.hpp"
#include "runtime/log.hpp"

namespace dcm::resource_claim {

// One sync at a time per pod or group; any number of them at once. `Snapshot` below is PodSnapshot
// or GroupSnapshot.
class ClaimUserSync {
 public:
  // All references must outlive it.
  struct Dependencies {
    Stores stores;
    ClaimApi& api;
    CreateMetrics& metrics;
    ClaimLatency& latency;
    api::EventSink& events;
    ItemProblems& problems;
    ForeignClaims& foreign;
    runtime::Logger log;
  };
  ClaimUserSync(Dependencies dependencies, common::FeatureGates gates, OneAtATime::Wake wake)
      : deps_(std::move(dependencies)), gates_(gates), reservations_(std::move(wake)) {}

  // The version in which groups are served ("scheduling.k8s.io/v1beta1"): before the first group.
  void use_group_version(std::string version) { group_version_ = std::move(version); }

  Task<Outcome> sync_pod(api::NamespacedName key, Priority priority);
  Task<Outcome> sync_group(api::NamespacedName key, Priority priority);

  // The state of the pod or group at the start of the next round.
  PodSnapshot snapshot_of(const PodPtr& pod) const;
  GroupSnapshot snapshot_of(const GroupPtr& group) const;

 private:
  template <class Sync, class Snapshot>
  friend Task<Outcome> run_round(Sync& sync, Snapshot snapshot, Priority priority);

  // The pod or group in this round.
  struct User {
    Item item;
    runtime::WallTime created;
    bool has_no_names;               // its status names no claim yet
    api::ObjectReference reference;  // for events
  };
  static User user_of(Item::Kind kind, const api::ClaimUser& user, std::string api_version,
                      std::string kind_name);
  User user_of(const PodSnapshot& snapshot) const;
  User user_of(const GroupSnapshot& snapshot) const;

  template <class Snapshot>
  bool refresh(Snapshot& snapshot) const;
  PodStep decide(const PodSnapshot& snapshot) const;
  GroupStep decide(const GroupSnapshot& snapshot) const;

  // Each adds its step's answer to what is known.
  template <class Snapshot>
  Task<RoundEnd> carry_out(Snapshot& snapshot, const EndRound& step, Priority priority);
  template <class Snapshot, class Step>
  Task<RoundEnd> carry_out(Snapshot& snapshot, const Step& step, Priority priority);
  Task<RoundEnd> carry_out(PodSnapshot& snapshot, const WriteNames& step, Priority priority);
  Task<RoundEnd> carry_out(GroupSnapshot& snapshot, const WriteNames& step, Priority priority);
  Task<RoundEnd> carry_out(PodSnapshot& snapshot, const Reserve& step, Priority priority);

  Task<RoundEnd> ask(KnownClaims& known, User user, const GetClaim& step, Priority priority);
  Task<RoundEnd> ask(KnownClaims& known, User user, const CreateClaim& step, Priority priority);
  Task<Result<ClaimPtr>> reserve(const Reserve& step, Priority priority);
  void note_created(const CreateClaim& step, const Result<ClaimPtr>& created, const User& user);
  template <class Snapshot, class Written>
  RoundEnd note_names(Snapshot& snapshot, const WriteNames& step, const Result<Written>& written);
  void observe_latency(ClaimLatency::Stage stage, const User& user) const;
  void report(const User& user, const Problem& problem) const;

  Dependencies deps_;
  common::FeatureGates gates_;
  OneAtATime reservations_;
  std::string group_version_;
};

}  // namespace dcm::resource_claim
