// The invariants of every write of a manager, checked as the server commits it.
//
// A manager acts on what its watches have delivered, so it may act on slightly outdated facts.
// Facts that can become untrue (a pod that is due, a pod that runs) are checked against the last
// `kStale` seconds; others (a pod that is gone) against the present.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "apiserver/front/request_log.hpp"
#include "apiserver/requests/request.hpp"
#include "test/simulation/breach.hpp"
#include "test/simulation/cluster.hpp"
#include "test/simulation/reports.hpp"

namespace dcm::simulation {

// How old the facts behind a manager's action may be: the longest fault, plus its retries.
inline constexpr runtime::Duration kStale = std::chrono::seconds(150);

class Safety {
 public:
  // `time` must outlive it.
  explicit Safety(const runtime::TimeSource& time) : time_(time), reports_(time) {}

  // The request whose changes follow, until it ends; it reached the server at `came_in`.
  void begin(const apiserver::LoggedRequest& request, runtime::MonoTime came_in);
  void end(const apiserver::LoggedRequest& request, const apiserver::Response& response);
  void observe(std::string_view resource, const apiserver::Change& change);
  // A write of a manager has arrived; `holder`: who has the lease now ("": nobody).
  void observe_arrival(std::string_view manager, std::string_view what, std::string_view holder);

  // The server has gone back to an earlier state: the checks start again from it. Single writes are
  // not judged until all managers must have noticed.
  void start_over(const apiserver::Store::Snapshot& state);
  // The lease was edited by hand: its holder continues until it notices, as the lease does not
  // fence others then.
  void allow_two_leaders() { lease_changed_by_hand_ = time_.now(); }
  // From now on managers may believe that it is later than it is, by up to this much.
  void allow_wrong_clocks(runtime::Duration by) { clocks_ahead_ = std::max(clocks_ahead_, by); }

  const Cluster& cluster() const { return cluster_; }
  const Reports& reports() const { return reports_; }
  // How often a manager has listed a whole resource again.
  std::size_t relists() const { return relists_; }
  const std::vector<Breach>& breaches() const { return breaches_; }
  // Whether a manager deleted a pod within that time.
  bool has_evicted_lately(runtime::Duration within) const {
    return evicted_last_ && time_.now() - *evicted_last_ <= within;
  }

 private:
  // The memory of a pod, kept after its end.
  struct Life {
    std::string key;
    std::set<std::string> named;  // all claims that it has ever named
    runtime::MonoTime done_since = runtime::MonoTime::max();
    bool is_marked = false;
    runtime::MonoTime unmarked_since = runtime::MonoTime::min();
    std::optional<runtime::WallTime> due;                   // as the last change left it
    runtime::MonoTime due_last = runtime::MonoTime::min();  // the last change before which
                                                            // its due time had passed
  };

  // The memory of a group, kept after its end.
  struct GroupLife {
    std::string key;
    std::vector<PodClaim> claims;  // which never change
    std::set<std::string> named;   // all claims that it has ever named
    runtime::MonoTime began{};
    runtime::MonoTime deleted_since = runtime::MonoTime::max();
    runtime::MonoTime gone_since = runtime::MonoTime::max();
  };
  // For a claim: the UID of its controller, and its name if it is a group.
  struct Owner {
    std::string uid, group;
  };

  bool has_started_over_lately() const { return started_over_ && is_recent(*started_over_); }
  void report(std::string invariant, std::string details);
  void check_manager(std::string_view resource, const apiserver::Change& change);
  void check_lease(const apiserver::Change& change);
  void check_new_claim(const Claim& claim);
  void check_owner_of_new_claim(const Claim& claim);
  void check_claim_deletion(const Claim& claim);
  void check_new_reservation(const Claim& before, const Consumer& consumer);
  void check_new_reservation_of_pod(const Claim& before, const Consumer& consumer);
  void check_new_reservation_of_group(const Claim& before, const Consumer& consumer);
  void check_new_reservation_of_member(const Claim& before, const Pod& pod);
  bool may_be_released(const Consumer& consumer) const;
  bool may_name(const Pod& pod, const std::string& pod_claim, const std::string& claim) const;
  void check_new_claim_of_group(const Claim& claim);
  void check_new_claim_of_member(const Claim& claim);
  void check_names_of_group(const Group& before, const Group& after);
  void check_claim_update(const Claim& before, const Claim& after);
  void check_last_claim_update(const Claim& before);
  void check_deletion(const apiserver::Change& change);
  bool is_due(const Pod& pod, const Cluster& seen) const;
  bool may_seem_due(const Pod& pod) const;
  bool seems_due(const Pod& pod, Cluster seen) const;
  void check_names(const Pod& before, const Pod& after);
  void check_identity(std::string_view resource);
  void remember(std::string_view resource, const apiserver::Change& change);
  void remember_group(const apiserver::Change& change);
  void remember_member(const Pod& pod);
  void remember_former(std::string_view resource, const apiserver::Change& change);
  void remember_due(std::string_view resource, const apiserver::Change& change);
  void remember_due_of_users(const Claim& claim);
  void remember_due(const Pod& pod);
  bool is_recent(runtime::MonoTime when) const {
    const runtime::MonoTime sent = writer_ == nullptr ? time_.now() : came_in_;
    return sent - when <= kStale;
  }

  const runtime::TimeSource& time_;
  Cluster cluster_;
  Reports reports_;
  const apiserver::LoggedRequest* writer_ = nullptr;
  runtime::MonoTime came_in_{};
  std::map<std::string, Life> lives_;                       // by UID
  std::map<std::string, GroupLife> group_lives_;            // the same
  std::map<std::string, runtime::MonoTime> bound_members_;  // groups, by key: when one of their
                                                            // pods with a node last existed
  std::map<std::string, Owner> owners_;                     // of claims ever created, by key
  std::set<std::string> deallocated_;                       // claims (UIDs) last freed by a manager
  std::vector<std::pair<runtime::MonoTime, Rule>> former_rules_;  // until when each was so
  std::vector<std::pair<runtime::MonoTime, Slice>> former_slices_;
  std::vector<std::pair<runtime::MonoTime, Claim>> former_claims_;
  std::vector<Breach> breaches_;
  runtime::Duration clocks_ahead_{};
  std::optional<runtime::MonoTime> evicted_last_;
  std::size_t relists_ = 0;
  std::optional<runtime::MonoTime> started_over_;
  runtime::MonoTime lease_changed_{};
  std::optional<runtime::MonoTime> lease_changed_by_hand_;
};

// Whether a user agent is a manager's.
inline bool is_manager(std::string_view user_agent) {
  return user_agent.starts_with("manager");
}

}  // namespace dcm::simulation
