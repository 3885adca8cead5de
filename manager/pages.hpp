// The process's HTTP pages, in one table, and who may see them.
//
// Both ports use the same table: the secured one asks a Doorkeeper about each request, the plain
// one (--metrics-bind-address) has only the open pages and the metrics.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "manager/health.hpp"
#include "runtime/http/server.hpp"
#include "runtime/metrics.hpp"
#include "runtime/task.hpp"

namespace dcm::manager {

using http::text_response;
http::Response json_response(std::uint16_t status, std::string body);

// The parts of a request's target.
struct Target {
  std::string_view path;   // up to the question mark
  std::string_view query;  // after it
};
Target split_target(std::string_view target);

// How much of a page a caller may see.
enum class Audience : std::uint8_t {
  everything,  // may read the page
  own_object,  // may only read the object that the page is about: nothing of other namespaces
};

struct Page {
  // "/metrics", or everything below a path with a trailing slash
  std::string path;
  http::Method method = http::Method::get;  // GET includes HEAD
  std::function<http::Response(const http::Request&)> answer = {};
  // Used instead of `answer` by a page that sends requests first, or takes long.
  std::function<runtime::Task<http::Response>(http::Request, Audience)> answer_later = {};
};

class Pages {
 public:
  // The first matching page answers. All references of `answer` must outlive this.
  void add(Page page) { pages_.push_back(std::move(page)); }
  // 404 if there is no such page, 405 if there is one for another method.
  runtime::Task<http::Response> answer(http::Request request,
                                       Audience audience = Audience::everything) const;
  // All pages, in the order in which they were added.
  const std::vector<Page>& all() const { return pages_; }

 private:
  std::vector<Page> pages_;
};

// /healthz, /livez, /readyz, each with ?verbose, for unknown callers: of an error they say only its
// type. `health` must outlive the pages.
void add_health_pages(Pages& pages, const Health& health);
// /debug/health: the same checks with complete reasons.
void add_reasons_page(Pages& pages, const Health& health);
// /metrics.
void add_metrics_page(Pages& pages, runtime::MetricsRegistry& metrics);

// Options for a port whose pages read no body.
http::ServerOptions open_server_options();

// Answers every request from `pages`, which must outlive the handler.
http::Handler make_open_handler(const Pages& pages);

}  // namespace dcm::manager
