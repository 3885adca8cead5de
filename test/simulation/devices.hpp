// Drivers, which publish, taint and heal devices, and admins with DeviceTaintRules.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>

#include "test/simulation/actor.hpp"

namespace dcm::simulation {

// "pool-0" and so on, each of `kPools` with devices "dev-0" and so on.
inline constexpr std::size_t kPools = 3;

class Devices final : Actor {
 public:
  Devices(ActorContext context, runtime::Rng rng, std::size_t devices_per_pool);

  void set_up();
  // Runs until the users stop.
  runtime::Task<> run();
  // Acts again, at any time.
  void act_once();
  // Changes every rule, and taints something in every pool.
  void act_everywhere();

 private:
  enum class Act {
    taint_device,
    heal_device,
    renew_pool,
    retire_slices,
    add_rule,
    change_rule,
    delete_rule
  };
  static constexpr std::size_t kActs = 7;

  void act(Act what);
  void publish(std::size_t pool);
  void retire_slices();
  void renew_pool(std::size_t number);
  void taint_device(std::size_t number);
  void heal_device(std::size_t number);
  std::string some_device(std::size_t number);
  void add_rule();
  void change_rule(const Rule& rule);

  // The desired state of a pool.
  struct Pool {
    std::int64_t generation = 1;
    std::map<std::string, std::string> taints;  // by device: its taints
    std::set<std::string> old_slices;           // of earlier generations, still existing
  };

  std::array<double, kActs> weights_{};
  double pause_ = 0;
  std::size_t devices_per_pool_;
  std::size_t next_rule_ = 0;
  std::array<Pool, kPools> pools_;
};

}  // namespace dcm::simulation
