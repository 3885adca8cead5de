#include "apiserver/front/http_front.hpp"

#include "apiserver/front/compression.hpp"
#include "runtime/condition.hpp"

namespace dcm::apiserver {

namespace {

using runtime::Task;

// Initial events are sent in pieces of about this size, not in a chunk each.
constexpr std::size_t kPieceBytes = 64 * 1024;

http::Response to_http(Response response) {
  http::Response answer{.status = static_cast<std::uint16_t>(response.status),
                        .headers = {},
                        .body = std::move(response.body)};
  for (auto& [name, value] : response.headers) {
    answer.headers.add(std::move(name), std::move(value));
  }
  return answer;
}

Task<> send(Response response, http::Responder& responder) {
  const auto cut_after = response.reset_after;
  http::Response answer = to_http(std::move(response));
  if (!cut_after) {
    co_await responder.send(std::move(answer));
    co_return;
  }
  if (*cut_after > 0) {
    const std::string part = answer.body.substr(0, *cut_after);
    co_await responder.begin(std::move(answer));
    co_await responder.write(part);
  }
  responder.abort();
}

std::string next_piece(Watch& watch) {
  std::string piece;
  while (piece.size() < kPieceBytes) {
    const auto line = watch.next();
    if (!line) break;
    piece += *line;
  }
  return piece;
}

// A client that disconnects cancels this task (http::Responder), which ends the watch.
Task<> stream(std::unique_ptr<Watch> watch, http::Responder& responder, runtime::TimeSource& time) {
  runtime::Condition news(time);
  watch->on_ready([&news] { news.notify_all(); });
  auto begun = co_await responder.begin(http::Response{
      .status = 200, .headers = {{"Content-Type", std::string(watch->media_type())}}, .body = {}});
  while (begun) {
    const std::string piece = next_piece(*watch);
    if (!piece.empty()) {
      begun = co_await responder.write(piece);
    } else if (watch->ended()) {
      co_await responder.end();
      co_return;
    } else {
      co_await news.wait();
    }
  }
}

// A short list is sent as a whole; a long list in parts, between which other requests run.
Task<> send_list(Server::List list, bool takes_gzip, http::Responder& responder) {
  Response& head = list.head;
  std::optional<std::string> part;
  while (head.body.size() <= kWorthCompressing && (part = list.parts.next())) {
    head.body += *part;
    co_await runtime::yield();
  }
  if (!part) {
    co_await send(std::move(head), responder);
    co_return;
  }
  std::optional<Gzip> gzip;
  if (takes_gzip) {
    mark_as_gzip(head);
    gzip.emplace();
  }
  std::string first = std::move(head.body);
  auto sent = co_await responder.begin(to_http(std::move(head)));
  for (part = std::move(first); part && sent; part = list.parts.next()) {
    const std::string piece = gzip ? gzip->add(*part) : std::move(*part);
    if (!piece.empty()) sent = co_await responder.write(piece);
    co_await runtime::yield();
  }
  if (gzip && sent) sent = co_await responder.write(gzip->finish());
  if (sent) co_await responder.end();
}

Task<> answer(Server& server, runtime::TimeSource& time, Request request,
              http::Responder& responder) {
  if (auto list = server.open_list(request)) {
    co_await send_list(std::move(*list), takes_gzip(request.header("Accept-Encoding")), responder);
    co_return;
  }
  if (!Server::is_watch(request)) {
    Response response = server.handle(request);
    compress(response, request.header("Accept-Encoding"));
    co_await send(std::move(response), responder);
    co_return;
  }
  auto watch = server.open_watch(request);
  if (watch) {
    co_await stream(std::move(*watch), responder, time);
  } else {
    co_await send(std::move(watch.error()), responder);
  }
}

}  // namespace

namespace {

// A request that is too large or invalid does not reach the server; the answer looks the same.
http::Response refusal(std::uint16_t status, std::string message) {
  if (status == 413) return to_http(to_response(body_too_large()));
  if (status == 501) return to_http(to_response(method_not_allowed()));
  return to_http(to_response({status, status == 400 ? "BadRequest" : "", std::move(message)}));
}

}  // namespace

http::ServerOptions front_options() {
  return {.connections_max = 20'000,
          .new_connections_max = 20'000,
          .header_bytes_max = 64 * 1024,
          .body_bytes_max = 8 * 1024 * 1024,
          .request_timeout = std::chrono::seconds(30),
          .idle_max = std::chrono::minutes(3),
          .write_timeout = std::chrono::seconds(60),
          .refusal = refusal};
}

Request from_http(http::Request request) {
  const auto question = request.target.find('?');
  Request asked{std::string(to_string(request.method)), request.target.substr(0, question)};
  if (question != std::string::npos) asked.query = request.target.substr(question + 1);
  asked.headers.assign(request.headers.begin(), request.headers.end());
  asked.body = std::move(request.body);
  return asked;
}

http::Handler http_handler(Server& server, runtime::TimeSource& time) {
  return [&server, &time](http::Request request, http::Responder& responder) -> Task<> {
    return answer(server, time, from_http(std::move(request)), responder);
  };
}

}  // namespace dcm::apiserver
