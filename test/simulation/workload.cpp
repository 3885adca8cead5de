#include "test/simulation/workload.hpp"

namespace dcm::simulation {
namespace {

// About one claim per pod fits; in a small world devices may run out.
std::size_t devices_for(std::size_t pods) {
  return 12 + pods / kPools;
}

}  // namespace

std::size_t draw_pods(runtime::Rng rng) {
  switch (rng.below(80)) {
    case 0:
      return 1;
    case 1:
      return 100 + rng.below(300);
    default:
      return 20 + rng.below(41);
  }
}

Workload::Workload(ActorContext context, runtime::Rng rng, std::size_t pods,
                   std::optional<runtime::Rng> groups)
    : rng_(rng.fork()),
      users_(context, rng.fork(), groups ? pods - pods / 3 : pods),
      devices_(context, rng.fork(), devices_for(pods)),
      scheduler_(context, rng.fork(), devices_for(pods)),
      nodes_(context, rng.fork(),
             groups ? common::GroupClaims::shared : common::GroupClaims::refused),
      collectors_(context, rng.fork()),
      mass_eviction_(context),
      copies_(context),
      flood_(context),
      giants_(context),
      groups_rng_(groups),
      tasks_(context.loop.executor()) {
  if (groups_rng_) groups_.emplace(context, groups_rng_->fork(), pods / 3);
}

void Workload::set_up() {
  users_.set_up();
  devices_.set_up();
  if (groups_) groups_->set_up();
}

void Workload::start() {
  tasks_.spawn("users", users_.run());
  tasks_.spawn("sets", users_.keep_sets());
  tasks_.spawn("devices", devices_.run());
  tasks_.spawn("scheduler", scheduler_.run());
  tasks_.spawn("nodes", nodes_.run());
  tasks_.spawn("collectors", collectors_.run());
  if (groups_) tasks_.spawn("groups", groups_->run());
}

void Workload::bring_what_is_late() {
  users_.make_missing_templates();
  if (groups_) groups_->make_missing();
}

void Workload::act_once() {
  if (groups_ && groups_rng_->below(3) == 0) return groups_->act_once();
  switch (rng_.below(5)) {
    case 0:
      return scheduler_.place_all();
    case 1:
    case 2:
      return devices_.act_once();
    default:
      return users_.act_once();
  }
}

void Workload::act_everywhere() {
  users_.delete_made_claims();
  devices_.act_everywhere();
  if (groups_) groups_->act_everywhere();
}

runtime::Task<> Workload::stop() {
  tasks_.cancel();
  co_await tasks_.join();
  co_await nodes_.stop();
  co_await scheduler_.stop();
}

}  // namespace dcm::simulation
