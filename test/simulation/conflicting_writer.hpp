// Writes by others between a manager's read and its write: the worst time.
//
// Notified of a write just before the server executes it, another writer changes its object, or the
// pod or group that it is for, so that the manager's assumptions no longer hold.
#pragma once

#include <string_view>

#include "test/simulation/actor.hpp"
#include "test/simulation/scheduler.hpp"

namespace dcm::simulation {

class ConflictingWriter final : Actor {
 public:
  // `scheduler` must outlive it.
  ConflictingWriter(ActorContext context, runtime::Rng rng, Scheduler& scheduler)
      : Actor(context, rng), scheduler_(scheduler) {}

  // `path` is that of the write, without a query.
  void write_before(std::string_view path, std::string_view body);

 private:
  void change_claim(const Claim& claim);
  void change_pod(const Pod& pod);
  void replace_pod(const Pod& pod);
  void change_group(const Group& group);
  void change_rule(const Rule& rule);
  void change_owner_of_new_claim(std::string_view body);
  const Consumer* find_waiting_consumer(const Claim& claim) const;

  Scheduler& scheduler_;
};

}  // namespace dcm::simulation
