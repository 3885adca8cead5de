// Many running pods of one tenant, and a few of another, on one device that breaks.
#pragma once

#include <cstddef>
#include <string>

#include "test/simulation/actor.hpp"

namespace dcm::simulation {

class MassEviction {
 public:
  static constexpr std::size_t kSmallTenantPods = 2;

  explicit MassEviction(ActorContext context) : context_(context) {}

  // Their namespaces, which are never deleted.
  static constexpr const char* kLargeTenant = "default";
  static constexpr const char* kSmallTenant = "lab";

  // Starts the pods, for which a manager must reserve the claim of each namespace.
  void start_pods();
  // An admin taints the device.
  void taint();
  // How many pods of the small tenant still run.
  std::size_t small_tenant_left() const;
  // Deletes all of it.
  void remove_pods();

 private:
  void start_pods(const std::string& ns, std::size_t pods);

  ActorContext context_;
};

}  // namespace dcm::simulation
