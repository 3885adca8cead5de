// The scheduler: allocates and reserves claims, then binds the pod, in several writes.
//
// Like the plugin `dynamicresources`: the finalizer first, then the status, each with the version
// that it was based on; reservations for pods that cannot be placed are removed. It also creates
// the claims of pods that request extended resources.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "runtime/task_group.hpp"
#include "test/simulation/actor.hpp"

namespace dcm::simulation {

class Scheduler final : Actor {
 public:
  Scheduler(ActorContext context, runtime::Rng rng, std::size_t devices_per_pool);

  // Runs until the users stop.
  runtime::Task<> run();
  // Starts to place every pod that waits for a node, even out of turn.
  void place_all();
  runtime::Task<> stop();
  // Removes reservations for a pod without a node, or a group none of whose pods has one, as after
  // a failed attempt.
  void unreserve(const Claim& claim, const std::string& consumer_uid);
  // Whether a group has pods that have a node.
  bool has_bound_pods(const std::string& ns, const std::string& group) const;

 private:
  // The attempts at one pod.
  struct Attempts {
    runtime::MonoTime next{};
    runtime::Duration patience = std::chrono::seconds(1);
  };

  void place_waiting(const std::function<bool(const Pod&)>& may_be_tried);
  bool has_turn(const std::string& uid);
  runtime::Task<> place(std::string uid);
  runtime::Task<bool> reserve_all(std::string uid);
  runtime::Task<bool> reserve(std::string claim_key, std::string uid, Consumer consumer);
  Consumer consumer_of(const Pod& pod, const PodClaim& pod_claim) const;
  runtime::Task<std::string> make_extended_claim(std::string uid);
  void give_up(const std::string& uid);
  std::string free_device();
  std::string tolerations();

  double crash_share_ = 0;
  runtime::Duration patience_max_{};
  std::size_t devices_per_pool_;
  std::set<std::string> being_placed_;        // pods, by UID
  std::map<std::string, Attempts> attempts_;  // the same
  runtime::TaskGroup placing_;
};

}  // namespace dcm::simulation
