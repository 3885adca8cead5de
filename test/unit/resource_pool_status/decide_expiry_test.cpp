// When a request is deleted.
#include "controllers/resource_pool_status/rules/decide_expiry.hpp"

#include <chrono>
#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace dcm::resource_pool_status {
namespace {

using namespace std::chrono_literals;

const runtime::WallTime kNow{std::chrono::hours(500'000)};

struct Row {
  std::string name;
  bool has_status;
  std::optional<runtime::Duration> created_before;
  std::optional<runtime::Duration> answered_before;
  bool is_expired;
};

class Expiry : public testing::TestWithParam<Row> {};

TEST_P(Expiry, is_decided) {
  const Row& row = GetParam();
  api::ResourcePoolStatusRequest request;
  request.has_status = row.has_status;
  if (row.created_before) request.created = kNow - *row.created_before;
  if (row.answered_before) request.answered = kNow - *row.answered_before;
  EXPECT_EQ(is_expired(request, kNow), row.is_expired);
}

INSTANTIATE_TEST_SUITE_P(Requests, Expiry,
                         testing::Values(Row{"PendingForADay", false, 24h, {}, false},
                                         Row{"PendingForLongerThanADay", false, 24h + 1s, {}, true},
                                         Row{"AnsweredAnHourAgo", true, 100h, 1h, false},
                                         Row{"AnsweredMoreThanAnHourAgo", true, 100h, 1h + 1s,
                                             true},
                                         Row{"WithStatusThatSaysNothing", true, 1h + 1s, {}, true},
                                         Row{"OfUnknownAge", false, {}, {}, false}),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace dcm::resource_pool_status
