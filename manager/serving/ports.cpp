#include "manager/serving/ports.hpp"

#include <utility>

#include "runtime/http/open_port.hpp"
#include "runtime/http/stream.hpp"
#include "runtime/task_group.hpp"

namespace dcm::manager {
namespace {

std::string secured_address(const ServingOptions& options) {
  const auto port = static_cast<std::uint16_t>(options.secure_port);
  return http::Endpoint{http::Security::tls, options.bind_address, port}.authority();
}

}  // namespace

runtime::Result<std::unique_ptr<Ports>> Ports::open(const Process& process, const Health& health,
                                                    const ServingOptions& options,
                                                    ObjectOf object_of) {
  std::unique_ptr<Ports> ports(new Ports(process, health, options.metrics_accept_hosts));
  if (const auto listening = ports->listen(options, std::move(object_of)); !listening) {
    return runtime::fail(listening.error());
  }
  return ports;
}

Ports::Ports(const Process& process, const Health& health, std::vector<std::string> accept_hosts)
    : process_(process), metrics_accept_hosts_(std::move(accept_hosts)) {
  for (Pages* pages : {&plain_pages_, &secured_pages_}) {
    add_health_pages(*pages, health);
    add_metrics_page(*pages, process_.metrics);
  }
  add_reasons_page(secured_pages_, health);
}

runtime::Result<> Ports::listen(const ServingOptions& options, ObjectOf object_of) {
  runtime::TimeSource& time = process_.loop.time();
  if (!options.metrics_bind_address.empty()) {
    auto plain = http::make_tcp_listener(process_.loop.executor(), time,
                                         options.metrics_bind_address, std::nullopt);
    if (!plain) return runtime::fail(plain.error());
    plain_ = std::move(*plain);
  }
  if (options.secure_port == 0) return {};
  auto secured = SecureServing::open(process_.loop.executor(), time,
                                     {.address = secured_address(options),
                                      .certificates = options.serving_certificates,
                                      .tls = options.serving_tls,
                                      .access = {.always_allow_paths = options.always_allow_paths,
                                                 .object_of = std::move(object_of)}});
  if (!secured) return runtime::fail(secured.error());
  secured_ = std::move(*secured);
  return {};
}

runtime::Task<> Ports::run(client::RestClient& rest) {
  runtime::TaskGroup ports(process_.loop.executor());
  if (plain_ != nullptr) {
    process_.log.info("Serving plain HTTP", {{"address", plain_->address()}});
    ports.spawn("plain port", http::serve_open(*plain_, process_.loop.time(), open_server_options(),
                                               metrics_accept_hosts_,
                                               make_open_handler(plain_pages_), process_.log));
  }
  if (secured_ != nullptr) {
    process_.log.info("Serving HTTPS", {{"address", secured_->address()}});
    ports.spawn("secured port", secured_->run(secured_pages_, rest, process_.log));
  }
  co_await ports.join();
}

}  // namespace dcm::manager
