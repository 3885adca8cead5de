#include "controllers/resource_pool_status/controller.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include <boost/asio/this_coro.hpp>

#include "controllers/resource_pool_status/rules/decide_expiry.hpp"
#include "runtime/run_then_cancel.hpp"
#include "runtime/task_group.hpp"

namespace dcm::resource_pool_status {
namespace {

using namespace std::chrono_literals;
using workqueue::Outcome;
using workqueue::Priority;

constexpr const char* kQueueName = "resourcepoolstatusrequest-controller";

// One, so that memory holds the slices and claims of at most one answer.
constexpr std::size_t kWorkers = 1;
// A driver publishes many slices at a time: one check after the last of them is enough.
constexpr runtime::Duration kUntilSlicesSettle = 1s;

}  // namespace

Controller::Controller(Dependencies dependencies)
    : deps_(std::move(dependencies)),
      metrics_(deps_.metrics),
      queue_(deps_.time, deps_.metrics, workqueue::Options(kQueueName, kWorkers)),
      failures_(deps_.metrics, kQueueName, deps_.log),
      requests_observer_([this](const RequestPtr& before, const RequestPtr& after) {
        if (after) {
          observe_request(after, Priority::live);
        } else {
          pending_.erase(before->meta.key.name);
        }
      }),
      slices_observer_([this](const auto& before, const auto& after) {
        observe_slice(after ? *after : *before);
      }) {}

Task<> Controller::run() {
  const runtime::Executor executor = co_await boost::asio::this_coro::executor;
  is_working_ = true;
  deps_.requests.for_each(
      [this](const RequestPtr& request) { observe_request(request, Priority::backlog); });
  const auto handler = [this](const Item& item) { return handle(item); };
  const auto words = [](const Item& item) { return item.name.str(); };
  runtime::TaskGroup group(executor);
  group.spawn("workers", run_then_cancel(workqueue::run_workers(executor, kWorkers, queue_, handler,
                                                                words, failures_),
                                         group));
  group.spawn("clean up", clean_up());
  co_await group.join();
}

void Controller::stop() {
  queue_.shut_down(workqueue::ShutDown::drop_waiting);
}

void Controller::observe_request(const RequestPtr& after, Priority priority) {
  if (after->has_status) {
    pending_.erase(after->meta.key.name);
  } else if (is_working_) {
    queue_.add({after->driver, after->meta.key.name}, priority);
  }
}

void Controller::observe_slice(const api::ResourceSlice& slice) {
  for (const auto& [name, pending] : pending_) {
    if (pending.awaits_slices && pending.driver == slice.driver) {
      queue_.add({pending.driver, name}, {.after = kUntilSlicesSettle});
    }
  }
}

RequestPtr Controller::find_pending(const api::InternedString& name) const {
  RequestPtr request = deps_.requests.get({{}, name});
  const bool is_pending = request && !request->has_status && !request->meta.is_being_deleted;
  return is_pending ? request : nullptr;
}

Controller::Pending& Controller::pending_of(const Request& request) {
  Pending& pending = pending_[request.meta.key.name];
  if (pending.uid != request.meta.uid) {
    pending = {request.meta.uid, request.driver, deps_.time.now()};
  }
  return pending;
}

Task<Outcome> Controller::handle(Item item) {
  const RequestPtr request = find_pending(item.name);
  if (request == nullptr) pending_.erase(item.name);
  // A new request of that name, for another driver, is another item.
  if (request == nullptr || request->driver != item.driver) co_return Outcome::done();
  co_return co_await answer(request);
}

Task<Outcome> Controller::answer(RequestPtr request) {
  const runtime::MonoTime begun = deps_.time.now();
  // The lists may miss a slice that is published while they are read.
  pending_of(*request).awaits_slices = true;
  const Result<PoolInputs> inputs = co_await deps_.api.read(PoolFilter::of(*request));
  // It may have changed meanwhile. A new request of the same name is already queued.
  const api::Uid uid = request->meta.uid;
  request = find_pending(request->meta.key.name);
  if (request == nullptr || request->meta.uid != uid) co_return Outcome::done();
  Pending& pending = pending_of(*request);
  pending.awaits_slices = false;
  std::optional<api::PoolStatusAnswer> found;
  if (inputs) {
    const runtime::Duration patience = pending.since + kPatience - deps_.time.now();
    const bool waits = patience > runtime::Duration::zero();
    StatusStep step = decide_status(*request, *inputs, waits ? Patience::waits : Patience::is_over,
                                    deps_.time.wall_now());
    if (std::holds_alternative<AwaitSlices>(step)) co_return wait_for_slices(pending, patience);
    found = std::get<api::PoolStatusAnswer>(std::move(step));
  } else {
    found = give_up(pending, inputs.error());
    if (!found) co_return Outcome::retry();
  }
  co_return co_await write(std::move(request), *std::move(found), begun);
}

// The next slice wakes it earlier.
Outcome Controller::wait_for_slices(Pending& pending, runtime::Duration patience) {
  pending.refused_since.reset();
  pending.awaits_slices = true;
  return Outcome::requeue_after(patience);
}

// A server that does not respond may recover, and could not accept an answer either.
std::optional<api::PoolStatusAnswer> Controller::give_up(Pending& pending,
                                                         const runtime::Error& error) const {
  deps_.log.warning("Cannot read what a ResourcePoolStatusRequest asks for",
                    {{"driver", pending.driver.str()}, {"error", runtime::to_string(error)}});
  if (!error.http_status) {
    pending.refused_since.reset();
    return std::nullopt;
  }
  const runtime::MonoTime now = deps_.time.now();
  pending.refused_since = pending.refused_since.value_or(now);
  if (now - *pending.refused_since < kRefusalMax) return std::nullopt;
  return failed_status("Failed to list " + error.message, deps_.time.wall_now());
}

Task<Result<RequestPtr>> Controller::send(RequestPtr request, api::PoolStatusAnswer answer) {
  const bool has_zero = std::ranges::any_of(
      answer.pools, [](const api::PoolStatus& pool) { return pool.generation == 0; });
  if (has_zero && takes_generation_zero_) {
    Result<RequestPtr> written = co_await deps_.api.write_status(request, answer);
    if (written || !refuses_generation_zero(written.error())) co_return written;
    takes_generation_zero_ = false;
  }
  if (has_zero) answer = without_generation_zero(std::move(answer));
  co_return co_await deps_.api.write_status(request, std::move(answer));
}

Task<Outcome> Controller::write(RequestPtr request, api::PoolStatusAnswer answer,
                                runtime::MonoTime begun) {
  using Written = PoolStatusMetrics::Written;
  deps_.log.info("Answering a ResourcePoolStatusRequest",
                 {{"object", request->meta.key.name}, {"message", answer.message}});
  const Result<RequestPtr> written = co_await send(request, std::move(answer));
  metrics_.count(request->driver.str(), deps_.time.now() - begun,
                 written ? Written::yes : Written::no);
  if (!written) co_return settle_refusal(*request, written.error());
  deps_.own_requests.record(*written);
  co_return Outcome::done();
}

Outcome Controller::settle_refusal(const Request& request, const runtime::Error& error) {
  if (runtime::is_object_gone(error)) return Outcome::done();
  // The watch delivers the change, if there was one: an admission plugin may answer so as well.
  if (runtime::is_conflict(error)) return Outcome::retry();
  deps_.log.warning("Cannot answer a ResourcePoolStatusRequest",
                    {{"object", request.meta.key.name}, {"error", runtime::to_string(error)}});
  return Outcome::retry();
}

Task<> Controller::clean_up() {
  while (true) {
    std::vector<RequestPtr> expired;
    deps_.requests.for_each([&](const RequestPtr& request) {
      const bool is_going = request->meta.is_being_deleted;
      if (!is_going && is_expired(*request, deps_.time.wall_now())) expired.push_back(request);
    });
    for (RequestPtr& request : expired) co_await remove(std::move(request));
    co_await runtime::sleep_for(deps_.time, kCleanUpPeriod);
  }
}

Task<> Controller::remove(RequestPtr request) {
  const Result<> removed = co_await deps_.api.remove(request);
  if (removed) {
    deps_.log.info("Deleted a ResourcePoolStatusRequest that has been kept long enough",
                   {{"object", request->meta.key.name}});
  } else if (!runtime::is_object_gone(removed.error())) {
    deps_.log.warning(
        "Cannot delete a ResourcePoolStatusRequest",
        {{"object", request->meta.key.name}, {"error", runtime::to_string(removed.error())}});
  }
}

}  // namespace dcm::resource_pool_status
