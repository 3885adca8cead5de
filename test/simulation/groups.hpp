// Users of pod groups (KEP-5729), in the worlds that have them: groups whose pods share claims.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "test/simulation/actor.hpp"

namespace dcm::simulation {

class Groups final : Actor {
 public:
  // `pods`: the total of all groups, at most.
  Groups(ActorContext context, runtime::Rng rng, std::size_t pods);

  // The server serves groups from now on, or later.
  void set_up();
  // Runs until the users stop.
  runtime::Task<> run();
  // Acts again, at any time.
  void act_once();
  // Each group gets one more pod.
  void act_everywhere();
  // Creates each missing group that pods may name.
  void make_missing();

 private:
  // The desired state of a group.
  struct Plan {
    std::string ns, name;
    std::vector<PodClaim> claims;
    std::size_t next_pod = 0;
    std::size_t pods_left = 0;
    bool comes_last = false;  // when nothing else is missing any longer
  };
  enum class Act { make_pod, make_group, edit, remove, remove_with_pods, remove_by_force, replace };
  static constexpr std::size_t kActs = 7;

  void serve();
  void act(Act what, Plan& plan);
  void make_pod(Plan& plan);
  void make_one_more_pod(Plan& plan);
  void make(const Plan& plan);
  void remove(const Group& group);
  void remove_pods(const Group& group);
  std::size_t draw_pods() { return 2 + rng_.below(5); }
  std::vector<PodClaim> some_claims();
  PodClaim some_claim(std::string name, double share_by_name);
  std::vector<PodClaim> claims_of_pod(const Plan& plan);
  const Group* find(const Plan& plan) const;

  std::array<double, kActs> weights_{};
  double served_late_ = 0;      // by at most this many seconds
  double late_share_ = 0;       // of groups: pods come first
  double bound_share_ = 0;      // of pods, created for a node, bypassing the scheduler
  double different_share_ = 0;  // of pod claims: slightly, so that they are not the group's
  std::size_t pods_left_ = 0;
  std::vector<Plan> plans_;
};

// Creates a group in the name of a user.
void make_group(const ActorContext& context, const std::string& ns, const std::string& name,
                const std::vector<PodClaim>& claims);
// Deletes a group whose pods may continue without what they share.
void force_out(const ActorContext& context, const Group& group);

}  // namespace dcm::simulation
