// The sockets by which kubelet finds and calls a driver in this process.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "node/driver_kit/claims/cdi.hpp"
#include "node/driver_kit/claims/leftovers.hpp"
#include "node/driver_kit/dra_service.hpp"
#include "node/driver_kit/health_feed.hpp"
#include "node/driver_kit/messages.hpp"
#include "node/posix_files.hpp"
#include "runtime/http/stream.hpp"
#include "runtime/loop.hpp"

namespace dcm::driver_kit {

enum class HealthService : std::uint8_t { not_served, served };

// Kubelet's folder, in which each driver has its own.
inline constexpr const char* kPluginsFolder = "/var/lib/kubelet/plugins";

struct PluginOptions {
  // Its name: a DNS subdomain in lower case, of at most 63 characters. CDI specs need a letter at
  // its beginning.
  std::string driver;
  std::string registry = "/var/lib/kubelet/plugins_registry";
  std::string data = {};  // folder of the endpoint; empty: kPluginsFolder/<driver>
  // UID of the driver's own pod: two instances may serve at the same time, so that an update leaves
  // no gap. Empty: one instance at a time.
  std::string pod_uid = {};
  HealthService health = HealthService::not_served;
  std::string cdi = std::string(kCdiFolder);  // where the container runtime looks for specs
  // Whether containers can read metadata of their devices (KEP-5304).
  MetadataFiles metadata = MetadataFiles::not_written;
  node::Files* files = nullptr;  // must outlive the plugin; null: the machine's files
  // Called with the node's answer to the registration; must not wait.
  std::function<void(const RegistrationStatus&)> on_status = [](const auto&) {};
};

// Where an instance listens. The names are the Go helper's, so that a rolling update can
// switch between them. With a pod UID, a socket whose path would be too long gets a short name.
struct SocketPaths {
  std::string endpoint;
  std::string registration;
};
SocketPaths socket_paths(const PluginOptions& options);

// Creates a socket. Errors: configuration.
using Listen =
    std::function<runtime::Result<std::unique_ptr<http::Listener>>(const std::string& path)>;

// Creates files, replacing files left by a crash, in folders that are created if missing.
Listen listen_on_files(runtime::LoopRef loop);

// Loop thread only.
class Plugin {
 public:
  // All references must outlive it.
  Plugin(runtime::LoopRef loop, Driver& driver, ClaimReader& claims, PluginOptions options,
         runtime::Logger log);

  // Creates both sockets, the endpoint first. Errors: configuration: an invalid name, a path that
  // is too long, and errors of `listen`.
  runtime::Result<> open(const Listen& listen);
  // Serves until cancelled, and unprepares claims deleted while the driver was down. Logs a warning
  // if no node asks who it is within 30 s. The sockets are removed with the plugin.
  Task<> run();

  // The driver reports health here, for the node.
  HealthFeed& health() noexcept { return health_; }
  // For details of a claim's devices that are known only later: ClaimFiles::update_metadata().
  ClaimFiles& files() noexcept { return files_; }

 private:
  void add_registration();
  Task<grpc::Result<std::string>> tell_info();
  Task<grpc::Result<std::string>> take_status(std::string request);
  Task<> warn_of_silence();

  runtime::LoopRef loop_;
  PluginOptions options_;
  SocketPaths paths_;
  runtime::Logger log_;
  CallLock lock_;
  node::PosixFiles machine_;
  ClaimFiles files_;
  DraService service_;
  Leftovers leftovers_;
  HealthFeed health_;
  std::string info_;       // the answer of GetInfo
  bool is_found_ = false;  // a node has called GetInfo
  grpc::Methods registration_methods_;
  grpc::Methods methods_;
  std::unique_ptr<http::Listener> endpoint_;
  std::unique_ptr<http::Listener> registration_;  // created last, and removed first
};

}  // namespace dcm::driver_kit
