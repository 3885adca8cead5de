#include "playground/objects/each.hpp"

#include <string>

#include "runtime/task_group.hpp"

namespace dcm::playground {
namespace {

constexpr std::size_t kAtATime = 16;

// The position of the workers.
struct Progress {
  std::size_t next = 0;
  std::size_t count;
  runtime::Result<> result;
};

// `progress` and `work` live in the frame of for_each_number(), which joins.
runtime::Task<> take_numbers(Progress& progress, const Numbered& work) {
  while (progress.next < progress.count && progress.result) {
    runtime::Result<> done = co_await work(progress.next++);
    if (!done) progress.result = std::move(done);
  }
}

}  // namespace

runtime::Task<runtime::Result<>> for_each_number(runtime::Executor executor, std::size_t count,
                                                 Numbered work) {
  Progress progress{.count = count, .result = {}};
  runtime::TaskGroup group(executor);
  for (std::size_t taker = 0; taker < kAtATime; ++taker) {
    group.spawn("taker " + std::to_string(taker), take_numbers(progress, work));
  }
  co_await group.join();
  co_return progress.result;
}

}  // namespace dcm::playground
