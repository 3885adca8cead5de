// Carries out the steps that give a pod or a pod group its claims (decide_generation.hpp).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "controllers/common/event_sink.hpp"
#include "controllers/resource_claim/api/api.hpp"
#include "controllers/resource_claim/metrics.hpp"
#include "controllers/resource_claim/sync/attempt.hpp"
#include "controllers/resource_claim/sync/item.hpp"
#include "controllers/resource_claim/sync/stores.hpp"
#include "runtime/log.hpp"

namespace dcm::resource_claim {

// For whom claims are made, in this round.
struct GenerationOwner {
  Item item;
  api::Uid uid;
};

// One for all pods and groups. All references must outlive it.
class GenerationSync {
 public:
  GenerationSync(Stores stores, ClaimApi& api, CreateMetrics& metrics, runtime::Logger log);

  // Each adds its step's answer to what is known. A value: the round ends here.
  using End = std::optional<Retry>;
  Task<End> carry_out(Generation& known, GenerationOwner owner, const GetClaim& step,
                      Attempt attempt);
  Task<End> carry_out(Generation& known, GenerationOwner owner, const CreateClaim& step,
                      Attempt attempt);

 private:
  void note_created(const CreateClaim& step, const Result<ClaimPtr>& created,
                    const GenerationOwner& owner);

  Stores stores_;
  ClaimApi& api_;
  CreateMetrics& metrics_;
  runtime::Logger log_;
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
