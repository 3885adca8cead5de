#include "client/request/rest_client.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "client/api/status.hpp"

namespace dcm::client {
namespace {

using http::Response;
using http::StreamingResponse;
using runtime::Deadline;
using runtime::Duration;
using runtime::Error;
using runtime::MonoTime;
using runtime::Reason;
using runtime::Result;
using runtime::Task;

// For an answer that refuses a watch: a Status, or a proxy's page.
constexpr std::size_t kRefusalBytesMax = 64 * 1024;

bool is_success(std::uint16_t status) {
  return status >= 200 && status < 300;
}

bool is_for_the_caller(const ApiRequest& request, const Error& error) {
  if (request.retries == Retries::unanswered) return error.http_status.has_value();
  return request.retries == Retries::none;
}

// The form in seconds (RFC 9110 10.2.3), which API servers send. A date would need the server's
// clock; it is ignored.
std::optional<Duration> retry_after(const http::Headers& headers) {
  const auto field = headers.find("Retry-After");
  if (!field) return std::nullopt;
  std::uint32_t seconds = 0;
  const char* const end = field->data() + field->size();
  const auto [rest, error] = std::from_chars(field->data(), end, seconds);
  if (rest != end) return std::nullopt;
  if (error == std::errc::result_out_of_range) return api::kRetryAfterMax;
  if (error != std::errc()) return std::nullopt;
  return std::min<Duration>(std::chrono::seconds(seconds), api::kRetryAfterMax);
}

#if defined(__aarch64__)
constexpr std::string_view kPlatform = "linux/arm64";
#else
constexpr std::string_view kPlatform = "linux/amd64";
#endif

}  // namespace

std::string make_user_agent(std::string_view program, std::string_view version) {
  return fmt::format("{}/{} ({})", program, version, kPlatform);
}

RestClient::RestClient(Dependencies dependencies, RestClientOptions options, runtime::Rng rng,
                       runtime::Logger log)
    : deps_(dependencies),
      options_(std::move(options)),
      rng_(rng),
      log_(std::move(log)),
      admission_(deps_.time, options_.limits),
      request_metrics_(deps_.metrics, options_.server.authority()),
      warnings_(log_) {}

Task<Result<Response>> RestClient::send(ApiRequest request) {
  const MonoTime start = deps_.time.now();
  Result<Response> answer = co_await send_with_retries(request);
  request_metrics_.observe_call(method_of(request.verb), deps_.time.now() - start);
  co_return answer;
}

Task<Result<Response>> RestClient::send_with_retries(const ApiRequest& request) {
  const MonoTime start = deps_.time.now();
  bool tried_new_credentials = false;
  for (int attempts = 1;; ++attempts) {
    std::string authorization;
    Result<Response> answer = co_await send_once(request, authorization);
    if (answer) co_return answer;
    const Error& error = answer.error();
    if (error.reason == Reason::unauthorized && !tried_new_credentials) {
      tried_new_credentials = true;
      const auto refreshed =
          co_await deps_.credentials.refresh(std::move(authorization), attempt_deadline(request));
      if (refreshed == Credentials::Refreshed::no) co_return answer;
    } else if (is_for_the_caller(request, error)) {
      co_return answer;
    } else {
      const auto wait = decide_retry(options_.retry, request.verb, error, attempts,
                                     left_for_retries(request, start), rng_);
      if (!wait) co_return answer;
      co_await runtime::sleep_for(deps_.time, *wait);
    }
    request_metrics_.count_retry(method_of(request.verb), error.http_status);
  }
}

Task<Result<Response>> RestClient::send_once(const ApiRequest& request,
                                             std::string& authorization) {
  Result<Prepared> prepared = co_await prepare(request, authorization);
  if (!prepared) co_return runtime::fail(prepared.error());

  const MonoTime start = deps_.time.now();
  Result<Response> answer =
      co_await deps_.http.send(std::move(prepared->http), exchange_limits(request));
  if (!answer) {
    // A closed gate is not a failed attempt: nothing was sent.
    if (answer.error().reason == Reason::shutting_down) co_return answer;
    answer.error().message = redaction_.apply(std::move(answer.error().message), request.secret);
    observe_attempt(request, start, std::nullopt, answer.error().message);
    co_return answer;
  }
  request_metrics_.observe_sizes(method_of(request.verb), request.body.size(), answer->body.size());
  warnings_.observe(answer->headers, redaction_, request.secret);
  if (is_success(answer->status)) {
    observe_attempt(request, start, answer->status);
    // A proxy's login page has status 200, too, and does not prove that the write was executed.
    if (is_write(request.verb) && !api::is_of_api(answer->body)) {
      co_return runtime::fail(
          explain(request, {Reason::malformed, "the answer is not an object of the API"}));
    }
    co_return answer;
  }
  Error error = error_of_answer(request, answer->status, answer->headers, answer->body);
  observe_attempt(request, start, answer->status, error.message);
  co_return runtime::fail(std::move(error));
}

Task<Result<std::unique_ptr<StreamingResponse>>> RestClient::open(ApiRequest request) {
  std::string authorization;
  Result<Stream> stream = co_await open_once(request, authorization);
  if (stream || stream.error().reason != Reason::unauthorized) co_return stream;
  const auto refreshed =
      co_await deps_.credentials.refresh(std::move(authorization), attempt_deadline(request));
  if (refreshed == Credentials::Refreshed::no) co_return stream;
  request_metrics_.count_retry(method_of(request.verb), stream.error().http_status);
  co_return co_await open_once(request, authorization);
}

Task<Result<std::unique_ptr<StreamingResponse>>> RestClient::open_once(const ApiRequest& request,
                                                                       std::string& authorization) {
  Result<Prepared> prepared = co_await prepare(request, authorization);
  if (!prepared) co_return runtime::fail(prepared.error());

  const MonoTime start = deps_.time.now();
  Result<Stream> stream =
      co_await deps_.http.open(std::move(prepared->http), attempt_deadline(request));
  if (!stream) {
    observe_attempt(request, start, std::nullopt);
    stream.error().message = redaction_.apply(std::move(stream.error().message), request.secret);
    co_return stream;
  }
  observe_attempt(request, start, (*stream)->status());
  warnings_.observe((*stream)->headers(), redaction_, request.secret);
  if (is_success((*stream)->status())) co_return stream;
  Error error = co_await read_refusal(request, **stream);
  co_return runtime::fail(std::move(error));
}

// An unreadable body does not change the meaning of the status.
Task<Error> RestClient::read_refusal(const ApiRequest& request, StreamingResponse& stream) {
  const Deadline deadline = attempt_deadline(request);
  std::string body;
  while (body.size() < kRefusalBytesMax) {
    const Result<std::string_view> piece = co_await stream.read_some(deadline);
    if (!piece || piece->empty()) break;
    body += piece->substr(0, kRefusalBytesMax - body.size());
  }
  co_return error_of_answer(request, stream.status(), stream.headers(), body);
}

Task<Result<RestClient::Prepared>> RestClient::prepare(const ApiRequest& request,
                                                       std::string& authorization) {
  Result<http::Request> http_request = co_await make_http_request(request, authorization);
  if (!http_request) co_return runtime::fail(http_request.error());
  Result<Admission::Permit> permit = co_await admit(request);
  if (!permit) co_return runtime::fail(permit.error());
  co_return Prepared{std::move(*http_request), std::move(*permit)};
}

Task<Result<http::Request>> RestClient::make_http_request(const ApiRequest& request,
                                                          std::string& authorization) {
  http::Request http_request{
      .method = method_of(request.verb),
      .target = options_.path_prefix + request.target,
      .headers = {{"Accept", request.accept}, {"User-Agent", options_.user_agent}},
      .body = request.body,
      .is_idempotent = is_idempotent(request.verb)};
  if (!request.body.empty()) {
    const bool is_json = request.body_format == api::Format::json;
    http_request.headers.add("Content-Type",
                             std::string(is_json ? content_type_of(request.verb) : api::kProtobuf));
  }
  if (options_.compresses && request.compression == Compression::gzip) {
    http_request.headers.add("Accept-Encoding", "gzip");
  }
  const Result<> authorized =
      co_await deps_.credentials.authorize(http_request.headers, attempt_deadline(request));
  if (!authorized) co_return runtime::fail(authorized.error());
  authorization = http_request.headers.find("Authorization").value_or("");
  redaction_.use(authorization);
  co_return http_request;
}

Task<Result<Admission::Permit>> RestClient::admit(const ApiRequest& request) {
  const MonoTime start = deps_.time.now();
  Result<Admission::Permit> permit = co_await admission_.admit(request.priority, request.deadline);
  if (request.priority != PriorityLevel::exempt) {
    request_metrics_.observe_limiter_wait(method_of(request.verb), deps_.time.now() - start);
  }
  co_return permit;
}

http::ExchangeLimits RestClient::exchange_limits(const ApiRequest& request) const {
  http::ExchangeLimits limits{.deadline = attempt_deadline(request),
                              .body_bytes_max = request.answer_bytes_max};
  if (is_write(request.verb) && request.fencing == Fencing::fenced) {
    limits.before_send = [this] { return deps_.gate.check(); };
  }
  return limits;
}

Deadline RestClient::attempt_deadline(const ApiRequest& request) const {
  if (request.deadline.is_reachable()) return request.deadline;
  if (request.verb == Verb::watch) return Deadline::after(deps_.time, options_.open_timeout);
  return Deadline::after(deps_.time,
                         is_write(request.verb) ? options_.write_timeout : options_.read_timeout);
}

Duration RestClient::left_for_retries(const ApiRequest& request, MonoTime start) const {
  if (request.deadline.is_reachable()) return request.deadline.left(deps_.time);
  return Deadline(start + options_.retry_window).left(deps_.time);
}

Error RestClient::error_of_answer(const ApiRequest& request, std::uint16_t status,
                                  const http::Headers& headers, std::string_view body) const {
  if (status < 400) {
    return {.reason = Reason::unexpected_status,
            .message = fmt::format("{} {}: unexpected status {}",
                                   http::to_string(method_of(request.verb)), url(request), status),
            .http_status = status};
  }
  // Redacted before it is cut to length, and again after unescaping.
  Error error =
      api::decode_status_error(status, redaction_.apply(std::string(body), request.secret));
  error.message = redaction_.apply(std::move(error.message), request.secret);
  error.http_status = status;
  if (const auto wait = retry_after(headers)) error.retry_after = wait;
  return error;
}

Error RestClient::explain(const ApiRequest& request, Error error) const {
  error.message = redaction_.apply(url(request) + ": " + error.message, request.secret);
  return error;
}

std::string RestClient::url(const ApiRequest& request) const {
  return options_.server.url() + options_.path_prefix + request.target;
}

// Leases are renewed every 2 s: they are logged as requests only.
void RestClient::observe_attempt(const ApiRequest& request, MonoTime start,
                                 std::optional<std::uint16_t> status, std::string_view problem) {
  request_metrics_.count_attempt(method_of(request.verb), status);
  const bool is_work = is_write(request.verb) && request.priority != PriorityLevel::exempt;
  if (!log_.v(is_work ? 2 : 6)) return;
  const auto took =
      std::chrono::duration_cast<std::chrono::milliseconds>(deps_.time.now() - start).count();
  const std::string code = status ? std::to_string(*status) : "<error>";
  const runtime::Logger log = problem.empty() ? log_ : log_.with({{"error", problem}});
  log.info(is_work ? "Write" : "Request", {{"verb", http::to_string(method_of(request.verb))},
                                           {"url", url(request)},
                                           {"status", code},
                                           {"milliseconds", std::int64_t{took}}});
}

}  // namespace dcm::client
