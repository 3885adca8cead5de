#include "node/driver_kit/plugin.hpp"

#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "runtime/base64.hpp"
#include "runtime/dns_names.hpp"
#include "runtime/file_name.hpp"
#include "runtime/http/sha256.hpp"
#include "runtime/http/unix.hpp"
#include "runtime/task_group.hpp"

namespace dcm::driver_kit {
namespace {

namespace fs = std::filesystem;
using runtime::Deadline;
using runtime::Result;

// Kubelet finds a socket within a second.
constexpr runtime::Duration kSilenceMax = std::chrono::seconds(30);

std::string short_digest(std::string_view text, std::size_t size) {
  return runtime::encode_base64_url(http::sha256(text).substr(0, size));
}

// The first path that fits; otherwise the last.
std::string fitting(std::initializer_list<std::string> paths) {
  for (const std::string& path : paths) {
    if (path.size() <= node::kSocketPathBytesMax) return path;
  }
  return *std::prev(paths.end());
}

std::string registration_path(const PluginOptions& options) {
  const std::string& uid = options.pod_uid;
  if (uid.empty()) return fmt::format("{}/{}-reg.sock", options.registry, options.driver);
  return fitting(
      {fmt::format("{}/{}-{}-reg.sock", options.registry, options.driver, uid),
       fmt::format("{}/{}-{}-reg.sock", options.registry, options.driver, short_digest(uid, 8)),
       fmt::format("{}/dra-{}-reg.sock", options.registry,
                   short_digest(options.driver + '\0' + uid, 16))});
}

// The Go helper has only the first name, and cannot serve drivers with long names.
std::string endpoint_path(const PluginOptions& options) {
  const std::string& uid = options.pod_uid;
  if (uid.empty()) return options.data + "/dra.sock";
  return fitting({fmt::format("{}/dra-{}.sock", options.data, uid),
                  fmt::format("{}/dra-{}.sock", options.data, short_digest(uid, 8)),
                  fmt::format("{}/{}.sock", options.data, short_digest(uid, 8))});
}

runtime::Error too_long(const std::string& path, const PluginOptions& options) {
  return {runtime::Reason::configuration,
          fmt::format("\"{}\" has {} bytes, and a socket's path at most {}: choose a shorter "
                      "folder{}",
                      path, path.size(), node::kSocketPathBytesMax,
                      options.pod_uid.empty() ? ", or pass --pod-uid" : "")};
}

PluginOptions with_defaults(PluginOptions options) {
  if (options.data.empty()) options.data = fmt::format("{}/{}", kPluginsFolder, options.driver);
  options.data = fs::absolute(options.data);  // the node learns the endpoint from it
  return options;
}

}  // namespace

SocketPaths socket_paths(const PluginOptions& options) {
  return {.endpoint = endpoint_path(options), .registration = registration_path(options)};
}

Plugin::Plugin(runtime::LoopRef loop, Driver& driver, ClaimReader& claims, PluginOptions options,
               runtime::Logger log)
    : loop_(std::move(loop)),
      options_(with_defaults(std::move(options))),
      paths_(socket_paths(options_)),
      log_(std::move(log)),
      lock_(loop_.time(), options_.pod_uid.empty() ? "" : options_.data + "/serialize.lock"),
      files_(options_.files != nullptr ? *options_.files : machine_, loop_.time(),
             {.driver = options_.driver,
              .data = options_.data,
              .cdi = options_.cdi,
              .metadata = options_.metadata},
             log_),
      service_(options_.driver, driver, claims, files_, lock_, log_),
      leftovers_(loop_.time(), options_.driver, driver, claims, files_, lock_, log_),
      health_(loop_.time(), log_) {
  add_registration();
  service_.add_to(methods_);
  if (options_.health == HealthService::served) health_.add_to(methods_);
}

void Plugin::add_registration() {
  node::PluginInfo info{.type = std::string(node::kDraPluginType),
                        .name = options_.driver,
                        .endpoint = paths_.endpoint,
                        .services = {std::string(node::kDraV1), std::string(node::kDraV1beta1)}};
  if (options_.health == HealthService::served) {
    for (const std::string_view service : {node::kHealthV1, node::kHealthV1alpha1}) {
      info.services.emplace_back(service);
    }
  }
  info_ = encode_plugin_info(info);
  registration_methods_.unary[std::string(node::kGetInfoPath)] =
      [this](const std::string&, Deadline) { return tell_info(); };
  registration_methods_.unary[std::string(node::kNotifyPath)] =
      [this](std::string request, Deadline) { return take_status(std::move(request)); };
}

Task<grpc::Result<std::string>> Plugin::tell_info() {
  is_found_ = true;
  co_return info_;
}

Task<> Plugin::warn_of_silence() {
  co_await runtime::sleep_for(loop_.time(), kSilenceMax);
  if (is_found_) co_return;
  log_.warning(
      "No node has found the driver. Check that kubelet runs, and that it looks into the socket's "
      "folder (--kubelet-registrar-directory-path)",
      {{"driver", options_.driver}, {"socket", paths_.registration}});
}

// A refusing node gets an error as acknowledgement, and tries again later.
Task<grpc::Result<std::string>> Plugin::take_status(std::string request) {
  const auto status = decode_registration_status(request);
  if (!status)
    co_return grpc::fail(grpc::Code::internal, "the request is not a RegistrationStatus");
  options_.on_status(*status);
  if (!status->is_registered) {
    const std::string error = node::cut_message(status->error);
    log_.warning("The node refused the driver", {{"driver", options_.driver}, {"error", error}});
    co_return grpc::fail(grpc::Code::unknown, "failed registration process: " + error);
  }
  log_.info("The node has registered the driver", {{"driver", options_.driver}});
  co_return std::string();
}

Result<> Plugin::open(const Listen& listen) {
  if (!runtime::is_driver_name(options_.driver)) {
    return runtime::fail(runtime::Reason::configuration,
                         fmt::format("driver \"{}\": expected a DNS subdomain in lower case, of at "
                                     "most 63 characters",
                                     options_.driver));
  }
  if (options_.metadata == MetadataFiles::written) {
    if (auto checked = check_cdi_vendor(options_.driver); !checked) return checked;
  }
  if (!options_.pod_uid.empty()) {
    const auto uid = runtime::FileName::parse("pod UID", options_.pod_uid);
    if (!uid) return runtime::fail(uid.error());
  }
  for (const std::string& path : {paths_.endpoint, paths_.registration}) {
    if (path.size() > node::kSocketPathBytesMax) return runtime::fail(too_long(path, options_));
  }
  auto endpoint = listen(paths_.endpoint);
  if (!endpoint) return runtime::fail(endpoint.error());
  auto registration = listen(paths_.registration);
  if (!registration) return runtime::fail(registration.error());
  endpoint_ = *std::move(endpoint);
  registration_ = *std::move(registration);
  return {};
}

Listen listen_on_files(runtime::LoopRef loop) {
  return [loop](const std::string& path) {
    return http::replace_unix_listener(loop.executor(), loop.time(), path);
  };
}

Task<> Plugin::run() {
  runtime::TaskGroup group(loop_.executor());
  group.spawn("driver", grpc::serve(loop_, *endpoint_, methods_, {}, log_));
  group.spawn("registration", grpc::serve(loop_, *registration_, registration_methods_, {}, log_));
  group.spawn("leftovers", leftovers_.settle());
  group.spawn("silence", warn_of_silence());
  co_await group.join();
}

}  // namespace dcm::driver_kit
