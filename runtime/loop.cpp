#include "runtime/loop.hpp"

#include <chrono>
#include <exception>
#include <optional>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <time.h>

#include "runtime/assert.hpp"
#include "runtime/gathering.hpp"
#include "runtime/shuffled_context.hpp"
#include "runtime/task_group.hpp"

namespace dcm::runtime {
namespace asio = boost::asio;
using boost::system::error_code;

namespace {

// Runs `main` in `group` and keeps its exception.
struct MainTask {
  MainTask(Executor executor, Task<> main) : group(std::move(executor)) {
    group.spawn("main", watch(std::move(main)));
  }

  Task<> watch(Task<> main) {
    try {
      co_await std::move(main);
    } catch (...) {
      failure = std::current_exception();
    }
    ended = true;
    if (on_end) on_end();
  }

  void rethrow() const {
    if (failure) std::rethrow_exception(failure);
  }

  std::function<void()> on_end;
  std::exception_ptr failure;
  bool ended = false;
  TaskGroup group;
};

// CLOCK_BOOTTIME, and one Asio timer for the earliest of all callbacks.
class RealTime final : public TimeSource {
 public:
  explicit RealTime(asio::io_context& context) : timer_(context) {}

  MonoTime now() const noexcept override {
    timespec value{};
    clock_gettime(CLOCK_BOOTTIME, &value);
    return MonoTime(std::chrono::seconds(value.tv_sec) + Duration(value.tv_nsec));
  }

  WallTime wall_now() const noexcept override { return std::chrono::system_clock::now(); }

  TimerId schedule(MonoTime when, std::function<void()> callback) override {
    const TimerId id = timers_.add(when, std::move(callback));
    // Asio's timer stops while the machine sleeps: callbacks that became due then are noticed here.
    if (!armed_for_ || when < *armed_for_ || *armed_for_ <= now()) arm();
    return id;
  }

  void cancel(TimerId id) noexcept override { timers_.cancel(id); }

 private:
  void arm() {
    if (timers_.empty()) return armed_for_.reset();
    armed_for_ = timers_.next();
    // Saturated: Asio adds this to a clock reading of its own.
    const Duration wait = std::min<Duration>(*armed_for_ - now(), std::chrono::hours(24));
    timer_.expires_after(wait);
    timer_.async_wait([this](error_code error) {
      if (!error) run_due();
    });
  }

  void run_due() {
    const MonoTime reached = now();
    while (!timers_.empty() && timers_.next() <= reached) timers_.take()();
    arm();
  }

  TimerQueue timers_;
  std::optional<MonoTime> armed_for_;
  asio::steady_timer timer_;
};

}  // namespace

struct Loop::Impl {
  asio::io_context context{1};
  RealTime time{context};
  asio::signal_set signals{context};
  std::function<void(int)> on_signal;
  std::optional<Gathering> gathering;

  // Like run(), with pauses.
  void run_gathering() {
    MonoTime ended = time.now();
    while (context.run_one() > 0) {
      const Duration pause = gathering->next_pause(time.now() - ended);
      context.poll();
      ended = time.now();
      if (pause > Duration::zero()) std::this_thread::sleep_for(pause);
    }
  }

  void wait_for_signal() {
    signals.async_wait([this](error_code error, int signal) {
      if (error) return;
      on_signal(signal);
      wait_for_signal();
    });
  }
};

Loop::Loop() : impl_(std::make_unique<Impl>()) {}
Loop::~Loop() = default;

Executor Loop::executor() noexcept {
  return impl_->context.get_executor();
}
TimeSource& Loop::time() noexcept {
  return impl_->time;
}

void Loop::gather_events() noexcept {
  impl_->gathering.emplace();
}

void Loop::run(Task<> main) {
  MainTask task(executor(), std::move(main));
  task.on_end = [this] { impl_->context.stop(); };
  impl_->context.restart();
  if (impl_->gathering) {
    impl_->run_gathering();
  } else {
    impl_->context.run();
  }
  impl_->context.restart();
  impl_->context.poll();  // lets the task's own frame end
  task.rethrow();
}

void Loop::on_signals(std::initializer_list<int> signals, std::function<void(int)> handler) {
  for (const int signal : signals) impl_->signals.add(signal);
  impl_->on_signal = std::move(handler);
  impl_->wait_for_signal();
}

struct VirtualLoop::Impl {
  // Members are destroyed in reverse: the context goes first, together with tasks that never ended,
  // whose destructors may still use the time.
  VirtualTime time;
  asio::io_context context{1};
  std::optional<ShuffledContext> shuffled;  // if set, it is used instead

  void run_ready() {
    if (shuffled) return shuffled->run_ready();
    context.restart();
    context.poll();
  }

  bool advance_to_next(MonoTime limit) {
    if (!shuffled) return time.advance_to_next(limit);
    return shuffled->run([&] { return time.advance_to_next(limit); });
  }
};

VirtualLoop::VirtualLoop() : impl_(std::make_unique<Impl>()) {}
VirtualLoop::VirtualLoop(Rng order) : VirtualLoop() {
  impl_->shuffled.emplace(order);
}
VirtualLoop::~VirtualLoop() = default;

Executor VirtualLoop::executor() noexcept {
  if (impl_->shuffled) return impl_->shuffled->executor();
  return impl_->context.get_executor();
}
VirtualTime& VirtualLoop::time() noexcept {
  return impl_->time;
}

void VirtualLoop::run(Task<> main) {
  MainTask task(executor(), std::move(main));
  do {
    impl_->run_ready();
  } while (!task.ended && impl_->advance_to_next(MonoTime::max()));
  impl_->run_ready();
  if (!task.ended) {
    task.group.cancel();
    impl_->run_ready();
    invariant_violated("the main task waits for something that never comes",
                       std::source_location::current());
  }
  task.rethrow();
}

void VirtualLoop::run_for(Duration duration) {
  const MonoTime limit = impl_->time.now() + duration;
  do {
    impl_->run_ready();
  } while (impl_->advance_to_next(limit));
  impl_->time.advance_to(limit);
}

void VirtualLoop::run_ready() {
  impl_->run_ready();
}

void VirtualLoop::after_tasks(std::uint64_t count, std::function<void()> callback) {
  DCM_ASSERT(impl_->shuffled);
  impl_->shuffled->after_tasks(count, std::move(callback));
}

}  // namespace dcm::runtime
