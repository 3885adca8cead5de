// Which names a controller receives for a change of a cache.
#include "manager/feed.hpp"

#include <gmock/gmock.h>

#include "test/support/virtual_cluster.hpp"

namespace dcm::manager {
namespace {

using namespace std::chrono_literals;
using runtime::Task;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using workqueue::Outcome;

constexpr std::string_view kV1[] = {"v1"};
constexpr api::ResourceKind kMaps{"", "configmaps", "ConfigMap", api::Scope::namespaced, kV1};
constexpr api::ResourceKind kFoos{"example.com", "foos", "Foo", api::Scope::namespaced, kV1};
constexpr api::ResourceKind kZones{"example.com", "zones", "Zone", api::Scope::cluster, kV1};

struct Map {
  api::ObjectMeta meta;
  std::map<std::string, std::string> labels;
  std::optional<api::ControllerRef> owner;
};
struct Foo {
  api::ObjectMeta meta;
  std::int64_t generation = 0;
};

const std::string kFooType = R"("apiVersion":"example.com/v1","kind":"Foo",)";

struct Notes {
  std::vector<std::string>* handled;
  Task<Outcome> reconcile(api::NamespacedName name) {
    handled->push_back(name.str());
    co_return Outcome::done();
  }
};

class Feeds : public testing::Test {
 protected:
  void SetUp() override {
    ControllerManager& manager = cluster.manager();
    list = &manager.controller("noted", {.workers = 1}, Notes{&handled});
    maps = &manager.cache<Map>(
        kMaps, {{"metadata.labels", &Map::labels}, {"metadata.ownerReferences", &Map::owner}});
  }
  void begin() {
    cluster.start();
    cluster.run_for(10s);
    handled.clear();
  }
  std::vector<std::string> after(const std::string& path, const std::string& patch) {
    EXPECT_TRUE(cluster.api().patch(path, apiserver::kMerge, patch).ok());
    cluster.run_for(10s);
    return std::exchange(handled, {});
  }
  // `type`: of a custom kind, whose objects must state their kind.
  void make(const std::string& path, const std::string& metadata, const std::string& type = "") {
    const auto made = cluster.api().post(path, "{" + type + R"("metadata":)" + metadata + "}");
    ASSERT_TRUE(made.ok()) << apiserver::serialize(made.body);
  }

  std::vector<std::string> handled;
  test::VirtualCluster cluster{
      {.served = {.custom = {{"example.com", "v1", "foos", "Foo"},
                             {"example.com", "v1", "zones", "Zone", apiserver::Scope::cluster}}}}};
  Worklist* list = nullptr;
  Cache<Map>* maps = nullptr;
};

const std::string kMapsPath = "/api/v1/namespaces/default/configmaps";

api::NamespacedName team_of(const Map& map) {
  return {map.meta.key.namespace_, map.labels.at("team")};
}

TEST_F(Feeds, wake_old_and_new_name_of_moved_object) {
  cluster.manager().feed(*list, *maps, team_of);
  make(kMapsPath, R"({"name":"m","labels":{"team":"red"}})");
  begin();
  EXPECT_THAT(after(kMapsPath + "/m", R"({"metadata":{"labels":{"team":"blue"}}})"),
              UnorderedElementsAre("default/red", "default/blue"));
}

TEST_F(Feeds, map_object_to_any_number_of_names) {
  cluster.manager().feed(*list, *maps, [](const Map& map) {
    std::vector<api::NamespacedName> names;
    for (const auto& [label, value] : map.labels) names.push_back({map.meta.key.namespace_, label});
    return names;
  });
  make(kMapsPath, R"({"name":"m"})");
  begin();
  EXPECT_THAT(after(kMapsPath + "/m", R"({"data":{"a":"b"}})"), IsEmpty());
  EXPECT_THAT(after(kMapsPath + "/m", R"({"metadata":{"labels":{"x":"1","y":"2"}}})"),
              UnorderedElementsAre("default/x", "default/y"));
}

TEST_F(Feeds, filter_changes_by_condition) {
  auto& foos = cluster.manager().cache<Foo>(kFoos, {{"metadata.generation", &Foo::generation}});
  cluster.manager().feed(*list, foos, own_name, generation_changed);
  const std::string path = "/apis/example.com/v1/namespaces/default/foos";
  make(path, R"({"name":"f"})", kFooType);
  begin();
  EXPECT_THAT(after(path + "/f", R"({"metadata":{"labels":{"a":"b"}}})"), IsEmpty());
  EXPECT_THAT(after(path + "/f/status", R"({"status":{"a":1}})"), IsEmpty());
  EXPECT_THAT(after(path + "/f", R"({"spec":{"a":1}})"), ElementsAre("default/f"));
}

TEST_F(Feeds, take_each_change_of_kind_without_generation_as_one) {
  auto& counted = cluster.manager().cache<Foo>(kMaps, {{"metadata.generation", &Foo::generation}},
                                               {.name = "counted"});
  cluster.manager().feed(*list, counted, own_name, generation_changed);
  make(kMapsPath, R"({"name":"m"})");
  begin();
  EXPECT_THAT(after(kMapsPath + "/m", R"({"data":{"a":"b"}})"), ElementsAre("default/m"));
}

TEST_F(Feeds, wake_owner_of_requested_kind) {
  cluster.manager().owns(*list, *maps, kFoos);
  const std::string foos = "/apis/example.com/v1/namespaces/default/foos";
  make(foos, R"({"name":"f"})", kFooType);
  const std::string uid(cluster.api().get(foos + "/f").uid());
  const auto owned = [&](const std::string& name, const std::string& group, bool is_controller) {
    make(kMapsPath, R"({"name":")" + name + R"(","ownerReferences":[{"apiVersion":")" + group +
                        R"(/v1","kind":"Foo","name":"f","uid":")" + uid + R"(","controller":)" +
                        (is_controller ? "true" : "false") + "}]}");
  };
  owned("mine", "example.com", true);
  owned("of-no-controller", "example.com", false);
  owned("of-another-group", "example.org", true);
  begin();
  const std::string change = R"({"data":{"a":"b"}})";
  EXPECT_THAT(after(kMapsPath + "/mine", change), ElementsAre("default/f"));
  EXPECT_THAT(after(kMapsPath + "/of-no-controller", change), IsEmpty());
  EXPECT_THAT(after(kMapsPath + "/of-another-group", change), IsEmpty());
}

