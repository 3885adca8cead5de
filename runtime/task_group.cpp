#include "runtime/task_group.hpp"

#include <cstdio>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "runtime/assert.hpp"
#include "runtime/cancellation.hpp"

namespace dcm::runtime {
namespace asio = boost::asio;

struct TaskGroup::Child {
  std::string name;
  asio::cancellation_signal signal = {};
};

// The one task that waits in join(), if any.
struct TaskGroup::Joiner {
  Executor executor;
  asio::any_completion_handler<void()> handler;
};

namespace {

// A co_spawn frame that never waited posts itself once before it ends, so that its handler does not
// run within the spawning call. For a task cancelled by then, that wait would throw outside of
// every handler.
Task<> contained(Task<> task) {
  std::exception_ptr failure;
  try {
    co_await std::move(task);
  } catch (...) {
    failure = std::current_exception();
  }
  co_await asio::this_coro::throw_if_cancelled(false);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

TaskGroup::TaskGroup(Executor executor) : executor_(std::move(executor)) {}

TaskGroup::~TaskGroup() {
  // A task that outlives its group sooner or later uses freed memory: better to stop here.
  if (children_.empty()) return;
  for (const std::string& name : running_names()) {
    std::fprintf(stderr, "A TaskGroup is destroyed while \"%s\" runs\n", name.c_str());
  }
  std::terminate();
}

void TaskGroup::spawn(std::string name, Task<> task) {
  const auto child = children_.emplace(children_.end(), std::move(name));
  auto on_end = [this, child](std::exception_ptr failure) { finish(child, std::move(failure)); };
  asio::co_spawn(executor_, contained(std::move(task)),
                 asio::bind_cancellation_slot(child->signal.slot(), std::move(on_end)));
  if (cancelled_) child->signal.emit(asio::cancellation_type::terminal);
}

void TaskGroup::cancel() {
  cancelled_ = true;
  for (auto next = children_.begin(); next != children_.end();) {
    const auto child = next++;  // emit() may end the child and so remove it
    child->signal.emit(asio::cancellation_type::terminal);
  }
}

Task<> TaskGroup::join() {
  DCM_ASSERT(joiner_ == nullptr);
  // A cancelled join still waits: it passes the cancellation on to the children. The state for that
  // belongs to its own wait, so that nothing of this group remains in the caller.
  co_await asio::this_coro::throw_if_cancelled(false);
  const Executor executor = co_await asio::this_coro::executor;
  while (!children_.empty()) {
    auto initiate = [this, executor](auto&& handler) {
      joiner_ = std::make_unique<Joiner>(executor, std::move(handler));
      auto slot = asio::get_associated_cancellation_slot(joiner_->handler);
      if (slot.is_connected()) slot.assign([this](asio::cancellation_type) { cancel(); });
    };
    co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(std::move(initiate),
                                                                         asio::use_awaitable);
  }
  co_await asio::this_coro::throw_if_cancelled(true);
  if (first_failure_) std::rethrow_exception(first_failure_);
}

std::vector<std::string> TaskGroup::running_names() const {
  std::vector<std::string> names;
  for (const auto& child : children_) names.push_back(child.name);
  return names;
}

void TaskGroup::finish(std::list<Child>::iterator child, std::exception_ptr failure) {
  children_.erase(child);
  if (failure && !is_cancellation(failure)) {
    ++failures_;
    if (!first_failure_) first_failure_ = std::move(failure);
    cancel();
  }
  if (children_.empty() && joiner_) {
    const auto joiner = std::exchange(joiner_, nullptr);
    asio::get_associated_cancellation_slot(joiner->handler).clear();
    asio::post(joiner->executor, std::move(joiner->handler));
  }
}

}  // namespace dcm::runtime
