#include "manager/serving/secure_serving.hpp"

#include <chrono>
#include <utility>

#include "runtime/task_group.hpp"

namespace dcm::manager {
namespace {

using namespace std::chrono_literals;
using runtime::Result;
using runtime::Task;

// Once a minute suffices for certificates that are rotated days before they expire.
constexpr runtime::Duration kRefreshInterval = 1min;
constexpr runtime::Duration kRefreshTimeout = 30s;

// Only a PUT of a flag has a body, and callers are a few scrapers. An attacker may share
// kubelet's address, so connections without a request have no limit per address. A client's
// certificate is checked only in the handshake, so connections must be renewed.
http::ServerOptions server_options() {
  return {.connections_max = 128,
          .connections_per_address_max = 32,
          .body_bytes_max = 1024,
          .age_max = 10min};
}

Task<> answer_guarded(const Pages& pages, Doorkeeper& doorkeeper, http::Request request,
                      http::Responder& responder) {
  Admitted admission = co_await doorkeeper.admit(request);
  http::Response response;
  if (admission) {
    response = co_await pages.answer(std::move(request), *admission);
  } else {
    response = std::move(admission.error());
  }
  // A disconnected caller needs no answer: the connection ends with it.
  [[maybe_unused]] const auto sent = co_await responder.send(std::move(response));
}

}  // namespace

http::Handler make_guarded_handler(const Pages& pages, Doorkeeper& doorkeeper) {
  return [&pages, &doorkeeper](http::Request request, http::Responder& responder) {
    return answer_guarded(pages, doorkeeper, std::move(request), responder);
  };
}

Result<std::unique_ptr<SecureServing>> SecureServing::open(runtime::Executor executor,
                                                           runtime::TimeSource& time,
                                                           SecureServingOptions options) {
  auto certificates =
      ServingCertificates::load(std::move(options.certificates), std::move(options.tls));
  if (!certificates) return runtime::fail(certificates.error());
  auto listener = http::make_tcp_listener(executor, time, options.address, certificates->tls());
  if (!listener) return runtime::fail(listener.error());
  return std::unique_ptr<SecureServing>(
      new SecureServing(std::move(executor), time, std::move(options.access),
                        std::move(*certificates), std::move(*listener)));
}

SecureServing::SecureServing(runtime::Executor executor, runtime::TimeSource& time,
                             DoorkeeperOptions access, ServingCertificates certificates,
                             std::unique_ptr<http::TcpListener> listener)
    : executor_(std::move(executor)),
      time_(time),
      access_(std::move(access)),
      certificates_(std::move(certificates)),
      listener_(std::move(listener)) {}

Task<> SecureServing::run(const Pages& pages, client::RestClient& rest, runtime::Logger log) {
  Doorkeeper doorkeeper(rest, time_, access_, log);
  runtime::TaskGroup group(executor_);
  group.spawn("secured port", http::serve(*listener_, time_, server_options(),
                                          make_guarded_handler(pages, doorkeeper), log));
  group.spawn("serving certificates", keep_certificates_fresh(rest, log));
  co_await group.join();
}

Task<> SecureServing::keep_certificates_fresh(client::RestClient& rest, runtime::Logger log) {
  http::TlsServerOptions in_use = certificates_.tls();
  runtime::RepeatGuard guard(time_, 1h);
  // The clients' CAs come from the cluster: the first read completes the options.
  bool has_read_all = false;
  for (;; co_await runtime::sleep_for(time_, kRefreshInterval)) {
    Result<> taken =
        co_await certificates_.refresh(rest, runtime::Deadline::after(time_, kRefreshTimeout));
    if (certificates_.tls() != in_use) {
      const http::TlsServerOptions before = in_use;
      if (Result<> set = renew_tls(*listener_, in_use, certificates_.tls()); !set) taken = set;
      if (in_use != before && has_read_all)
        log.info("The HTTPS port uses the changed certificates");
    }
    if (taken) {
      has_read_all = true;
      guard.reset();
    } else if (const std::string error = to_string(taken.error()); guard.should_log(error)) {
      log.warning("Cannot refresh the certificates of the HTTPS port", {{"error", error}});
    }
  }
}

}  // namespace dcm::manager