TEST_F(Feeds, name_cluster_scoped_owner_without_namespace) {
  cluster.manager().owns(*list, *maps, kZones);
  make("/apis/example.com/v1/zones", R"({"name":"z"})",
       R"("apiVersion":"example.com/v1","kind":"Zone",)");
  const std::string uid(cluster.api().get("/apis/example.com/v1/zones/z").uid());
  make(kMapsPath, R"({"name":"m","ownerReferences":[{"apiVersion":"example.com/v1","kind":"Zone",)"
                  R"("name":"z","uid":")" +
                      uid + R"(","controller":true}]})");
  begin();
  EXPECT_THAT(after(kMapsPath + "/m", R"({"data":{"a":"b"}})"), ElementsAre("z"));
}

TEST_F(Feeds, keep_unselected_objects_out_of_cache) {
  make(kMapsPath, R"({"name":"here","labels":{"app":"web"}})");
  make(kMapsPath, R"({"name":"unlabelled"})");
  make("/api/v1/namespaces", R"({"name":"elsewhere"})");
  make("/api/v1/namespaces/elsewhere/configmaps", R"({"name":"there","labels":{"app":"web"}})");
  auto& selected = cluster.manager().cache<Map>(
      kMaps, {}, {.select = {.namespace_ = "default", .label_selector = "app=web"}, .name = "web"});
  cluster.manager().feed(*list, selected);
  cluster.start();
  cluster.run_for(10s);
  EXPECT_THAT(handled, ElementsAre("default/here"));
  const bool is_asked_for = std::ranges::any_of(
      cluster.server().log().all(), [](const apiserver::LoggedRequest& request) {
        return request.verb == "watch" && request.ns == "default" &&
               request.query.contains("labelSelector=app%3Dweb");
      });
  EXPECT_TRUE(is_asked_for) << "so that a Role in the namespace is enough";
}

// team_of() throws for a map without that label.
TEST_F(Feeds, passes_over_object_for_which_a_function_throws) {
  ControllerManager& manager = cluster.manager();
  manager.feed(*list, *maps, team_of, [](const Map*, const Map* after) {
    return after == nullptr || after->labels.at("team") != "idle";
  });
  const auto teams = maps->index<api::NamespacedName>("team", team_of);
  begin();
  make(kMapsPath, R"({"name":"bad"})");
  make(kMapsPath, R"({"name":"good","labels":{"team":"a"}})");
  cluster.run_for(10s);
  EXPECT_THAT(std::exchange(handled, {}), ElementsAre("default/a"));
  EXPECT_EQ(teams.get({"default", "a"}).size(), 1U);
  EXPECT_NE(maps->get({"default", "bad"}), nullptr);
  EXPECT_NE(cluster.metrics().find("tested_worker_panics_total{name=\"configmaps\"}"),
            std::string::npos);
  EXPECT_NE(cluster.log().find("object=\"default/bad\""), std::string::npos) << cluster.log();
  EXPECT_THAT(after(kMapsPath + "/bad", R"({"metadata":{"labels":{"team":"b"}}})"),
              ElementsAre("default/b"));
}

TEST_F(Feeds, keeps_object_for_which_keep_throws) {
  auto& kept = cluster.manager().cache<Map>(
      kMaps, {{"metadata.labels", &Map::labels}},
      {.keep = [](const Map& map) { return map.labels.at("team") == "a"; }, .name = "kept"});
  begin();
  make(kMapsPath, R"({"name":"bad"})");
  make(kMapsPath, R"({"name":"good","labels":{"team":"a"}})");
  make(kMapsPath, R"({"name":"other","labels":{"team":"b"}})");
  cluster.run_for(10s);
  EXPECT_NE(kept.get({"default", "bad"}), nullptr);
  EXPECT_NE(kept.get({"default", "good"}), nullptr);
  EXPECT_EQ(kept.get({"default", "other"}), nullptr);
}

TEST(IsControlledBy, knows_owner_by_its_uid) {
  api::ObjectMeta owner;
  owner.uid = api::Uid("1");
  Map map;
  EXPECT_FALSE(is_controlled_by(map, owner));
  map.owner = api::ControllerRef{"example.com", "Foo", "a", api::Uid("2")};
  EXPECT_FALSE(is_controlled_by(map, owner)) << "an earlier object of that name";
  map.owner->uid = owner.uid;
  EXPECT_TRUE(is_controlled_by(map, owner));
}

}  // namespace
}  // namespace dcm::manager
