#include "runtime/open_files.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace dcm::runtime {
namespace {

TEST(OpenFiles, raises_soft_limit_to_hard_limit) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit low{.rlim_cur = 64, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_EQ(open_files_max(), 64U);
  allow_all_open_files();
  EXPECT_EQ(open_files_max(), before.rlim_max);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace dcm::runtime
