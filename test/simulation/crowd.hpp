// Many running pods of one tenant, and a few of another, on one device that breaks.
#pragma once

#include <cstddef>
#include <string>

#include "test/simulation/scene.hpp"

namespace dcm::simulation {

class Crowd {
 public:
  static constexpr std::size_t kGuests = 2;

  explicit Crowd(Scene scene) : scene_(scene) {}

  // The crowd's, and the guests'. Both are there for ever.
  static constexpr const char* kCrowded = "default";
  static constexpr const char* kGuestsOf = "lab";

  // A manager has to reserve the claim of each namespace for its pods.
  void gather();
  // An admin taints the device.
  void taint();
  // How many guests run still.
  std::size_t guests_left() const;
  // Takes all of it away.
  void disperse();

 private:
  void gather(const std::string& ns, std::size_t pods);

  Scene scene_;
};

}  // namespace dcm::simulation
