#include "manager/find_version.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "controllers/api/resources.hpp"
#include "runtime/task_group.hpp"
#include "test/unit/client/rest_client_fixture.hpp"

namespace dcm::manager {
namespace {

using namespace std::chrono_literals;

TEST(FindVersion, logs_lasting_cause_every_five_minutes) {
  runtime::VirtualLoop loop;
  client::RestClientFixture site(loop);
  client::Discovery discovery(site.client);
  runtime::Rng rng(1);
  const Process process{loop, site.metrics, rng, runtime::Logger(site.log_backend)};
  for (int i = 0; i < 12; ++i) {  // it asks every 30 s
    site.http.answer({.status = 404, .headers = {}, .body = "404 page not found"});
  }
  std::optional<runtime::Problem> why;
  runtime::TaskGroup group(loop.executor());
  group.spawn("find", [](auto& found, const auto& in, auto& reason) -> runtime::Task<> {
    co_await find_version(found, in, api::kPodGroups, reason);
  }(discovery, process, why));
  const auto warnings = [&] {
    return std::ranges::count_if(*site.lines, [](const std::string& line) {
      return line.find("Waiting until a kind is served") != std::string::npos;
    });
  };
  loop.run_for(4min + 50s);
  EXPECT_EQ(warnings(), 1);
  ASSERT_TRUE(why);
  EXPECT_TRUE(why->whole.starts_with("the API server serves podgroups in no version"))
      << why->whole;
  loop.run_for(30s);
  EXPECT_EQ(warnings(), 2);
  group.cancel();
  loop.run(group.join());
}

}  // namespace
}  // namespace dcm::manager
