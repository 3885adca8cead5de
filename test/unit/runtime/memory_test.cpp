#include "runtime/memory.hpp"

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"

namespace dcm::runtime {
namespace {

using namespace std::chrono_literals;

std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t size = 0;
  std::size_t resident = 0;
  statm >> size >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// Frees 32 MB except a block here and there, so that the heap cannot simply shrink.
std::vector<std::unique_ptr<std::string>> leave_holes() {
  constexpr std::size_t kBlocks = 32 * 1024;
  std::vector<std::unique_ptr<std::string>> blocks(kBlocks);
  for (auto& block : blocks) block = std::make_unique<std::string>(1024, 'x');
  for (std::size_t i = 0; i < kBlocks; ++i) {
    if (i % 256 != 0) blocks[i].reset();
  }
  return blocks;
}

CO_TEST(Memory, is_returned_within_a_minute_from_between_used_blocks) {
  TaskGroup group(loop.executor());
  group.spawn("free memory", keep_returning_free_memory(loop.time()));
  const auto kept = leave_holes();
  const std::size_t before = resident_bytes();
  co_await sleep_for(loop.time(), 61s);
// Sanitizers' allocators keep freed memory, to detect its use.
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
  EXPECT_LT(resident_bytes() + 16 * 1024 * 1024, before);
#else
  EXPECT_GT(before, 0U);
#endif
  group.cancel();
  co_await group.join();
}

}  // namespace
}  // namespace dcm::runtime
