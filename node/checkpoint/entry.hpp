// The record of one claim, in memory and in the checkpoint.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dcm::node {

// A device as its driver has prepared it.
struct PreparedDevice {
  std::string pool;
  std::string device;
  std::optional<std::string> share_id = {};
  std::vector<std::string> requests = {};  // empty: all requests
  std::vector<std::string> cdi_ids = {};

  friend bool operator==(const PreparedDevice&, const PreparedDevice&) = default;
};

struct DriverState {
  std::vector<PreparedDevice> devices = {};       // none before the first answer
  std::vector<std::string> skip_operations = {};  // sorted

  friend bool operator==(const DriverState&, const DriverState&) = default;
};

// A device in a claim's allocation.
struct DeviceKey {
  std::string driver;
  std::string pool;
  std::string device;
  std::string share_id = {};  // empty: none
  bool is_admin = false;      // adminAccess: others may use the device at the same time

  friend auto operator<=>(const DeviceKey&, const DeviceKey&) = default;
};

// Data that kubelet has no field for. kubelet drops it, so an entry may lack it.
struct EntryExtra {
  std::set<DeviceKey> allocation = {};

  friend bool operator==(const EntryExtra&, const EntryExtra&) = default;
};

// Unique by namespace and name.
struct Entry {
  std::string namespace_;
  std::string name;
  std::string uid;
  std::set<std::string> pod_uids = {};
  std::map<std::string, DriverState> drivers = {};
  std::optional<EntryExtra> extra = {};

  friend bool operator==(const Entry&, const Entry&) = default;
};

}  // namespace dcm::node
