// DRA drivers without devices: each publishes a DeviceClass of its name, and on every node a
// ResourceSlice with its devices "dev-0", "dev-1", … (KEP-4381).
//
// A driver publishes one slice per node, made in encode_slice(), and publishes it once. Later
// changes of the slice (a taint: taint.hpp) survive a restart of the drivers.
#pragma once

#include <string>
#include <vector>

#include "playground/objects/api.hpp"
#include "playground/part.hpp"

namespace dcm::playground {

// The API's limit for one slice.
inline constexpr std::size_t kDevicesMax = 128;

class Drivers {
 public:
  struct Layout {
    std::vector<std::string> drivers;
    std::vector<std::string> nodes;
    std::size_t devices_per_node = 0;  // of each driver; at most kDevicesMax
  };

  // `api` must outlive it.
  Drivers(Process process, Api& api, Layout layout);

  // Creates classes and slices, or updates existing ones, keeping their taints.
  Task<Result<>> publish();

 private:
  Task<Result<>> publish_class(std::string driver);
  Task<Result<>> publish_slice(std::size_t number);

  Process process_;
  Api& api_;
  Layout layout_;
};

}  // namespace dcm::playground
