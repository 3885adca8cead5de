// Keeps a driver's ResourceSlices up to date: writes them, and restores them when another client
// has changed or deleted them, such as a node that has lost its driver.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "node/driver_kit/slices/plan.hpp"
#include "runtime/backoff.hpp"
#include "runtime/condition.hpp"
#include "runtime/error.hpp"
#include "runtime/log.hpp"
#include "runtime/task.hpp"

namespace dcm::driver_kit {

using runtime::Task;

// The publisher's interface to the API server.
class SliceApi {
 public:
  using Slice = boost::json::object;

  virtual ~SliceApi() = default;
  // The UID of the Node, which owns the slices.
  virtual Task<runtime::Result<std::string>> node_uid() = 0;
  // All slices of the driver on its node, as of now.
  virtual Task<runtime::Result<std::vector<Slice>>> list() = 0;
  // Returns the slice as stored.
  virtual Task<runtime::Result<Slice>> create(Slice slice) = 0;
  virtual Task<runtime::Result<Slice>> update(Slice slice) = 0;
  // Succeeds even if the slice is gone already.
  virtual Task<runtime::Result<>> remove(Slice slice) = 0;
};

// Loop thread only.
class SlicePublisher {
 public:
  // Other clients' changes are reverted after this delay, when every watch has seen them.
  static constexpr runtime::Duration kMendDelay = std::chrono::seconds(30);
  static constexpr runtime::Backoff kRetry{std::chrono::seconds(1), std::chrono::minutes(1)};

  // `time` and `api` must outlive it. An empty `node` is for pools of no node, which need a single
  // publisher in the cluster.
  SlicePublisher(runtime::TimeSource& time, SliceApi& api, std::string driver, std::string node,
                 runtime::Logger log);

  // Takes effect at once. Before the first call nothing is published or deleted. Errors:
  // configuration, with a line that names the field that the API server or a scheduler would
  // reject; then the published pools stay.
  runtime::Result<> publish(std::vector<DevicePool> pools);
  // Call it when a slice may have changed, no matter who changed it.
  void observe_change();

  // Ends only by cancellation. The slices stay: the node deletes them if the driver stays away.
  Task<> run();

 private:
  Task<runtime::Result<>> write();
  Task<runtime::Result<>> carry_out(SlicePlan plan);
  using Write = Task<runtime::Result<SliceApi::Slice>> (SliceApi::*)(SliceApi::Slice);
  // Sends without fields that a server rejects because a feature is off.
  Task<runtime::Result<SliceApi::Slice>> send(Write write, SliceApi::Slice slice);
  void remember_times(const std::vector<SliceApi::Slice>& published);
  void forget_all_but(const std::vector<SliceApi::Slice>& published);
  void accept(const boost::json::object& written, const boost::json::object& stored);
  // Waits until other pools are published, or `deadline`.
  Task<> wait_for_pools(std::uint64_t seen, runtime::Deadline deadline);

  runtime::TimeSource& time_;
  SliceApi& api_;
  SliceOwner owner_;
  runtime::Logger log_;
  std::vector<DevicePool> pools_;
  std::uint64_t published_ = 0;  // how often
  std::uint64_t changes_ = 0;
  AcceptedSlices accepted_;
  runtime::Condition news_;
};

}  // namespace dcm::driver_kit
