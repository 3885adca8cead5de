#include "hello.hpp"

#include <gtest/gtest.h>

#include "dcm/testing/virtual_cluster.hpp"

namespace hello {
namespace {

using namespace std::chrono_literals;

constexpr const char* kGreetings = "/apis/hello.example.com/v1/namespaces/default/greetings";
constexpr const char* kMap = "/api/v1/namespaces/default/configmaps/ada";

// [test]
// Runs with many orders of ready tasks.
class Hello : public testing::TestWithParam<int> {
 protected:
  Hello() { add_controllers(cluster.manager()); }

  void greet() {
    ASSERT_TRUE(cluster.api()
                    .post(kGreetings, R"({"apiVersion":"hello.example.com/v1","kind":"Greeting",)"
                                      R"("metadata":{"name":"ada"},"spec":{"who":"Ada"}})")
                    .ok());
  }
  std::string text() { return std::string(cluster.api().get(kMap).text({"data", "text"})); }

  dcm::test::VirtualCluster cluster{
      {.served = {.custom = {{"hello.example.com", "v1", "greetings", "Greeting"}}}},
      static_cast<std::uint64_t>(GetParam())};
};

TEST_P(Hello, writes_config_map_for_greeting) {
  cluster.start();
  greet();
  cluster.run_for(1min);
  EXPECT_EQ(text(), "Hello, Ada!");
  EXPECT_NE(cluster.metrics().find("tested_informer_objects{resource=\"greetings\"} 1\n"),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Orders, Hello, testing::Range(1, 21));
// [test]

TEST_P(Hello, restores_what_others_change) {
  cluster.start();
  greet();
  cluster.run_for(1min);
  cluster.api().patch(kMap, dcm::apiserver::kMerge, R"({"data":{"text":"Bye"}})");
  cluster.run_for(1min);
  EXPECT_EQ(text(), "Hello, Ada!");
}

TEST_P(Hello, leaves_map_of_others_alone) {
  ASSERT_TRUE(cluster.api()
                  .post("/api/v1/namespaces/default/configmaps",
                        R"({"metadata":{"name":"ada"},"data":{"text":"Theirs"}})")
                  .ok());
  cluster.start();
  greet();
  cluster.run_for(1h);
  EXPECT_EQ(text(), "Theirs");
  const auto events =
      cluster.api().get("/api/v1/namespaces/default/events?fieldSelector=reason=NameTaken");
  EXPECT_EQ(dcm::apiserver::array_at(events.body, {"items"}).size(), 1U);
  cluster.api().remove(kMap);
  cluster.run_for(1min);
  EXPECT_EQ(text(), "Hello, Ada!");
}

TEST_P(Hello, retries_while_server_refuses) {
  int refused = 0;
  cluster.server().before([&](const dcm::apiserver::LoggedRequest& request) {
    const bool is_ours = request.resource == "configmaps";
    std::optional<dcm::apiserver::Response> answer;
    if (is_ours && request.is_write() && ++refused <= 5) {
      answer = dcm::apiserver::Response{.status = 500, .body = "{}"};
    }
    return answer;
  });
  cluster.start();
  greet();
  cluster.run_for(10min);
  EXPECT_EQ(refused, 6);
  EXPECT_EQ(text(), "Hello, Ada!");
}

TEST_P(Hello, works_only_with_lease) {
  ASSERT_TRUE(cluster.api()
                  .post("/apis/coordination.k8s.io/v1/namespaces/default/leases",
                        R"({"metadata":{"name":"tested"},"spec":{"holderIdentity":"another",)"
                        R"("leaseDurationSeconds":3600,)"
                        R"("renewTime":"2024-10-04T00:00:00.000000Z"}})")
                  .ok());
  cluster.start();
  greet();
  cluster.run_for(30min);
  EXPECT_EQ(text(), "");
  cluster.run_for(1h);
  EXPECT_EQ(text(), "Hello, Ada!");
}

TEST_P(Hello, hands_its_work_to_another_instance) {
  cluster.start();
  cluster.run_for(1min);
  cluster.another_instance(add_controllers);
  cluster.manager().request_stop();
  cluster.run_for(1min);
  greet();
  cluster.run_for(1min);
  EXPECT_EQ(text(), "Hello, Ada!");
}

}  // namespace
}  // namespace hello
