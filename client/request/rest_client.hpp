// Sends calls to the API server: credentials, limits, the write gate, retries, metrics, logging.
//
// It knows HTTP and the Status object, but no kind; typed.hpp and ApiListerWatcher build on it.
// retry.hpp decides what is sent again, and when.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "client/auth/credentials.hpp"
#include "client/request/admission.hpp"
#include "client/request/redaction.hpp"
#include "client/request/request.hpp"
#include "client/request/request_metrics.hpp"
#include "client/request/retry.hpp"
#include "client/request/warnings.hpp"
#include "client/request/write_gate.hpp"
#include "runtime/http/client.hpp"
#include "runtime/log.hpp"
#include "runtime/rng.hpp"
#include "runtime/time.hpp"

namespace dcm::client {

struct RestClientOptions {
  http::Endpoint server = {};    // for the label `host` and for logs
  std::string path_prefix = {};  // the path in the server's URL, without a trailing slash
  std::string user_agent = {};
  bool compresses = true;  // whether large answers may come as gzip
  AdmissionLimits limits = {};
  RetryPolicy retry = {};
  // For one attempt of a call without a deadline. The API server abandons a write after 34 s; a
  // client that stops waiting earlier does not know the result.
  runtime::Duration write_timeout = std::chrono::seconds(40);
  runtime::Duration read_timeout = std::chrono::seconds(60);
  // For the headers of a watch's answer, which the server sends at once.
  runtime::Duration open_timeout = std::chrono::seconds(30);
  // A call without a deadline is not repeated later than this after its start.
  runtime::Duration retry_window = std::chrono::seconds(30);
};

// "node-labeller/0.1.0 (linux/amd64)". API servers use the part before the first slash as the field
// manager of writes that name none.
std::string make_user_agent(std::string_view program, std::string_view version);

// All references must outlive it. Loop thread only; any number of calls at a time.
class RestClient {
 public:
  struct Dependencies {
    http::Client& http;
    Credentials& credentials;
    const WriteGate& gate;
    runtime::TimeSource& time;
    runtime::MetricsRegistry& metrics;
  };

  RestClient(Dependencies dependencies, RestClientOptions options, runtime::Rng rng,
             runtime::Logger log);

  // The answer, if its status is 2xx; otherwise the corresponding error, after the retries that the
  // request and retry.hpp allow. Returns the error of the last attempt, even if the deadline
  // prevents another one. Errors: every Reason; malformed when a write's 2xx answer is not the
  // API's; shutting_down when the write gate is closed (that attempt was not sent).
  runtime::Task<runtime::Result<http::Response>> send(ApiRequest request);

  // Opens a watch. Takes a turn of the rate limit, but holds no slot while open. Sent once (except
  // after a 401): the reflector knows where to resume.
  runtime::Task<runtime::Result<std::unique_ptr<http::StreamingResponse>>> open(ApiRequest request);

  // A decoder's `error`, with the body's URL added and our credential removed.
  runtime::Error explain(const ApiRequest& request, runtime::Error error) const;
  // Hides the credential that was used last, in text of answers that arrives later.
  const Redaction& redaction() const noexcept { return redaction_; }

  // "https://10.0.0.1:6443/api/v1/pods", for messages.
  std::string url(const ApiRequest& request) const;

 private:
  using Stream = std::unique_ptr<http::StreamingResponse>;

  // The references below point into the frame of send() or open().
  runtime::Task<runtime::Result<http::Response>> send_with_retries(const ApiRequest& request);
  // Sets `authorization` to what was sent, so that the credentials know what a 401 refers to.
  runtime::Task<runtime::Result<http::Response>> send_once(const ApiRequest& request,
                                                           std::string& authorization);
  runtime::Task<runtime::Result<Stream>> open_once(const ApiRequest& request,
                                                   std::string& authorization);
  struct Prepared {
    http::Request http;
    Admission::Permit permit;
  };
  // Waits for the turn of the request.
  runtime::Task<runtime::Result<Prepared>> prepare(const ApiRequest& request,
                                                   std::string& authorization);
  runtime::Task<runtime::Result<http::Request>> make_http_request(const ApiRequest& request,
                                                                  std::string& authorization);
  runtime::Task<runtime::Result<Admission::Permit>> admit(const ApiRequest& request);
  runtime::Task<runtime::Error> read_refusal(const ApiRequest& request,
                                             http::StreamingResponse& stream);

  http::ExchangeLimits exchange_limits(const ApiRequest& request) const;
  runtime::Deadline attempt_deadline(const ApiRequest& request) const;
  runtime::Duration left_for_retries(const ApiRequest& request, runtime::MonoTime start) const;
  runtime::Error error_of_answer(const ApiRequest& request, std::uint16_t status,
                                 const http::Headers& headers, std::string_view body) const;
  void observe_attempt(const ApiRequest& request, runtime::MonoTime start,
                       std::optional<std::uint16_t> status, std::string_view problem = {});

  Dependencies deps_;
  RestClientOptions options_;
  runtime::Rng rng_;
  runtime::Logger log_;
  Admission admission_;
  RequestMetrics request_metrics_;
  Redaction redaction_;
  WarningLog warnings_;
};

}  // namespace dcm::client
