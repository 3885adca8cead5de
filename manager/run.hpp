// The process of a program of controllers, after its flags were parsed: connection, ports and
// signals around the lifecycle.
#pragma once

#include <functional>
#include <memory>

#include "client/config/config.hpp"
#include "manager/connection.hpp"
#include "manager/lifecycle.hpp"
#include "manager/own_process.hpp"
#include "manager/serving/ports.hpp"

namespace dcm::manager {

enum class Events : std::uint8_t { one_by_one, gathered };  // Loop::gather_events

struct RunOptions {
  LifecycleOptions lifecycle;  // a lease without a namespace is in the pod's or kubeconfig's
  int verbosity = 0;
  runtime::LogFormat log_format = runtime::LogFormat::text;
  client::ConfigOverrides cluster = {};
  ConnectionOptions connection = {};
  // Used instead of the fence; null if none.
  const client::WriteGate* gate = nullptr;
  ServingOptions serving = {};
  Ports::ObjectOf object_of = {};
  Events events = Events::one_by_one;
};

// What a program adds its controllers and pages to. All of it lives until the end.
struct Host {
  OwnProcess& own;
  const Process& process;
  const client::ClusterConfig& config;
  Connection& connection;
  Ports& ports;
  Lifecycle& lifecycle;
};

// Runs the lifecycle, with what the parts of every program need, until SIGTERM or SIGINT. Returns
// the exit status, for end_process().
int run_to_end(OwnProcess& own, Connection& connection, Lifecycle& lifecycle);

// Runs until SIGTERM or SIGINT; a second signal ends the process at once. `prepare` is called once,
// before the start; its result is kept until the end. Then the process ends at once (end_process):
// nothing that `prepare` or a caller holds is destroyed. Returns only if it cannot start: the exit
// status, after one line on standard error.
int run(const RunOptions& options,
        const std::function<std::shared_ptr<void>(const Host&)>& prepare);

}  // namespace dcm::manager
