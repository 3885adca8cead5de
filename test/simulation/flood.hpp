// Many failing pods of one tenant, beside two pods of another.
#pragma once

#include <string>

#include "test/simulation/actor.hpp"
#include "test/simulation/reports.hpp"

namespace dcm::simulation {

class Flood {
 public:
  explicit Flood(ActorContext context) : context_(context) {}

  // Their namespaces, which are never deleted.
  static constexpr const char* kLoudTenant = "default";
  static constexpr const char* kCalmTenant = "lab";

  // Half of the pods lack their template; requests for the others' claims can be made to fail.
  void start();
  // Creates a pod that needs a claim, and one that lacks its template.
  void make_calm_pods();
  // Whether the first has its claim, and an event says what the other one lacks.
  bool are_calm_pods_served(const Reports& reports) const;
  // Deletes all of it.
  void stop();

 private:
  void make_pod(const std::string& ns, const std::string& name, const std::string& template_name);

  ActorContext context_;
};

}  // namespace dcm::simulation
