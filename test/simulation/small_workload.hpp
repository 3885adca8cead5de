// The actions of users, scheduler, drivers and admins in a small world, each in one moment.
#pragma once

#include <string>

#include "test/simulation/actor.hpp"

namespace dcm::simulation {

// All of them are in the namespace "default", and concern the only device of the only pool.
class SmallWorkload {
 public:
  explicit SmallWorkload(ActorContext context) : context_(context) {}

  void publish_device(bool is_tainted = false);
  void make_template();
  void make_shared_claim();
  // Creates a pod with a claim from the template.
  void make_pod(const std::string& name);
  // Creates a pod with the shared claim; optionally bound by its creator.
  void make_sharing_pod(const std::string& name, bool is_bound = false);
  // Creates a pod group with one claim, and a pod in it.
  void make_group();
  void make_pod_of_group(const std::string& name);
  // Allocates the pod's claim, if any, and reserves it for the pod, or for its group.
  void reserve(const std::string& pod);
  void unreserve(const std::string& pod);
  void bind(const std::string& pod);
  void finish(const std::string& pod);
  void delete_pod(const std::string& name);  // by force
  void delete_claim_of(const std::string& pod);
  void edit(const std::string& pod);
  void make_rule(const std::string& effect = "NoExecute");
  void change_rule(const std::string& effect);
  void delete_rule();
  // As when they expire.
  void delete_events();

 private:
  const Pod* pod(const std::string& name) const;
  Consumer consumer_of(const Pod& pod) const;
  const Claim* claim_of(const std::string& pod) const;
  void send_pod(const std::string& name, const std::string& spec);

  ActorContext context_;
};

}  // namespace dcm::simulation
