// Devices without drivers: a claim is ready as soon as the API shows that the pod may use it.
#pragma once

#include "playground/cluster/pod_devices.hpp"
#include "playground/objects/caches.hpp"

namespace dcm::playground {

// Created before the caches run.
class PretendedDevices final : public PodDevices {
 public:
  // `caches` must outlive it. Changes of their claims wake waiting pods.
  PretendedDevices(Caches& caches, WakePod wake);

  ClaimsReady look(const Pod& pod) const override;
  Task<std::optional<Outcome>> prepare(api::ObjectPtr<Pod> pod) override;
  Task<std::optional<Outcome>> unprepare(api::ObjectPtr<Pod> pod) override;
  DevicesHealth health_of(const Pod&) const override { return {}; }

 private:
  Caches& caches_;
  informers::Index<Pod, api::NamespacedName> starting_by_claim_;
  OnChange<Claim> on_claim_;
};

}  // namespace dcm::playground
