// Carries out the steps that give a pod or a pod group its claims (decide_generation.hpp).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "controllers/common/event_sink.hpp"
#include "controllers/resource_claim/api/api.hpp"
#include "controllers/resource_claim/metrics.hpp"
#include "controllers/resource_claim/sync/attempt.hpp"
#include "controllers/resource_claim/sync/item.hpp"
#include "controllers/resource_claim/sync/one_at_a_time.hpp"
#include "controllers/resource_claim/sync/predecessor.hpp"
#include "controllers/resource_claim/sync/stores.hpp"
#include "runtime/log.hpp"

namespace dcm::resource_claim {

// For whom claims are made, in this round.
struct GenerationOwner {
  Item item;
  api::Uid uid;
};

// One for all pods and groups: what may have been made without our knowing is known in one place.
// All references must outlive it.
class GenerationSync {
 public:
  using Wake = OneAtATime<api::InternedString>::Wake;
  GenerationSync(Stores stores, ClaimApi& api, CreateMetrics& metrics,
                 Predecessor::Exists predecessor, Wake wake, runtime::Logger log);

  // Each adds its step's answer to what is known. A value: the round ends here.
  using End = std::optional<Retry>;
  Task<End> carry_out(Generation& known, GenerationOwner owner, const GetClaim& step,
                      Attempt attempt);
  Task<End> carry_out(Generation& known, GenerationOwner owner, const ListClaims& step,
                      Attempt attempt);
  Task<End> carry_out(Generation& known, GenerationOwner owner, const CreateClaim& step,
                      Attempt attempt);

  Generation::EarlierCreates earlier_creates(const Item& owner) const;
  // `owner`: who has the item's name and may get claims now; empty: nobody. For all others nothing
  // needs to be known any more.
  void forget_finished_creates(const Item& item, const api::Uid& owner);

 private:
  Task<bool> list_claims(Generation& known, GenerationOwner owner, Attempt attempt);
  void note_created(const CreateClaim& step, const Result<ClaimPtr>& created,
                    const GenerationOwner& owner);

  Stores stores_;
  ClaimApi& api_;
  CreateMetrics& metrics_;
  runtime::Logger log_;
  // By item, the UID that the create was for: the next attempt lists before it creates. An entry
  // goes with the answer of that list, or with the pod or group.
  std::map<Item, api::Uid> unknown_creates_;
  Predecessor predecessor_;
  OneAtATime<api::InternedString> listings_;  // of a predecessor's claims, by namespace
};

// Tells users, operators or nobody of what could not be done for a pod or group.
class ProblemReports {
 public:
  // Both references must outlive it.
  ProblemReports(common::EventSink& events, ItemProblems& problems, runtime::Logger log)
      : events_(events), problems_(problems), log_(std::move(log)) {}

  // When the first of them may be tried again.
  Retry report(const Item& item, const api::ObjectReference& about,
               const std::vector<Problem>& problems, Attempt attempt) const;

 private:
  void report(const Item& item, const api::ObjectReference& about, const Problem& problem,
              Attempt attempt) const;

  common::EventSink& events_;
  ItemProblems& problems_;
  runtime::Logger log_;
};

}  // namespace dcm::resource_claim
