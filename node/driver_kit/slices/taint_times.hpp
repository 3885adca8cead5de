// Since when devices have their taints: tolerations for some seconds count from there, so a taint
// that stays must not seem new.
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
  // Of the pool's devices, wherever they are: in any of these slices, or among the devices of a
  // pool. What is added later does not replace what is known.
  void add(const std::vector<const boost::json::object*>& slices);
  void add(const DevicePool& pool);

  // Gives each taint without a time the one that it had, if key, value and effect are the same.
  void set(boost::json::object& device) const;
  void set(DevicePool& pool) const;
  // `content` has `devices`, or none.
  boost::json::object with_times(boost::json::object content) const;

 private:
  void add_device(const boost::json::object& device);

  std::map<std::string, boost::json::value> times_;  // by device, key, value and effect
};

}  // namespace dcm::driver_kit
