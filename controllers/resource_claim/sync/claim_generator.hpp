// Carries out the steps that give a pod or a pod group its claims (decide_generated_claims.hpp):
// all that is the same for both.
#pragma once

#include <utility>
#include <vector>

#include "client/api/event_sink.hpp"
#include "controllers/resource_claim/api/api.hpp"
#include "controllers/resource_claim/item.hpp"
#include "controllers/resource_claim/metrics.hpp"
#include "controllers/resource_claim/stores.hpp"
#include "controllers/resource_claim/sync/foreign_claims.hpp"
#include "controllers/resource_claim/sync/round.hpp"
#include "runtime/log.hpp"

namespace dcm::resource_claim {

// The pod or group that claims are made for, in this round.
struct ClaimUserItem {
  Item item;
  runtime::WallTime created;
  bool has_no_names;               // its status names no claim yet
  api::ObjectReference reference;  // for events
};

// One instance serves all pods and groups. All references must outlive it.
class ClaimGenerator {
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
  explicit ClaimGenerator(Dependencies dependencies) : deps_(std::move(dependencies)) {}

  // Each adds its step's answer to what is known.
  Task<RoundEnd> carry_out(KnownClaims& known, ClaimUserItem owner, const GetClaim& step,
                           Attempt attempt);
  Task<RoundEnd> carry_out(KnownClaims& known, ClaimUserItem owner, const CreateClaim& step,
                           Attempt attempt);
  // Of WriteNames: `written` is the answer, the object as it is now, and goes to `own_writes`.
  template <class Ptr, class OwnWrites>
  RoundEnd note_names(KnownClaims& known, const ClaimUserItem& owner, const WriteNames& step,
                      const Result<Ptr>& written, OwnWrites& own_writes) {
    if (written) own_writes.record(*written);
    return note_names(known, owner, step, written ? nullptr : &written.error());
  }
  // Before the names are sent.
  void expect_names(const api::Pod& pod, const WriteNames& step) {
    deps_.foreign.expect_own(pod, step.names);
  }
  // Of EndRound: reports failures to users, to operators or only to the log. Returns the outcome of
  // the problem that can pass first.
  Outcome report(const ClaimUserItem& owner, const std::vector<Problem>& problems) const;

 private:
  RoundEnd note_names(KnownClaims& known, const ClaimUserItem& owner, const WriteNames& step,
                      const runtime::Error* error);
  void observe_latency(ClaimLatency::Stage stage, const ClaimUserItem& owner) const;
  void report(const ClaimUserItem& owner, const Problem& problem) const;
  void note_created(const CreateClaim& step, const Result<ClaimPtr>& created,
                    const ClaimUserItem& owner);

  Dependencies deps_;
};

}  // namespace dcm::resource_claim
