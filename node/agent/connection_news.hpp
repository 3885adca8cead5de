// When a driver's connection is a reason to retry what has failed.
#pragma once

#include <map>
#include <string>

#include "runtime/backoff.hpp"
#include "runtime/time.hpp"

namespace dcm::node {

// A driver that closes its connection at each call would be called again at once: so while a driver
// keeps reconnecting, only ever fewer of its connections count.
class ConnectionNews {
 public:
  static constexpr runtime::Backoff kBackoff{std::chrono::seconds(1), std::chrono::seconds(60)};

  // Returns whether the driver has appeared, or has connected in a way that counts.
  bool observe(const std::string& driver, bool is_connected, runtime::MonoTime now) {
    const auto [found, has_appeared] = drivers_.try_emplace(driver);
    if (has_appeared) return true;
    Driver& known = found->second;
    if (!is_connected || now < known.not_before) return false;
    const bool is_calm = now >= known.not_before + kBackoff.most;
    known.pause = is_calm ? kBackoff.first : kBackoff.after(known.pause);
    known.not_before = now + known.pause;
    return true;
  }

 private:
  struct Driver {
    runtime::MonoTime not_before{};
    runtime::Duration pause{};
  };

  std::map<std::string, Driver> drivers_;
};

}  // namespace dcm::node
