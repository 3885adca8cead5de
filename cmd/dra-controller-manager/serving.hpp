// What the process answers over HTTP: health and metrics.
#pragma once

#include "cmd/dra-controller-manager/health.hpp"
#include "runtime/http/server.hpp"
#include "runtime/metrics.hpp"

namespace dcm::manager {

// The checks behind each health path. Liveness means that restarting would help, readiness that the
// controllers know the cluster and can work.
struct Health {
  HealthChecks live;   // /healthz, /livez
  HealthChecks ready;  // /readyz
};

// Answers /healthz, /livez, /readyz (each with ?verbose) and /metrics; 404 for the rest, 405 for
// anything but GET and HEAD. Both arguments must outlive the handler.
http::Handler make_status_handler(const Health& health, runtime::MetricsRegistry& metrics);

}  // namespace dcm::manager
