// main() of a driver: from its flags to its exit status.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "client/config/config.hpp"
#include "manager/connection.hpp"
#include "node/driver_kit/claims/claim_status.hpp"
#include "node/driver_kit/plugin.hpp"
#include "node/driver_kit/slices/api_slices.hpp"
#include "options/program.hpp"

namespace dcm::driver_kit {

struct DriverProgram {
  PluginOptions plugin;  // with the driver's name
  std::string node = {};
  std::string version = "0.0.0";
  client::ConfigOverrides cluster = {};
};

// Stores --kubeconfig, --context, --server, --node-name ($NODE_NAME), --pod-uid ($POD_UID),
// --kubelet-registrar-directory-path, --kubelet-plugins-directory-path and --cdi-root in `program`,
// and the author's `own` flags in the targets of their rows. If it returns an Exit (--help, or a
// mistake), main() returns options::print() of it.
std::optional<options::Exit> read_flags(int count, const char* const* arguments,
                                        options::Settings own, DriverProgram& program);

// What a driver uses besides its calls. Loop thread only.
class DriverProcess {
 public:
  // All references must outlive it.
  DriverProcess(runtime::LoopRef loop, client::RestClient& rest, const DriverProgram& program,
                runtime::Logger log);

  const DriverProgram& program() const { return program_; }
  runtime::TimeSource& time() { return loop_.time(); }
  runtime::Logger& log() { return log_; }
  client::RestClient& rest() { return rest_; }
  SlicePublisher& publisher() { return publisher_; }
  ClaimStatusWriter& status() { return status_; }
  Plugin& plugin() { return *plugin_; }  // once Driver::run() has started

  // Serves `driver` until cancelled, on sockets from `listen`: listen_on_files() in a program,
  // a PipeNetwork in a test on virtual time. Errors: configuration: no sockets.
  Task<runtime::Result<>> serve(Driver& driver, Listen listen);

 private:
  runtime::LoopRef loop_;
  client::RestClient& rest_;
  const DriverProgram& program_;
  runtime::Logger log_;
  ApiClaims claims_;
  ApiSlices slices_;
  SlicePublisher publisher_;
  ClaimStatusWriter status_;
  std::unique_ptr<Plugin> plugin_;
};

// Runs until SIGTERM or SIGINT. `make` is called once. Returns the exit status: 0 after a signal, 2
// for an invalid configuration (explained in one line on standard error), 3 if Driver::run() or
// another part throws (logged).
int run_driver(const DriverProgram& program,
               const std::function<std::unique_ptr<Driver>(DriverProcess&)>& make);

}  // namespace dcm::driver_kit
