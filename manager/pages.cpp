#include "manager/pages.hpp"

#include <utility>

namespace dcm::manager {
namespace {

bool fits(const Page& page, std::string_view path) {
  return page.path.ends_with('/') ? path.starts_with(page.path) : path == page.path;
}

bool fits(const Page& page, http::Method method) {
  return method == page.method ||
         (method == http::Method::head && page.method == http::Method::get);
}

Page health_page(std::string path, const HealthChecks& checks) {
  const auto answer = [name = path.substr(1), &checks](const http::Request& request) {
    const bool is_verbose = split_target(request.target).query.starts_with("verbose");
    HealthReport report =
        checks.run(name, is_verbose ? Verbose::yes : Verbose::no, Reasons::by_name);
    return text_response(report.is_healthy ? 200 : 503, std::move(report.text));
  };
  return {.path = std::move(path), .answer = answer};
}

runtime::Task<> answer_from(const Pages& pages, http::Request request, http::Responder& responder) {
  http::Response response = co_await pages.answer(std::move(request));
  // A disconnected caller needs no answer: the connection ends with it.
  [[maybe_unused]] const auto sent = co_await responder.send(std::move(response));
}

// Large clusters have a hundred thousand pools of devices to count.
runtime::Task<http::Response> metrics_page(runtime::MetricsRegistry& metrics) {
  while (metrics.refresh_part()) co_await runtime::yield();
  co_return http::typed_response(200, "text/plain; version=0.0.4; charset=utf-8", metrics.expose());
}

}  // namespace

http::Response json_response(std::uint16_t status, std::string body) {
  return http::typed_response(status, "application/json", std::move(body));
}

Target split_target(std::string_view target) {
  const std::string_view path = target.substr(0, target.find('?'));
  return {path, target.substr(std::min(target.size(), path.size() + 1))};
}

runtime::Task<http::Response> Pages::answer(http::Request request, Audience audience) const {
  const std::string_view path = split_target(request.target).path;
  std::string_view allowed;
  for (const Page& page : pages_) {
    if (!fits(page, path)) continue;
    if (fits(page, request.method)) {
      if (!page.answer_later) co_return page.answer(request);
      co_return co_await page.answer_later(std::move(request), audience);
    }
    allowed = to_string(page.method);
  }
  if (allowed.empty()) co_return text_response(404, "not found\n");
  http::Response response = text_response(405, "only " + std::string(allowed) + "\n");
  response.headers.add("Allow", std::string(allowed));
  co_return response;
}

void add_health_pages(Pages& pages, const Health& health) {
  pages.add(health_page("/healthz", health.live));
  pages.add(health_page("/livez", health.live));
  pages.add(health_page("/readyz", health.ready));
}

void add_reasons_page(Pages& pages, const Health& health) {
  pages.add({.path = "/debug/health", .answer = [&health](const http::Request&) {
               return text_response(200, health.live.run("livez", Verbose::yes).text +
                                             health.ready.run("readyz", Verbose::yes).text);
             }});
}

void add_metrics_page(Pages& pages, runtime::MetricsRegistry& metrics) {
  pages.add({.path = "/metrics", .answer_later = [&metrics](http::Request, Audience) {
               return metrics_page(metrics);
             }});
}

http::ServerOptions open_server_options() {
  return {.connections_per_address_max = 64, .body_bytes_max = 1024};
}

http::Handler make_open_handler(const Pages& pages) {
  return [&pages](http::Request request, http::Responder& responder) {
    return answer_from(pages, std::move(request), responder);
  };
}

}  // namespace dcm::manager
