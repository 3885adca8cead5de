#include "controllers/resource_claim/sync/foreign_claims.hpp"

#include <chrono>

#include "controllers/common/pod_claims.hpp"

namespace dcm::resource_claim {
namespace {

using namespace std::chrono_literals;

// Longer than a request of an earlier leader, and the watch's delay, can be.
constexpr runtime::Duration kGrace = 1min;
constexpr runtime::Duration kLineInterval = 5min;
// Creates whose answer was lost are few; should they not be, no more of them are remembered.
constexpr std::size_t kCreatesMax = 10'000;

}  // namespace

ForeignClaims::ForeignClaims(Dependencies dependencies, Predecessor::Exists predecessor)
    : deps_(std::move(dependencies)),
      foreign_(deps_.metrics.counter(
          "dra_controller_manager_foreign_claims_total",
          "Generated claims that appeared while this process made claims and are none of its own: "
          "somebody else does the same work.")),
      predecessor_(predecessor) {}

bool ForeignClaims::is_generated(const api::ResourceClaim& claim) const {
  const bool is_for_group =
      deps_.groups == common::GroupClaims::shared && common::has_group_as_controller(claim);
  return !claim.pod_claim_name.empty() && !claim.is_extended_resource_claim &&
         (is_for_group || common::has_pod_as_controller(claim));
}

void ForeignClaims::activate() {
  const bool has_predecessor = predecessor_ == Predecessor::Exists::maybe;
  counts_from_ = deps_.time.now() + (has_predecessor ? kGrace : runtime::Duration::zero());
}

void ForeignClaims::begin_create(const CreateClaim& claim) {
  creates_.insert_or_assign(Slot{claim.owner.uid, claim.pod_claim}, Create{});
}

void ForeignClaims::end_create(const CreateClaim& claim, const Result<ClaimPtr>& created) {
  const auto found = creates_.find(Slot{claim.owner.uid, claim.pod_claim});
  if (found == creates_.end()) return;
  const ClaimPtr seen = found->second.seen;
  const bool is_lost = !created && runtime::is_outcome_unknown(created.error());
  if (is_lost && seen == nullptr && creates_.size() <= kCreatesMax) {
    found->second.answer = Create::Answer::lost;
    return;
  }
  creates_.erase(found);
  if (is_lost) return;
  if (created) known_.add((*created)->meta.uid);
  if (seen != nullptr && (!created || (*created)->meta.uid != seen->meta.uid)) report(*seen);
}

void ForeignClaims::note_listed(const std::vector<ClaimPtr>& claims) {
  for (const ClaimPtr& claim : claims) {
    const ClaimPtr shown = deps_.claims.get(claim->meta.key);
    const bool is_shown = shown != nullptr && shown->meta.uid == claim->meta.uid;
    if (is_generated(*claim) && !is_shown) known_.add(claim->meta.uid);
  }
}

void ForeignClaims::observe_added(const ClaimPtr& claim, informers::Origin origin) {
  if (!counts_from_ || origin == informers::Origin::initial || !is_generated(*claim)) return;
  if (is_expected(claim) || deps_.time.now() < *counts_from_) return;
  report(*claim);
}

bool ForeignClaims::is_expected(const ClaimPtr& claim) {
  if (known_.contains(claim->meta.uid)) return true;
  const auto create = creates_.find(Slot{claim->controller->uid, claim->pod_claim_name});
  if (create == creates_.end() || create->second.seen != nullptr) return false;
  if (create->second.answer == Create::Answer::lost) {
    creates_.erase(create);
  } else {
    create->second.seen = claim;
  }
  return true;
}

void ForeignClaims::report(const api::ResourceClaim& claim) {
  foreign_.Increment();
  ++since_last_line_;
  const runtime::MonoTime now = deps_.time.now();
  if (last_line_ && now - *last_line_ < kLineInterval) return;
  deps_.log.warning(
      "Somebody else makes claims for pods as well: is another manager at work, or "
      "kube-controller-manager's resourceclaim-controller?",
      {{"claim", claim.meta.key.str()}, {"claims", since_last_line_}});
  last_line_ = now;
  since_last_line_ = 0;
}

// ---- AttributingApi -----------------------------------------------------------------------------

Task<Result<std::vector<ClaimPtr>>> AttributingApi::list_claims(InternedString namespace_,
                                                                Priority priority) {
  Result<std::vector<ClaimPtr>> listed = co_await api_.list_claims(std::move(namespace_), priority);
  if (listed) foreign_.note_listed(*listed);
  co_return listed;
}

Task<Result<ClaimPtr>> AttributingApi::create_claim(InternedString namespace_, CreateClaim claim,
                                                    Priority priority) {
  foreign_.begin_create(claim);
  Result<ClaimPtr> created = co_await api_.create_claim(std::move(namespace_), claim, priority);
  foreign_.end_create(claim, created);
  co_return created;
}

Task<Result<PodPtr>> AttributingApi::get_pod(api::NamespacedName pod, Priority priority) {
  return api_.get_pod(std::move(pod), priority);
}

Task<Result<GroupPtr>> AttributingApi::get_group(api::NamespacedName group, Priority priority) {
  return api_.get_group(std::move(group), priority);
}

Task<Result<ClaimPtr>> AttributingApi::get_claim(api::NamespacedName claim, Priority priority) {
  return api_.get_claim(std::move(claim), priority);
}

Task<Result<PodPtr>> AttributingApi::write_names(PodPtr pod, std::vector<ClaimName> names,
                                                 Priority priority) {
  return api_.write_names(std::move(pod), std::move(names), priority);
}

Task<Result<GroupPtr>> AttributingApi::write_group_names(GroupPtr group,
                                                         std::vector<ClaimName> names,
                                                         Priority priority) {
  return api_.write_group_names(std::move(group), std::move(names), priority);
}

Task<Result<ClaimPtr>> AttributingApi::reserve(ClaimPtr claim, api::ConsumerReference consumer,
                                               Priority priority) {
  return api_.reserve(std::move(claim), std::move(consumer), priority);
}

Task<Result<ClaimPtr>> AttributingApi::release(ClaimPtr claim, Release what, Priority priority) {
  return api_.release(std::move(claim), std::move(what), priority);
}

Task<Result<ClaimPtr>> AttributingApi::remove_finalizer(ClaimPtr claim, Priority priority) {
  return api_.remove_finalizer(std::move(claim), priority);
}

Task<Result<>> AttributingApi::delete_claim(ClaimPtr claim, Priority priority) {
  return api_.delete_claim(std::move(claim), priority);
}

}  // namespace dcm::resource_claim
