#include "runtime/condition.hpp"

#include <optional>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace dcm::runtime {
namespace asio = boost::asio;
using boost::system::error_code;

using WaitHandler = asio::any_completion_handler<void(error_code, Condition::Wakeup)>;

struct Condition::Waiter {
  Executor executor;
  WaitHandler handler;
  std::optional<TimerId> timer;
};

namespace {

void complete(Executor executor, WaitHandler handler, error_code error, Condition::Wakeup outcome) {
  asio::get_associated_cancellation_slot(handler).clear();
  asio::post(executor, [handler = std::move(handler), error, outcome]() mutable {
    std::move(handler)(error, outcome);
  });
}

}  // namespace

Condition::Condition(TimeSource& time) : time_(time) {}

Condition::~Condition() {
  // A waiter would be resumed with a dangling `this`. Waiters may be left only in a process that
  // ends abnormally (its executor destroyed under running tasks).
  for (auto& waiter : waiters_) {
    if (waiter.timer) time_.cancel(*waiter.timer);
    asio::get_associated_cancellation_slot(waiter.handler).clear();
  }
}

Task<Condition::Wakeup> Condition::wait(Deadline deadline) {
  const Executor executor = co_await asio::this_coro::executor;
  auto initiate = [this, executor, deadline](auto&& handler) {
    const auto waiter = waiters_.insert(
        waiters_.end(), Waiter{executor, WaitHandler(std::move(handler)), std::nullopt});
    if (deadline.is_reachable()) {
      waiter->timer =
          time_.schedule(deadline.time(), [this, waiter] { wake(waiter, Wakeup::timed_out); });
    }
    auto slot = asio::get_associated_cancellation_slot(waiter->handler);
    if (slot.is_connected()) {
      slot.assign([this, waiter](asio::cancellation_type) { abort(waiter); });
    }
  };
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>, void(error_code, Wakeup)>(
      std::move(initiate), asio::use_awaitable);
}

std::size_t Condition::waiting() const noexcept {
  return waiters_.size();
}

void Condition::notify_one() {
  if (!waiters_.empty()) wake(waiters_.begin(), Wakeup::notified);
}

void Condition::notify_all() {
  while (!waiters_.empty()) notify_one();
}

void Condition::wake(Waiters::iterator waiter, Wakeup outcome) {
  if (waiter->timer) time_.cancel(*waiter->timer);
  Waiter woken = std::move(*waiter);
  waiters_.erase(waiter);
  complete(std::move(woken.executor), std::move(woken.handler), {}, outcome);
}

void Condition::abort(Waiters::iterator waiter) {
  if (waiter->timer) time_.cancel(*waiter->timer);
  Waiter aborted = std::move(*waiter);
  waiters_.erase(waiter);
  complete(std::move(aborted.executor), std::move(aborted.handler), asio::error::operation_aborted,
           Wakeup::notified);
}

}  // namespace dcm::runtime
