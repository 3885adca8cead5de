#include "cmd/dra-controller-manager/process_metrics.hpp"

#include <gmock/gmock.h>

#include "test/support/temp_folder.hpp"

namespace dcm::dra_manager {
namespace {

using testing::HasSubstr;
using testing::Not;

// The files of /proc and /sys that tell of control groups.
class MemoryLimit : public testing::Test, protected test::TempFolder {
 protected:
  std::optional<double> limit() const { return memory_limit(dir()); }
};

TEST_F(MemoryLimit, is_that_of_container) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", "536870912\n");
  EXPECT_EQ(limit(), 512.0 * 1024 * 1024);
}

TEST_F(MemoryLimit, is_that_of_unit_on_host) {
  write("proc/self/cgroup", "1:name=systemd:/other\n0::/system.slice/manager.service\n");
  write("sys/fs/cgroup/system.slice/manager.service/memory.max", "1048576\n");
  EXPECT_EQ(limit(), 1024.0 * 1024);
}

TEST_F(MemoryLimit, is_that_of_version_1) {
  write("proc/self/cgroup", "4:memory:/docker/0123\n0::/\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "1048576\n");
  EXPECT_EQ(limit(), 1024.0 * 1024);
}

TEST_F(MemoryLimit, is_that_of_unit_on_host_of_version_1) {
  write("proc/self/cgroup", "12:pids:/other\n4:memory:/system.slice/manager.service\n0::/\n");
  write("sys/fs/cgroup/memory/system.slice/manager.service/memory.limit_in_bytes", "1048576\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(limit(), 1024.0 * 1024);
}

TEST_F(MemoryLimit, is_absent_without_one) {
  EXPECT_EQ(limit(), std::nullopt);
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", "max\n");
  EXPECT_EQ(limit(), std::nullopt);
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(limit(), std::nullopt);
}

TEST_F(MemoryLimit, follows_resized_container) {
  runtime::MetricsRegistry metrics;
  const auto refresh = register_memory_limit(metrics, dir());
  EXPECT_THAT(metrics.expose(), Not(HasSubstr("memory_limit_bytes")));
  write("sys/fs/cgroup/memory.max", "1000\n");
  EXPECT_THAT(metrics.expose(), HasSubstr("memory_limit_bytes 1000\n"));
  write("sys/fs/cgroup/memory.max", "2000\n");
  EXPECT_THAT(metrics.expose(), HasSubstr("memory_limit_bytes 2000\n"));
  write("sys/fs/cgroup/memory.max", "max\n");
  EXPECT_THAT(metrics.expose(), Not(HasSubstr("memory_limit_bytes")));
}

}  // namespace
}  // namespace dcm::dra_manager
