// The label of a driver in metrics. Anybody who may publish devices, or ask for them, can name any
// number of drivers, so there must be a bound.
#pragma once

#include <cstddef>
#include <set>
#include <string>

namespace dcm::common {

// Returns a driver's name, or "(others)" for each driver after the first 64.
class DriverLabels {
 public:
  static constexpr std::size_t kDriversMax = 64;

  const std::string& of(const std::string& driver) {
    // No driver can have this name.
    static const std::string kOthers = "(others)";
    if (const auto known = known_.find(driver); known != known_.end()) return *known;
    return known_.size() < kDriversMax ? *known_.insert(driver).first : kOthers;
  }

 private:
  std::set<std::string> known_;
};

}  // namespace dcm::common
