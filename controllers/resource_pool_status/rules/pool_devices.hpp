// The current devices of one pool: of the slices of its newest generation, each once.
#pragma once

#include <cstdint>
#include <vector>

#include "allocation/pools.hpp"
#include "controllers/resource_pool_status/rules/pool_inputs.hpp"

namespace dcm::resource_pool_status {

struct PoolDevice {
  const allocation::Slice* slice;
  const allocation::Device* device;

  api::DeviceId id() const { return slice->id_of(*device); }
};

struct PoolDevices {
  allocation::PoolId id;
  // The slices of the newest generation, by name. Never empty.
  std::vector<const allocation::Slice*> slices;
  // The devices in the order of the slices; of several with the same name, only the first.
  std::vector<PoolDevice> devices;

  std::int64_t generation() const { return slices.front()->generation; }
  std::int64_t slices_expected() const { return slices.front()->slice_count; }
  bool is_complete() const { return std::ssize(slices) >= slices_expected(); }
  // The node that all slices name; empty if they differ or have none.
  InternedString node() const;
};

// By driver and pool. Refers to the slices of `inputs`.
std::vector<PoolDevices> gather_pools(const PoolFilter& filter, const PoolInputs& inputs);

}  // namespace dcm::resource_pool_status
