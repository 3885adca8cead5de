// A ShardSet (shards.example.com) divides the numbers from 0 to 65535 between its shards. Each
// shard is a ConfigMap with its range. Users of a shard annotate it; a deleted set stays until none
// of its shards is in use.
#pragma once

#include <string>

#include "dcm/manager/controller_manager.hpp"
#include "dcm/options/setting.hpp"

namespace shards {

struct Options {
  std::string namespace_ = "default";  // the namespace of ShardSets and ConfigMaps
  int shards_max = 100;                // limit for one set
};

// The flags for these options. `options` must outlive the rows.
dcm::options::Settings flags(Options& options);

// `manager` runs the controllers, and outlives them.
void add_controllers(dcm::manager::ControllerManager& manager, const Options& options);

}  // namespace shards
