// The calls of a fake API: each is recorded, takes a while, and meets a fault on demand.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/error.hpp"
#include "runtime/task.hpp"
#include "runtime/time.hpp"
#include "workqueue/priority.hpp"

namespace dcm::test {

// The fault of one call.
struct Fault {
  enum class Kind : std::uint8_t {
    none,
    refused,  // answered with `error`, and nothing is done
    lost,     // executed, but the caller gets `error`
  };
  Kind kind = Kind::none;
  runtime::Error error = {runtime::Reason::internal_error, "injected"};
};
inline Fault refused(runtime::Error error) {
  return {Fault::Kind::refused, std::move(error)};
}
inline Fault refused(runtime::Reason reason) {
  return refused({reason, "injected"});
}
inline Fault lost(runtime::Reason reason) {
  return {Fault::Kind::lost, {reason, "injected"}};
}

class FakeCalls {
 public:
  // `time` must outlive it.
  explicit FakeCalls(runtime::TimeSource& time) : time_(time) {}

  // Called for each call, with its number (from 0) and text.
  std::function<Fault(std::size_t, const std::string&)> fault =
      [](std::size_t, const std::string&) { return Fault{}; };
  // The text of every call so far, as sent.
  std::vector<std::string> calls;
  std::vector<workqueue::Priority> priorities;  // the priority of each call
  // How long a call takes until it is executed, and then until its answer.
  runtime::Duration latency = std::chrono::milliseconds(1);
  runtime::Duration answer_latency{};
  // The maximum of concurrent calls.
  std::size_t in_flight_max = 0;

 protected:
  template <class T>
  runtime::Task<runtime::Result<T>> call(std::string text, workqueue::Priority priority,
                                         std::function<runtime::Result<T>()> carry_out) {
    const std::size_t number = calls.size();
    calls.push_back(text);
    priorities.push_back(priority);
    const InFlight in_flight(*this);
    const Fault met = fault(number, text);
    co_await runtime::sleep_for(time_, latency);
    runtime::Result<T> answer = runtime::fail(met.error);
    if (met.kind != Fault::Kind::refused) answer = carry_out();
    if (met.kind == Fault::Kind::lost) answer = runtime::fail(met.error);
    if (answer_latency > runtime::Duration()) co_await runtime::sleep_for(time_, answer_latency);
    co_return answer;
  }

 private:
  // A cut-off call is no longer in progress.
  struct InFlight {
    explicit InFlight(FakeCalls& fake) : api(fake) {
      api.in_flight_max = std::max(api.in_flight_max, ++api.in_flight_);
    }
    ~InFlight() { --api.in_flight_; }
    InFlight(const InFlight&) = delete;
    InFlight& operator=(const InFlight&) = delete;
    FakeCalls& api;
  };

  runtime::TimeSource& time_;
  std::size_t in_flight_ = 0;
};

}  // namespace dcm::test
