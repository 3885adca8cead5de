#include "manager/pages.hpp"

#include "test/support/co_test.hpp"
#include "test/unit/http/http_site.hpp"

namespace dcm::manager {
namespace {

// Keeps the answer.
class Recorder final : public http::Responder {
 public:
  http::Task<http::Result<>> send(http::Response response) override {
    answer = std::move(response);
    co_return http::Result<>();
  }
  http::Task<http::Result<>> begin(http::Response) override { co_return http::Result<>(); }
  http::Task<http::Result<>> write(std::string_view) override { co_return http::Result<>(); }
  http::Task<http::Result<>> end() override { co_return http::Result<>(); }
  void abort() override {}

  http::Response answer;
};

struct Row {
  const char* what;
  http::Method method;
  const char* target;
  std::uint16_t status;
  const char* body;  // beginning
};

CO_TEST(Serving, answers_health_and_metrics_only) {
  Health health;
  health.ready.add("informers", [] {
    const runtime::Error error{runtime::Reason::forbidden, "user \"ada\" at 10.0.0.1"};
    return runtime::about("pods: not synced", error);
  });
  runtime::MetricsRegistry metrics;
  metrics.gauge("depth", "Items.");
  Pages pages;
  add_health_pages(pages, health);
  add_metrics_page(pages, metrics);
  const http::Handler handler = make_open_handler(pages);
  using enum http::Method;
  for (const Row& row : {
           Row{"liveness does not ask whether the caches are synced", get, "/livez", 200, "ok"},
           Row{"healthz is liveness", get, "/healthz", 200, "ok"},
           Row{"verbose lists the checks", get, "/livez?verbose", 200, "livez check passed"},
           Row{"not ready says why, but names nobody", get, "/readyz", 503,
               "[-]informers failed: pods: not synced: forbidden\n"},
           Row{"metrics are text", get, "/metrics", 200, "# HELP depth Items."},
           Row{"HEAD is GET without a body", head, "/livez", 200, "ok"},
           Row{"an unknown path is 404", get, "/metrics/x", 404, "not found"},
           Row{"nothing can be posted", post, "/metrics", 405, "only GET"},
       }) {
    Recorder recorder;
    co_await handler({.method = row.method, .target = row.target}, recorder);
    EXPECT_EQ(recorder.answer.status, row.status) << row.what;
    EXPECT_TRUE(recorder.answer.body.starts_with(row.body)) << row.what << recorder.answer.body;
  }
}

CO_TEST(Serving, rejects_bodies_on_open_port) {
  Pages pages;
  http::Site site(loop, make_open_handler(pages), open_server_options());
  const auto response = co_await site.client->send(
      http::make_request(http::Method::post, "/metrics", std::string(2000, 'x')), {});
  CO_ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 413);
  co_await site.stop();
}

}  // namespace
}  // namespace dcm::manager
