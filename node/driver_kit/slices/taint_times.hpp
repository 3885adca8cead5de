// When devices got their taints: tolerationSeconds count from then, so a lasting taint must not
// seem new.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "node/driver_kit/slices/pool.hpp"

namespace dcm::driver_kit {

class TaintTimes {
 public:
  // Adds the times of devices, found in these slices or among the devices of a pool. Later
  // additions do not replace known times.
  void add(const std::vector<const boost::json::object*>& slices);
  void add(const DevicePool& pool);

  // Gives each taint without a time its previous one, if key, value and effect are the same.
  void set(boost::json::object& device) const;
  void set(DevicePool& pool) const;
  // `content` has `devices`, or none.
  boost::json::object with_times(boost::json::object content) const;

 private:
  void add_device(const boost::json::object& device);

  std::map<std::string, boost::json::value> times_;  // by device, key, value and effect
};

}  // namespace dcm::driver_kit
