// The driver: prepares claims, and watches its GPUs.
#pragma once

#include <set>
#include <string>

#include "dcm/node/driver_kit/program.hpp"

namespace gpu {

class Gpus final : public dcm::driver_kit::Driver {
 public:
  // A GPU is broken while `broken_folder` has a file with its name. `process` must outlive it.
  Gpus(dcm::driver_kit::DriverProcess& process, int gpus, std::string broken_folder)
      : process_(process), gpus_(gpus), broken_folder_(std::move(broken_folder)) {}

  dcm::runtime::Task<Prepared> prepare(dcm::driver_kit::AllocatedClaim claim) override;
  dcm::runtime::Task<Unprepared> unprepare(dcm::node::ClaimRef claim) override;
  dcm::runtime::Task<> run() override;

 private:
  std::set<std::string> find_broken() const;
  void publish();
  void report_health();
  dcm::runtime::Task<> tell_status(dcm::driver_kit::AllocatedClaim claim);

  dcm::driver_kit::DriverProcess& process_;
  int gpus_;
  std::string broken_folder_;
  std::set<std::string> broken_;
};

}  // namespace gpu
