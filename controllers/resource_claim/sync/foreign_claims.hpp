// Notices that somebody else makes claims for pods (or pod groups) while we do.
//
// Field managers do not tell: another installation of this manager writes under the same names, and
// the caches leave them out. So this process keeps in mind which claims it made itself; a generated
// claim that appears and is none of them was made by a second manager, which must not be.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "controllers/common/pod_claims.hpp"
#include "controllers/resource_claim/api/api.hpp"
#include "controllers/resource_claim/sync/predecessor.hpp"
#include "controllers/resource_claim/sync/uid_memory.hpp"
#include "informers/observer.hpp"
#include "informers/store.hpp"
#include "runtime/log.hpp"
#include "runtime/metrics.hpp"
#include "runtime/time.hpp"

namespace dcm::resource_claim {

// Told of our creates by AttributingApi, and of all claims by their store. Not foreign are: what
// was there before we led or what a relist finds; what a create of ours may have made whose answer
// is still out or was lost; and, where another instance led before, what appears within a minute of
// our beginning: its last creates may have been under way. Loop thread only.
class ForeignClaims final : public informers::Observer<api::ResourceClaim> {
 public:
  struct Dependencies {
    informers::StoreReader<api::ResourceClaim> claims;
    runtime::TimeSource& time;
    runtime::MetricsRegistry& metrics;
    runtime::Logger log;
    // Whether claims are made for groups as well.
    common::GroupClaims groups = common::GroupClaims::refused;
  };
  // What the dependencies refer to must outlive it.
  ForeignClaims(Dependencies dependencies, Predecessor::Exists predecessor);
  ForeignClaims(const ForeignClaims&) = delete;
  ForeignClaims& operator=(const ForeignClaims&) = delete;

  // From now on we are the one who makes claims.
  void activate();

  void begin_create(const CreateClaim& claim);
  void end_create(const CreateClaim& claim, const Result<ClaimPtr>& created);
  // The answer to a list of ours.
  void note_listed(const std::vector<ClaimPtr>& claims);

  void observe_added(const ClaimPtr& claim, informers::Origin origin) override;
  // Who owns a claim is decided when it appears.
  void observe_updated(const ClaimPtr& /*before*/, const ClaimPtr& /*after*/,
                       informers::Origin /*origin*/) override {}
  void observe_deleted(const ClaimPtr& /*last_known*/, informers::Origin /*origin*/) override {}
  void observe_left(const ClaimPtr& /*last_known*/, informers::Origin /*origin*/) override {}

 private:
  // What a claim is made for.
  struct Slot {
    api::Uid owner;
    std::string pod_claim;
    friend auto operator<=>(const Slot&, const Slot&) = default;
  };
  struct Create {
    enum class Answer : std::uint8_t { awaited, lost } answer = Answer::awaited;
    ClaimPtr seen;  // came while the answer was awaited: perhaps it is ours
  };

  bool is_generated(const api::ResourceClaim& claim) const;
  bool is_expected(const ClaimPtr& claim);
  void report(const api::ResourceClaim& claim);

  Dependencies deps_;
  runtime::Counter& foreign_;
  Predecessor::Exists predecessor_;
  std::optional<runtime::MonoTime> counts_from_;  // nothing: we do not make claims (yet)
  std::map<Slot, Create> creates_;
  // Of claims that the store has not shown yet.
  UidMemory known_;
  std::optional<runtime::MonoTime> last_line_;
  std::uint64_t since_last_line_ = 0;
};

// Tells ForeignClaims of what it passes on.
class AttributingApi final : public ClaimApi {
 public:
  // Both must outlive it.
  AttributingApi(ClaimApi& api, ForeignClaims& foreign) : api_(api), foreign_(foreign) {}

  Task<Result<PodPtr>> get_pod(api::NamespacedName pod, Priority priority) override;
  Task<Result<GroupPtr>> get_group(api::NamespacedName group, Priority priority) override;
  Task<Result<ClaimPtr>> get_claim(api::NamespacedName claim, Priority priority) override;
  Task<Result<std::vector<ClaimPtr>>> list_claims(InternedString namespace_,
                                                  Priority priority) override;
  Task<Result<ClaimPtr>> create_claim(InternedString namespace_, CreateClaim claim,
                                      Priority priority) override;
  Task<Result<PodPtr>> write_names(PodPtr pod, std::vector<ClaimName> names,
                                   Priority priority) override;
  Task<Result<GroupPtr>> write_group_names(GroupPtr group, std::vector<ClaimName> names,
                                           Priority priority) override;
  Task<Result<ClaimPtr>> reserve(ClaimPtr claim, api::ConsumerReference consumer,
                                 Priority priority) override;
  Task<Result<ClaimPtr>> release(ClaimPtr claim, Release what, Priority priority) override;
  Task<Result<ClaimPtr>> remove_finalizer(ClaimPtr claim, Priority priority) override;
  Task<Result<>> delete_claim(ClaimPtr claim, Priority priority) override;

 private:
  ClaimApi& api_;
  ForeignClaims& foreign_;
};

}  // namespace dcm::resource_claim
