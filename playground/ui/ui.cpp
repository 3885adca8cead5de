#include "playground/ui/ui.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "explain/read_cluster.hpp"
#include "explain/render.hpp"
#include "playground/ui/ui_files.hpp"

namespace dcm::playground {
namespace {

using runtime::Task;

constexpr std::string_view kFolder = "/ui/";
constexpr std::string_view kExplain = "/ui/explain/";
constexpr runtime::Duration kReadAtMost = std::chrono::seconds(10);

std::string_view media_type(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  return "text/javascript; charset=utf-8";
}

http::Response respond(std::uint16_t status, std::string_view type, std::string body) {
  http::Response response = http::typed_response(status, type, std::move(body));
  response.headers.add("Cache-Control", "no-cache");
  // Names and messages of objects are written by strangers; nothing of them may be run.
  response.headers.add(
      "Content-Security-Policy",
      "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  return response;
}

http::Response plain(std::uint16_t status, std::string body) {
  return respond(status, "text/plain; charset=utf-8", std::move(body));
}

// A file of the page. Its links are relative, so /ui has to become /ui/.
http::Response file(std::string_view path) {
  if (!path.starts_with(kFolder)) {
    http::Response response = plain(308, "the page is /ui/\n");
    response.headers.add("Location", std::string(kFolder));
    return response;
  }
  const std::string_view asked = path.substr(kFolder.size());
  const std::string_view name = asked.empty() ? "index.html" : asked;
  const auto found = std::ranges::find(ui_files(), name, &UiFile::name);
  if (found == ui_files().end()) return plain(404, "no such file\n");
  return respond(200, media_type(name), std::string(found->content));
}

http::Response problem(std::uint16_t status, std::string_view why) {
  return respond(status, "application/json", explain::render_problem(why, explain::Format::json));
}

bool is_explained(explain::ExplainStatus status) {
  return status == explain::ExplainStatus::explained ||
         status == explain::ExplainStatus::explained_in_part;
}

std::uint16_t status_of(explain::ExplainStatus status) {
  if (is_explained(status)) return 200;
  return status == explain::ExplainStatus::no_such_object ? 404 : 503;
}

Task<http::Response> explain(client::RestClient& rest, runtime::TimeSource& time,
                             std::string path) {
  const auto subject = explain::subject_from_path(std::string_view(path).substr(kExplain.size()));
  if (!subject) co_return problem(404, subject.error().message);
  const explain::ExplainOutcome outcome =
      co_await explain::read_cluster(rest, time,
                                     {.subject = *subject,
                                      .format = explain::Format::json,
                                      .deadline = runtime::Deadline::after(time, kReadAtMost)});
  if (!is_explained(outcome.status)) {
    co_return problem(status_of(outcome.status), outcome.text);
  }
  co_return respond(200, "application/json", outcome.text);
}

Task<> answer(client::RestClient& rest, runtime::TimeSource& time, http::Request request,
              http::Responder& responder) {
  const std::string path = request.target.substr(0, request.target.find('?'));
  http::Response response;
  if (request.method != http::Method::get && request.method != http::Method::head) {
    response = plain(405, "only GET\n");
    response.headers.add("Allow", "GET, HEAD");
  } else if (path.starts_with(kExplain)) {
    response = co_await explain(rest, time, path);
  } else {
    response = file(path);
  }
  // A client that has left needs no answer.
  [[maybe_unused]] const auto sent = co_await responder.send(std::move(response));
}

bool is_for_ui(std::string_view target) {
  const std::string_view path = target.substr(0, target.find('?'));
  return path == "/ui" || path.starts_with(kFolder);
}

}  // namespace

http::Handler with_ui(http::Handler api, client::RestClient& rest, runtime::TimeSource& time) {
  return [api = std::move(api), &rest, &time](http::Request request, http::Responder& responder) {
    return is_for_ui(request.target) ? answer(rest, time, std::move(request), responder)
                                     : api(std::move(request), responder);
  };
}

}  // namespace dcm::playground
