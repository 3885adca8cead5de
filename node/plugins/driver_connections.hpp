// The drivers of the node: registers each plugin with a registration socket, keeps a connection to
// each instance of a driver, and calls the right instance.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "node/claims/ports.hpp"
#include "node/plugins/messages.hpp"
#include "node/plugins/observer.hpp"
#include "node/plugins/registration_schedule.hpp"
#include "node/plugins/services.hpp"
#include "runtime/grpc/channel.hpp"
#include "runtime/log.hpp"
#include "runtime/loop.hpp"

namespace dcm::node {

inline constexpr runtime::Duration kConnectTimeout = std::chrono::seconds(10);
inline constexpr runtime::Duration kGetInfoTimeout = std::chrono::seconds(1);
inline constexpr runtime::Duration kNotifyTimeout = std::chrono::seconds(5);
inline constexpr runtime::Duration kCallTimeout = std::chrono::seconds(45);
// When a stream of health reports that has ended is reopened.
inline constexpr runtime::Duration kHealthPause = std::chrono::seconds(5);

// Loop thread only. Call stop() before destroying it.
class DriverConnections final : public DriverCalls {
 public:
  // `transport` must outlive it.
  DriverConnections(runtime::LoopRef loop, http::Transport& transport, runtime::Rng rng,
                    ServiceChoice choice, runtime::Logger log);
  ~DriverConnections() override;

  // Call this before the first registration. `observer` must outlive the instances.
  void set_observer(DriverObserver& observer) { observer_ = &observer; }

  // A whole registration: GetInfo, the choice of services, the instance, and the notification of
  // the plugin. `made` tells when the socket was made: of a driver's instances, the one with the
  // newest socket is called. After a restart of the node, they register in any order.
  runtime::Task<SocketOutcome> register_plugin(std::string socket, std::int64_t made = 0);
  runtime::Task<> unregister_plugin(std::string socket);
  runtime::Task<> stop();

  bool is_registered(const std::string& driver) const override;
  bool is_connected(const std::string& driver) const;
  runtime::Task<Answer> prepare(std::string driver, std::vector<ClaimRef> claims) override;
  runtime::Task<Answer> unprepare(std::string driver, std::vector<ClaimRef> claims) override;

 private:
  struct Connection;
  struct Instance;
  using Instances = std::list<std::shared_ptr<Instance>>;
  using Added = std::expected<std::shared_ptr<Instance>, std::string>;

  runtime::Task<SocketOutcome> introduce(const std::string& socket, std::int64_t made,
                                         grpc::Channel& channel);
  runtime::Task<SocketOutcome> refuse(const std::string& socket, grpc::Channel& channel,
                                      std::string why, SocketOutcome outcome);
  runtime::Task<grpc::Result<void>> notify(grpc::Channel& channel, const std::string& error);
  Added add(const std::string& socket, std::int64_t made, const PluginInfo& info,
            const Services& services);
  runtime::Task<> remove(std::shared_ptr<Instance> instance);
  // Runs as long as the instance exists.
  runtime::Task<> follow_connection(Instance& instance);
  runtime::Task<> follow_health(Instance& instance);
  runtime::Task<grpc::Status> read_health(Instance& instance);
  std::shared_ptr<Instance> instance_for(const std::string& driver) const;
  // `instance` must exist until it returns.
  runtime::Task<grpc::Result<std::string>> call_instance(const Instance& instance,
                                                         std::string_view method,
                                                         const std::string& request,
                                                         runtime::Deadline deadline);
  runtime::Task<Answer> call(std::string driver, std::string_view method,
                             std::vector<ClaimRef> claims,
                             std::function<std::optional<Answers>(std::string_view)> decode);

  runtime::LoopRef loop_;
  http::Transport& transport_;
  runtime::Rng rng_;
  ServiceChoice choice_;
  runtime::Logger log_;
  DriverObserver nobody_;
  DriverObserver* observer_ = &nobody_;
  Instances instances_;  // newest socket last
};

}  // namespace dcm::node
