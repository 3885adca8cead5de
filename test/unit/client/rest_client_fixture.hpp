// A RestClient over a scripted HTTP client, with its dependencies, for coroutine tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/request/rest_client.hpp"
#include "runtime/loop.hpp"
#include "runtime/metrics.hpp"
#include "test/support/fake_http_client.hpp"

namespace dcm::client {

inline http::Response status(std::uint16_t code, http::Headers headers = {}) {
  return {.status = code,
          .headers = std::move(headers),
          .body = code < 300 ? R"({"kind":"Status"})" : "{}"};
}

inline ApiRequest read() {
  return {.verb = Verb::get,
          .target = "/api/v1/namespaces/lab/pods/trainer-0",
          .retries = Retries::allowed};
}

inline ApiRequest write(Verb verb) {
  return {.verb = verb,
          .target = "/api/v1/namespaces/lab/events",
          .body = "{\"a\":1}",
          .retries = Retries::allowed};
}

class FakeCredentials final : public Credentials {
 public:
  std::string token = "first";
  std::vector<std::string> rejected;
  // The token that refresh() finds; empty: no new one.
  std::string token_after_refresh;

  runtime::Task<runtime::Result<>> authorize(http::Headers& headers, runtime::Deadline) override {
    headers.set("Authorization", "Bearer " + token);
    co_return runtime::Result<>();
  }
  runtime::Task<Refreshed> refresh(std::string refused, runtime::Deadline) override {
    rejected.push_back(std::move(refused));
    if (token_after_refresh.empty()) co_return Refreshed::no;
    token = token_after_refresh;
    co_return Refreshed::yes;
  }
};

class FakeGate final : public WriteGate {
 public:
  bool open = true;
  runtime::Result<> check() const override {
    if (open) return {};
    return runtime::fail(runtime::Reason::shutting_down, "the lease is lost");
  }
};

struct RestClientFixture {
  explicit RestClientFixture(runtime::VirtualLoop& loop, RestClientOptions options = {})
      : time(loop.time()), http(time), client(make(std::move(options))) {}

  std::string logged() const {
    std::string all;
    for (const std::string& line : *lines) all += line + "\n";
    return all;
  }

  runtime::VirtualTime& time;
  http::FakeHttpClient http;
  FakeCredentials credentials;
  FakeGate gate;
  runtime::MetricsRegistry metrics;
  std::shared_ptr<std::vector<std::string>> lines = std::make_shared<std::vector<std::string>>();
  std::shared_ptr<runtime::LogBackend> log_backend = std::make_shared<runtime::LogBackend>(
      time, runtime::LogFormat::text,
      [lines = lines](runtime::Severity, std::string_view line) { lines->emplace_back(line); });
  RestClient client;

 private:
  RestClient make(RestClientOptions options) {
    options.server = {.security = http::Security::tls, .host = "api.test", .port = 6443};
    options.user_agent = make_user_agent("dra-controller-manager", "0.1.0");
    return RestClient({http, credentials, gate, time, metrics}, std::move(options), runtime::Rng(1),
                      runtime::Logger(log_backend));
  }
};

}  // namespace dcm::client
