#include "test/simulation/safety.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "test/simulation/decode.hpp"

namespace dcm::simulation {

using apiserver::Change;
using runtime::MonoTime;

void Safety::begin(const apiserver::LoggedRequest& request, runtime::MonoTime came_in) {
  writer_ = request.is_write() ? &request : nullptr;
  came_in_ = came_in;
  if (!is_manager(request.user_agent) || request.resource != "resourceclaims") return;
  // A process begins with all there is.
  const bool is_first = request.verb == "watch" && processes_.insert(request.user_agent).second;
  if (request.verb == "list" || is_first) looked_ = time_.now();
}

void Safety::report(std::string invariant, std::string details) {
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
}

void Safety::observe_arrival(std::string_view manager, std::string_view what,
                             std::string_view holder) {
  if (holder == manager) return;
  report("no write leaves after the lease is lost",
         fmt::format("{} sent {} while the lease is held by '{}'", manager, what, holder));
}

void Safety::check_manager(std::string_view resource, const Change& change) {
  if (resource == "resourceclaims") {
    if (change.after == nullptr) return;
    const Claim after = decode_claim(*change.after);
    if (change.before == nullptr) return check_new_claim(after);
    check_claim_update(decode_claim(*change.before), after);
  } else if (resource == "pods") {
    if (writer_->verb == "delete" || writer_->subresource == "eviction") {
      return check_deletion(change);
    }
    if (change.before == nullptr || change.after == nullptr) return;
    check_names(decode_pod(*change.before), decode_pod(*change.after));
  }
}

// Patches carry the UID or the version they rely on, deletions the UID.
void Safety::check_identity(std::string_view resource) {
  const bool concerns =
      resource == "pods" || resource == "resourceclaims" || resource == "devicetaintrules";
  if (!concerns || writer_->verb == "create") return;
  const bool relies = writer_->body.find("\"uid\"") != std::string::npos ||
                      writer_->body.find("\"resourceVersion\"") != std::string::npos;
  if (relies) return;
  report("every write names the object it is about",
         fmt::format("{} {}/{} with {}", writer_->verb, writer_->resource, writer_->name,
                     writer_->body));
}

void Safety::check_new_claim(const Claim& claim) {
  const std::string id = claim.owner + "/" + claim.pod_claim;
  if (looked_ >= came_in_) late_creates_.insert(id);
  const auto life = lives_.find(claim.owner);
  if (life == lives_.end() || !life->second.key.starts_with(claim.ns + "/")) {
    return report("a claim is made for a pod of its namespace", claim.key());
  }
  if (!is_recent(life->second.done_since) && life->second.done_since < time_.now()) {
    report("a finished pod never gets a claim", claim.key());
  }
  if (late_creates_.contains(id)) return;
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

void Safety::check_claim_update(const Claim& before, const Claim& after) {
  if (before.uid != after.uid) report("nothing is written for another UID", after.key());
  for (const Consumer& consumer : before.reserved_for) {
    if (after.is_reserved_for(consumer.uid)) continue;
    const Pod* pod = cluster_.find_pod(consumer.uid);
    if (consumer.resource == "pods" && (pod == nullptr || pod->is_done())) continue;
    report("no reservation of a live pod is removed",
           fmt::format("{} for {}", after.key(), consumer.name));
  }
  for (const Consumer& consumer : after.reserved_for) {
    if (before.is_reserved_for(consumer.uid)) continue;
    const auto life = lives_.find(consumer.uid);
    const bool is_fit = life != lives_.end() && life->second.key == after.ns + "/" + consumer.name;
    if (!is_fit) report("a claim is reserved for a pod that there was", after.key());
    if (is_fit && life->second.done_since != MonoTime::max() &&
        !is_recent(life->second.done_since)) {
      report("no claim is reserved for a finished pod", after.key());
    }
  }
  const bool deallocates = before.is_allocated && !after.is_allocated;
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
}

void Safety::check_deletion(const Change& change) {
  evicted_last_ = time_.now();
  const Pod pod = decode_pod(*change.before);
  const bool is_due = [&] {
    const auto due = cluster_.due(pod);
    return due && *due <= time_.wall_now();
  }();
  const auto life = lives_.find(pod.uid);
  const bool was_due = life != lives_.end() && life->second.due_last != MonoTime::min() &&
                       is_recent(life->second.due_last);
  if (!is_due && !was_due) report("a pod is deleted only while it is due", pod.key());
}

void Safety::check_names(const Pod& before, const Pod& after) {
  for (const auto& [pod_claim, name] : after.made) {
    const auto old = before.made.find(pod_claim);
    if (old != before.made.end() && old->second == name) continue;
    const auto owner = owners_.find(after.ns + "/" + name);
    if (owner == owners_.end() || owner->second != after.uid) {
      report("a pod's status names claims of its own", fmt::format("{} {}", after.key(), name));
    }
  }
}

void Safety::remember(std::string_view resource, const Change& change) {
  if (resource == "resourceclaims" && change.after != nullptr) {
    owners_[change.key] = cluster_.claims.at(change.key).owner;
  }
  if (resource == "pods") {
    const bool is_gone = change.after == nullptr;
    const Pod pod = decode_pod(is_gone ? *change.before : *change.after);
    Life& life = lives_[pod.uid];
    life.key = pod.key();
    if ((is_gone || pod.is_done()) && life.done_since == MonoTime::max()) {
      life.done_since = time_.now();
    }
  }
  remember_due(resource, change);
}

// What a change can have to do with when a pod must be evicted, only that is looked at.
void Safety::remember_due(std::string_view resource, const Change& change) {
  if (resource == "pods" && change.after != nullptr) {
    remember_due(cluster_.pods.at(change.key));
  } else if (resource == "resourceclaims") {
    for (const auto& object : {change.before, change.after}) {
      if (object == nullptr) continue;
      for (const Consumer& consumer : decode_claim(*object).reserved_for) {
        const Pod* pod = cluster_.find_pod(consumer.uid);
        if (pod != nullptr) remember_due(*pod);
      }
    }
  } else if (resource == "resourceslices" || resource == "devicetaintrules") {
    for (const auto& [key, pod] : cluster_.pods) remember_due(pod);
  }
}

void Safety::remember_due(const Pod& pod) {
  Life& life = lives_[pod.uid];
  // Until this change it was as the last one left it; who has not heard of this change yet waits
  // for that time.
  if (life.due && *life.due <= time_.wall_now() + kStale) life.due_last = time_.now();
  life.due = cluster_.due(pod);
}

}  // namespace dcm::simulation
