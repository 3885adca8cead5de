#include "shards.hpp"

#include <gtest/gtest.h>

#include "dcm/testing/virtual_cluster.hpp"

namespace shards {
namespace {

using namespace std::chrono_literals;

const std::string kSets = "/apis/shards.example.com/v1/namespaces/default/shardsets";
const std::string kMaps = "/api/v1/namespaces/default/configmaps";

// Runs with many orders of ready tasks.
class Shards : public testing::TestWithParam<int> {
 protected:
  Shards() {
    options.shards_max = 8;
    add_controllers(cluster.manager(), options);
    cluster.start();
  }

  void make(std::int64_t shards) {
    ASSERT_TRUE(
        cluster.api()
            .post(
                kSets,
                R"({"apiVersion":"shards.example.com/v1","kind":"ShardSet","metadata":{"name":"a"},"spec":{"shards":)" +
                    std::to_string(shards) + "}}")
            .ok());
    cluster.run_for(1min);
  }
  void patch(const std::string& path, const std::string& patch) {
    ASSERT_TRUE(cluster.api().patch(path, dcm::apiserver::kMerge, patch).ok());
    cluster.run_for(1min);
  }
  std::string shard(int number) { return kMaps + "/a-" + std::to_string(number); }
  std::string from(int number) {
    return std::string(cluster.api().get(shard(number)).text({"data", "from"}));
  }
  // The reason of the condition Ready.
  std::string ready() {
    const auto set = cluster.api().get(kSets + "/a");
    const auto& conditions = dcm::apiserver::array_at(set.body, {"status", "conditions"});
    return conditions.empty() ? "" : std::string(conditions[0].at("reason").as_string());
  }
  bool is_ready() {
    return cluster.manager().health().ready.run("readyz", dcm::manager::Verbose::no).is_healthy;
  }
  std::size_t events(const std::string& reason) {
    const auto all =
        cluster.api().get("/api/v1/namespaces/default/events?fieldSelector=reason=" + reason);
    return dcm::apiserver::array_at(all.body, {"items"}).size();
  }

  Options options;
  dcm::test::VirtualCluster cluster{
      {.served = {.custom = {{"shards.example.com", "v1", "shardsets", "ShardSet"}}}},
      static_cast<std::uint64_t>(GetParam())};
};

TEST_P(Shards, creates_shards_and_reports_them) {
  make(4);
  EXPECT_EQ(from(0), "0");
  EXPECT_EQ(from(3), "49152");
  EXPECT_EQ(ready(), "ShardsMade");
  EXPECT_EQ(events("ShardsMade"), 1U);
  EXPECT_NE(cluster.metrics().find("tested_shards_made_total 4\n"), std::string::npos);
  EXPECT_TRUE(is_ready());
}

TEST_P(Shards, redistributes_numbers_when_shard_count_changes) {
  make(4);
  patch(kSets + "/a", R"({"spec":{"shards":2}})");
  EXPECT_EQ(from(1), "32768");
  EXPECT_EQ(from(2), "");
  patch(kSets + "/a", R"({"spec":{"shards":100}})");
  EXPECT_EQ(from(7), "57344");
  EXPECT_EQ(from(8), "");
  EXPECT_EQ(ready(), "TooManyShards");
}

TEST_P(Shards, limits_any_number_of_shards) {
  make(3'000'000'000);  // crd.yaml does not allow it
  EXPECT_EQ(from(7), "57344");
  EXPECT_EQ(ready(), "TooManyShards");
}

TEST_P(Shards, restores_changed_and_deleted_shards) {
  make(2);
  patch(shard(0), R"({"data":{"from":"7"}})");
  EXPECT_EQ(from(0), "0");
  cluster.api().remove(shard(1));
  cluster.run_for(1min);
  EXPECT_EQ(from(1), "32768");
}

TEST_P(Shards, leaves_object_of_another_alone_until_its_name_is_free) {
  cluster.api().post(kMaps, R"({"metadata":{"name":"a-1"},"data":{"from":"theirs"}})");
  make(2);
  EXPECT_EQ(from(0), "0");
  EXPECT_EQ(from(1), "theirs");
  EXPECT_EQ(ready(), "NameTaken");
  EXPECT_EQ(events("NameTaken"), 1U);
  EXPECT_TRUE(is_ready());
  cluster.api().remove(shard(1));
  cluster.run_for(1min);
  EXPECT_EQ(from(1), "32768");
  EXPECT_EQ(ready(), "ShardsMade");
}

TEST_P(Shards, writes_nothing_because_of_keys_of_others) {
  make(2);
  cluster.server().log().clear();
  patch(shard(0), R"({"data":{"theirs":"x"}})");
  for (const auto& request : cluster.server().log().writes()) {
    EXPECT_TRUE(request.resource == "leases" || request.user_agent == "test") << request.verb;
  }
}

TEST_P(Shards, deletes_set_once_its_shards_are_unused) {
  make(2);
  patch(shard(1), R"({"metadata":{"annotations":{"shards.example.com/in-use-by":"worker-1"}}})");
  cluster.api().remove(kSets + "/a");
  cluster.run_for(1h);
  EXPECT_EQ(cluster.api().get(kSets + "/a").status, 200);
  EXPECT_EQ(events("Waiting"), 1U);
  EXPECT_TRUE(is_ready());
  patch(shard(1), R"({"metadata":{"annotations":null}})");
  EXPECT_EQ(cluster.api().get(kSets + "/a").status, 404);
  EXPECT_EQ(cluster.api().get(shard(0)).status, 404);
}

TEST_P(Shards, writes_nothing_while_nothing_changes) {
  make(3);
  cluster.server().log().clear();
  cluster.run_for(10min);
  for (const auto& request : cluster.server().log().writes()) {
    EXPECT_EQ(request.resource, "leases") << request.verb;
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, Shards, testing::Range(1, 21));

}  // namespace
}  // namespace shards
