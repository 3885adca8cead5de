#include "test/simulation/safety.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "test/simulation/decode.hpp"
#include "test/simulation/request_faults.hpp"

namespace dcm::simulation {

using apiserver::Change;
using runtime::MonoTime;

namespace {

// According to the managers' settings here: others wait this long after each renewal, and the
// holder stops earlier.
constexpr runtime::Duration kLeaseDuration = std::chrono::seconds(15);

// Looks only where the object is identified: reservations contain the UIDs of pods.
bool names_its_object(std::string_view body) {
  using apiserver::has;
  std::string problem;
  const auto json = apiserver::parse(body, problem);
  if (!json || !json->is_object()) return false;
  const apiserver::JsonObject& written = json->get_object();
  return has(written, {"metadata", "uid"}) || has(written, {"metadata", "resourceVersion"}) ||
         has(written, {"preconditions", "uid"}) ||
         has(written, {"deleteOptions", "preconditions", "uid"});
}

std::string holder_of(const apiserver::JsonObject& lease) {
  return std::string(apiserver::text_at(lease, {"spec", "holderIdentity"}));
}

}  // namespace

void Safety::begin(const apiserver::LoggedRequest& request, runtime::MonoTime came_in) {
  writer_ = request.is_write() ? &request : nullptr;
  came_in_ = came_in;
  if (!is_manager(request.user_agent)) return;
  const bool is_relist =
      request.ns.empty() && request.name.empty() &&
      (request.verb == "list" || request.query.contains("sendInitialEvents=true"));
  if (is_relist) ++relists_;
}

// The named object may have been recreated: then the answer is a 422 about the UID.
void Safety::end(const apiserver::LoggedRequest& request, const apiserver::Response& response) {
  writer_ = &request;
  if (is_manager(request.user_agent) && request.is_write() && response.status == 422 &&
      !response.body.contains("metadata.uid") && !response.body.contains(kDeniedByAdmission)) {
    report("no write is refused as invalid", response.body);
  }
  writer_ = nullptr;
}

void Safety::start_over(const apiserver::Store::Snapshot& state) {
  started_over_ = time_.now();
  cluster_ = {};
  lives_.clear();
  group_lives_.clear();
  bound_members_.clear();
  for (const auto& [resource, objects] : state.objects) {
    for (const auto& [key, object] : objects) {
      observe(resource, {state.revision, key, nullptr, object});
    }
  }
}

void Safety::report(std::string invariant, std::string details) {
  if (has_started_over_lately()) return;
  const std::string who = writer_ == nullptr ? std::string() : writer_->user_agent + ": ";
  breaches_.push_back({std::move(invariant), who + std::move(details)});
}

void Safety::observe(std::string_view resource, const Change& change) {
  if (writer_ != nullptr && is_manager(writer_->user_agent)) {
    check_identity(resource);
    check_manager(resource, change);
  }
  cluster_.observe(resource, change);
  remember(resource, change);
  remember_former(resource, change);
}

void Safety::observe_arrival(std::string_view manager, std::string_view what,
                             std::string_view holder) {
  const bool may_not_know =
      lease_changed_by_hand_ && time_.now() - *lease_changed_by_hand_ < kLeaseDuration;
  if (holder == manager || may_not_know) return;
  report("no write leaves after the lease is lost",
         fmt::format("{} sent {} while the lease is held by '{}'", manager, what, holder));
}

void Safety::check_manager(std::string_view resource, const Change& change) {
  if (resource == "leases") return check_lease(change);
  if (resource == "events") {
    if (auto breach = reports_.observe(writer_->user_agent, change)) {
      report(breach->invariant, breach->details);
    }
    return;
  }
  if (resource == "resourceclaims") {
    if (writer_->verb == "delete") return check_claim_deletion(decode_claim(*change.before));
    if (change.after == nullptr) return check_last_claim_update(decode_claim(*change.before));
    const Claim after = decode_claim(*change.after);
    if (change.before == nullptr) return check_new_claim(after);
    check_claim_update(decode_claim(*change.before), after);
  } else if (resource == "pods") {
    if (writer_->verb == "delete" || writer_->subresource == "eviction") {
      return check_deletion(change);
    }
    if (change.before == nullptr || change.after == nullptr) return;
    check_names(decode_pod(*change.before), decode_pod(*change.after));
  } else if (resource == "podgroups" && change.before != nullptr && change.after != nullptr) {
    check_names_of_group(decode_group(*change.before), decode_group(*change.after));
  }
}

// Patches carry the UID or the version they rely on, deletions the UID.
void Safety::check_identity(std::string_view resource) {
  const bool concerns = resource == "pods" || resource == "podgroups" ||
                        resource == "resourceclaims" || resource == "devicetaintrules";
  if (!concerns || writer_->verb == "create") return;
  if (names_its_object(writer_->body)) return;
  report("every write names the object it is about",
         fmt::format("{} {}/{} with {}", writer_->verb, writer_->resource, writer_->name,
                     writer_->body));
}

void Safety::check_new_claim(const Claim& claim) {
  check_owner_of_new_claim(claim);
  const auto is_other = [&](const auto& entry) {
    const Claim& other = entry.second;
    return other.owner == claim.owner && other.pod_claim == claim.pod_claim &&
           other.uid != claim.uid && !other.is_being_deleted;
  };
  const auto other = std::ranges::find_if(cluster_.claims, is_other);
  if (other != cluster_.claims.end()) {
    report("one claim per pod claim",
           fmt::format("{} besides {} of {}", claim.key(), other->first, claim.pod_claim));
  }
}

void Safety::check_owner_of_new_claim(const Claim& claim) {
  if (!claim.owner_if_group.empty()) return check_new_claim_of_group(claim);
  const auto life = lives_.find(claim.owner);
  if (life == lives_.end() || !life->second.key.starts_with(claim.ns + "/")) {
    return report("a claim is made for a pod of its namespace", claim.key());
  }
  if (!is_recent(life->second.done_since) && life->second.done_since < time_.now()) {
    report("a finished pod never gets a claim", claim.key());
  }
  check_new_claim_of_member(claim);
}

// A finished pod stays finished, and a deleted one does not return.
void Safety::check_claim_deletion(const Claim& claim) {
  if (!claim.owner_if_group.empty()) {
    report("claims of groups are left to the garbage collector", claim.key());
  }
  const Pod* pod = cluster_.find_pod(claim.owner);
  if (claim.owner.empty() || (pod != nullptr && !pod->is_done())) {
    report("only claims that were made for pods that are done are deleted", claim.key());
  }
}

// A reservation relies on the version that it was based on.
void Safety::check_new_reservation(const Claim& before, const Consumer& consumer) {
  if (!before.is_allocated) report("a claim is reserved only when it is allocated", before.key());
  if (before.is_being_deleted) report("no claim is reserved that is being deleted", before.key());
  if (consumer.is_group()) return check_new_reservation_of_group(before, consumer);
  check_new_reservation_of_pod(before, consumer);
}

void Safety::check_new_reservation_of_pod(const Claim& before, const Consumer& consumer) {
  const Pod* pod = cluster_.find_pod(consumer.uid);
  if (pod != nullptr && pod->node.empty()) {
    report("a claim is reserved only for a pod that has a node",
           fmt::format("{} for {}", before.key(), consumer.name));
  }
  const auto life = lives_.find(consumer.uid);
  const bool is_fit = life != lives_.end() && life->second.key == before.ns + "/" + consumer.name;
  if (!is_fit) return report("a claim is reserved for a pod that there was", before.key());
  if (life->second.done_since != MonoTime::max() && !is_recent(life->second.done_since)) {
    report("no claim is reserved for a finished pod", before.key());
  }
  if (!life->second.named.contains(before.name)) {
    report("a claim is reserved only for a pod or group that names it",
           fmt::format("{} for {}", before.key(), consumer.name));
  }
  if (pod != nullptr) check_new_reservation_of_member(before, *pod);
}

// A consumer that is neither a pod nor a group stays.
bool Safety::may_be_released(const Consumer& consumer) const {
  if (consumer.is_group()) return cluster_.find_group(consumer.uid) == nullptr;
  const Pod* pod = cluster_.find_pod(consumer.uid);
  return consumer.is_pod() && (pod == nullptr || pod->is_done());
}

void Safety::check_claim_update(const Claim& before, const Claim& after) {
  for (const Consumer& consumer : before.reserved_for) {
    if (after.is_reserved_for(consumer.uid)) continue;
    if (may_be_released(consumer)) continue;
    report(consumer.is_group() ? "no reservation of a group that is there is removed"
                               : "no reservation of a live pod is removed",
           fmt::format("{} for {}", after.key(), consumer.name));
  }
  for (const Consumer& consumer : after.reserved_for) {
    if (!before.is_reserved_for(consumer.uid)) check_new_reservation(before, consumer);
  }
  const bool deallocates = before.is_allocated && !after.is_allocated;
  if (deallocates) deallocated_.insert(after.uid);
  if (deallocates && !after.reserved_for.empty()) {
    report("no claim is deallocated while it is reserved", after.key());
  }
  const bool releases_last = !before.reserved_for.empty() && after.reserved_for.empty();
  if (releases_last && after.is_protected && after.is_allocated) {
    report("who drops the last reservation deallocates in the same write", after.key());
  }
  if (before.is_protected && !after.is_protected && after.is_allocated) {
    report("the finalizer stays while the claim is allocated", after.key());
  }
  // The scheduler sets the finalizer before it allocates.
  if (before.is_protected && !after.is_protected && !after.is_being_deleted &&
      !deallocated_.contains(after.uid)) {
    report("a finalizer goes only with what it was for", after.key());
  }
}

// The update by which a claim in deletion disappeared.
void Safety::check_last_claim_update(const Claim& before) {
  if (before.is_allocated) report("the finalizer stays while the claim is allocated", before.key());
}

void Safety::check_lease(const Change& change) {
  const std::string before = change.before == nullptr ? "" : holder_of(*change.before);
  const std::string after = change.after == nullptr ? "" : holder_of(*change.after);
  if (before.empty() || after == before || before == writer_->user_agent) return;
  if (time_.now() - lease_changed_ >= kLeaseDuration) return;
  report("the lease of another is left alone until it has run out",
         fmt::format("that of {}", before));
}

void Safety::check_names(const Pod& before, const Pod& after) {
  for (const auto& [pod_claim, name] : after.made) {
    const auto old = before.made.find(pod_claim);
    if (old != before.made.end() && old->second == name) continue;
    if (may_name(after, pod_claim, name)) continue;
    report("a pod's status names claims of its own", fmt::format("{} {}", after.key(), name));
  }
}

void Safety::remember(std::string_view resource, const Change& change) {
  if (resource == "leases" && change.after != nullptr) lease_changed_ = time_.now();
  if (resource == "resourceclaims" && change.after != nullptr) {
    const Claim& claim = cluster_.claims.at(change.key);
    owners_[change.key] = {claim.owner, claim.owner_if_group};
    if (claim.is_allocated) deallocated_.erase(claim.uid);
  }
  if (resource == "podgroups") remember_group(change);
  if (resource == "pods") {
    const bool is_gone = change.after == nullptr;
    const Pod pod = is_gone ? decode_pod(*change.before) : cluster_.pods.at(change.key);
    Life& life = lives_[pod.uid];
    life.key = pod.key();
    for (const PodClaim& pod_claim : pod.claims) life.named.insert(pod.claim_of(pod_claim));
    if (life.is_marked && !pod.is_marked) life.unmarked_since = time_.now();
    life.is_marked = pod.is_marked;
    if ((is_gone || pod.is_done()) && life.done_since == MonoTime::max()) {
      life.done_since = time_.now();
    }
    remember_member(pod);
  }
  remember_due(resource, change);
}

}  // namespace dcm::simulation
