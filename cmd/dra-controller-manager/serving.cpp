#include "cmd/dra-controller-manager/serving.hpp"

#include <string_view>

namespace dcm::manager {
namespace {

http::Response text_response(std::uint16_t status, std::string body,
                             std::string content_type = "text/plain; charset=utf-8") {
  return {status,
          {{"Content-Type", std::move(content_type)}, {"X-Content-Type-Options", "nosniff"}},
          std::move(body)};
}

http::Response health_response(const HealthChecks& checks, std::string_view path,
                               std::string_view query) {
  const Verbose verbose = query.starts_with("verbose") ? Verbose::yes : Verbose::no;
  HealthReport report = checks.run(path.substr(1), verbose);
  return text_response(report.is_healthy ? 200 : 503, std::move(report.text));
}

http::Response answer(const http::Request& request, const Health& health,
                      runtime::MetricsRegistry& metrics) {
  if (request.method != http::Method::get && request.method != http::Method::head) {
    return text_response(405, "only GET and HEAD\n");
  }
  const std::string_view target = request.target;
  const std::string_view path = target.substr(0, target.find('?'));
  const std::string_view query =
      path.size() < target.size() ? target.substr(path.size() + 1) : std::string_view();
  if (path == "/healthz" || path == "/livez") return health_response(health.live, path, query);
  if (path == "/readyz") return health_response(health.ready, path, query);
  if (path == "/metrics") {
    return text_response(200, metrics.expose(), "text/plain; version=0.0.4; charset=utf-8");
  }
  return text_response(404, "not found\n");
}

runtime::Task<> respond(const Health& health, runtime::MetricsRegistry& metrics,
                        http::Request request, http::Responder& responder) {
  // A caller that has gone away needs no answer: the connection ends with it.
  [[maybe_unused]] const auto sent = co_await responder.send(answer(request, health, metrics));
}

}  // namespace

http::Handler make_status_handler(const Health& health, runtime::MetricsRegistry& metrics) {
  return [&health, &metrics](http::Request request, http::Responder& responder) {
    return respond(health, metrics, std::move(request), responder);
  };
}

}  // namespace dcm::manager
