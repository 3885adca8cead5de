// An http::Client that plays a script: how each exchange is answered, and when. Records requests.
//
//   FakeHttpClient http(loop.time());
//   http.answer({.status = 429, .headers = {{"Retry-After", "3"}}});
//   http.answer({.status = 200, .body = "{}"}, 20ms);
//   ...
//   http.seen().at(1).at - http.seen().at(0).at;   // 3 s
//
// This fake is not a server: it keeps the promises of http::Client (deadlines, `before_send`), and
// does not understand the requests. An exchange without a scripted answer fails as `unreachable`,
// and a test that looks at seen() finds it.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/http/client.hpp"
#include "runtime/time.hpp"

namespace dcm::http {

class FakeHttpClient final : public Client {
 public:
  // An exchange whose bytes were sent.
  struct Seen {
    Request request;
    runtime::MonoTime at;
    Deadline deadline;
  };
  // The body of an answer to open().
  struct Stream {
    std::uint16_t status = 200;
    Headers headers = {};
    std::vector<std::string> pieces = {};
    enum class End { clean, cut, silent } end = End::clean;
  };

  explicit FakeHttpClient(runtime::TimeSource& time) : time_(time) {}

  // Scripts the next answers, in order. `after` is how long the answer takes.
  void answer(Response response, runtime::Duration after = {}) {
    script_.push_back({std::move(response), after});
  }
  void fail(runtime::Reason reason, runtime::Duration after = {}) {
    script_.push_back({runtime::fail(reason, "as the script says"), after});
  }
  void stream(Stream stream) { streams_.push_back(std::move(stream)); }
  // How long connecting takes before the bytes can be sent.
  void set_connect_time(runtime::Duration duration) { connect_time_ = duration; }

  const std::vector<Seen>& seen() const { return seen_; }
  std::size_t unanswered() const { return script_.size() + streams_.size(); }

  Task<Result<Response>> send(Request request, ExchangeLimits limits) override {
    co_await runtime::sleep_for(time_, connect_time_);
    if (limits.before_send) {
      const Result<> allowed = limits.before_send();
      if (!allowed) co_return runtime::fail(allowed.error());
    }
    seen_.push_back({std::move(request), time_.now(), limits.deadline});
    if (script_.empty()) co_return unscripted();
    Answer next = std::move(script_.front());
    script_.pop_front();
    const bool in_time = next.after < limits.deadline.left(time_);
    co_await runtime::sleep_for(time_, in_time ? next.after : limits.deadline.left(time_));
    if (!in_time) co_return runtime::fail(runtime::Reason::deadline_exceeded, "no answer in time");
    if (next.result && next.result->body.size() > limits.body_bytes_max) {
      co_return runtime::fail(runtime::Reason::body_too_large, "body too large");
    }
    co_return std::move(next.result);
  }

  Task<Result<std::unique_ptr<StreamingResponse>>> open(Request request,
                                                        Deadline deadline) override {
    seen_.push_back({std::move(request), time_.now(), deadline});
    if (streams_.empty()) co_return unscripted();
    auto stream = std::make_unique<Playback>(time_, std::move(streams_.front()));
    streams_.pop_front();
    co_return stream;
  }

  void close_idle() override {}

 private:
  struct Answer {
    Result<Response> result;
    runtime::Duration after;
  };

  class Playback final : public StreamingResponse {
   public:
    Playback(runtime::TimeSource& time, Stream stream) : time_(time), stream_(std::move(stream)) {}
    std::uint16_t status() const override { return stream_.status; }
    const Headers& headers() const override { return stream_.headers; }
    Task<Result<std::string_view>> read_some(Deadline deadline) override {
      if (next_ < stream_.pieces.size()) co_return std::string_view(stream_.pieces[next_++]);
      if (stream_.end == Stream::End::clean) co_return std::string_view();
      if (stream_.end == Stream::End::cut) {
        co_return runtime::fail(runtime::Reason::disconnected, "cut");
      }
      co_await runtime::sleep_for(time_, deadline.left(time_));
      co_return runtime::fail(runtime::Reason::deadline_exceeded, "silence");
    }

   private:
    runtime::TimeSource& time_;
    Stream stream_;
    std::size_t next_ = 0;
  };

  static std::unexpected<runtime::Error> unscripted() {
    return runtime::fail(runtime::Reason::unreachable, "the script has no answer for this");
  }

  runtime::TimeSource& time_;
  runtime::Duration connect_time_{};
  std::deque<Answer> script_;
  std::deque<Stream> streams_;
  std::vector<Seen> seen_;
};

}  // namespace dcm::http
