// Many watches: which of them are notified of a change, in which order, and what is encoded only
// once.
#include "apiserver/kinds/kinds.hpp"
#include "apiserver/model/resource_table.hpp"
#include "apiserver/registry/object_texts.hpp"
#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

class ManyWatches : public Api {
 protected:
  // Opens a watch that records its name when it is notified.
  void open(const std::string& name, const std::string& path) {
    auto watch = api.watch(path + "?watch=1&resourceVersion=1");
    ASSERT_TRUE(watch);
    (*watch)->on_ready([this, name] { told.push_back(name); });
    watches.push_back(std::move(*watch));
  }

  std::vector<std::string> told;
  std::vector<std::unique_ptr<Watch>> watches;
};

TEST_F(ManyWatches, notify_only_their_resource_and_namespace) {
  open("pods", "/api/v1/pods");
  open("config maps of default", "/api/v1/namespaces/default/configmaps");
  open("all config maps", "/api/v1/configmaps");
  open("config maps of kube-system", "/api/v1/namespaces/kube-system/configmaps");
  open("nodes", "/api/v1/nodes");
  api.post("/api/v1/namespaces/default/configmaps", R"({"metadata":{"name":"a"}})");
  EXPECT_EQ(told, (std::vector<std::string>{"all config maps", "config maps of default"}));
  told.clear();
  api.post("/api/v1/nodes", R"({"metadata":{"name":"n"}})");
  EXPECT_EQ(told, (std::vector<std::string>{"nodes"}));
}

TEST_F(ManyWatches, are_notified_in_opening_order) {
  for (const auto* name : {"first", "second", "third"}) open(name, "/api/v1/nodes");
  watches.erase(watches.begin() + 1);
  open("fourth", "/api/v1/nodes");
  api.post("/api/v1/nodes", R"({"metadata":{"name":"n"}})");
  EXPECT_EQ(told, (std::vector<std::string>{"first", "third", "fourth"}));
}

TEST_F(ManyWatches, share_text_among_ten_thousand) {
  for (int i = 0; i < 10'000; ++i) open("", "/api/v1/nodes");
  api.post("/api/v1/nodes", R"({"metadata":{"name":"n","labels":{"a":"b"}}})");
  EXPECT_EQ(told.size(), 10'000U);
  const auto text = watches.front()->next();
  ASSERT_TRUE(text);
  for (const auto& watch : watches) {
    if (watch != watches.front()) EXPECT_EQ(watch->next(), text);
  }
  watches.clear();
  EXPECT_EQ(server.open_watches(), 0U);
}

TEST_F(ManyWatches, share_text_with_late_watch) {
  auto early = api.watch("/api/v1/nodes?watch=1");
  api.post("/api/v1/nodes", R"({"metadata":{"name":"n"}})");
  auto late = api.watch("/api/v1/nodes?watch=1");
  ASSERT_TRUE(early && late);
  const auto text = (*early)->next();
  ASSERT_TRUE(text);
  EXPECT_EQ((*late)->next(), text);
  api.patch("/api/v1/nodes/n", kMerge, R"({"metadata":{"labels":{"a":"b"}}})");
  auto later = api.watch("/api/v1/nodes?watch=1");
  ASSERT_TRUE(later);
  EXPECT_EQ(summary(drain(**early)), (std::vector<std::string>{"MODIFIED n"}));
  EXPECT_EQ(summary(drain(**later)), (std::vector<std::string>{"ADDED n"}));
}

TEST_F(ManyWatches, derive_event_type_from_selector) {
  auto all = api.watch("/api/v1/nodes?watch=1");
  auto some = api.watch("/api/v1/nodes?watch=1&labelSelector=a=b");
  ASSERT_TRUE(all && some);
  api.post("/api/v1/nodes", R"({"metadata":{"name":"n"}})");
  api.patch("/api/v1/nodes/n", kMerge, R"({"metadata":{"labels":{"a":"b"}}})");
  api.patch("/api/v1/nodes/n", kMerge, R"({"metadata":{"labels":{"a":"c"}}})");
  EXPECT_EQ(summary(drain(**all)),
            (std::vector<std::string>{"ADDED n", "MODIFIED n", "MODIFIED n"}));
  const auto events = drain(**some);
  EXPECT_EQ(summary(events), (std::vector<std::string>{"ADDED n", "DELETED n"}));
  // As it was when the selector matched, with the version of the change.
  EXPECT_EQ(text_at(events.back(), {"object", "metadata", "labels", "a"}), "b");
}

class ObjectTextsTest : public ::testing::Test {
 protected:
  ObjectTexts::Text text_of(const Stored& object, std::string_view version = "v1") {
    return texts_.get(types_.get("resourceclaims"), version, object, Encoding::json);
  }
  static Stored object_of(std::size_t bytes) {
    return std::make_shared<const JsonObject>(
        JsonObject{{"metadata", JsonObject{{"name", std::string(bytes, 'x')}}}});
  }

 private:
  ResourceTable types_{built_in_kinds(), ServedVersions()};
  ObjectTexts texts_;
};

TEST_F(ObjectTextsTest, encodes_object_once_per_version) {
  const Stored object = object_of(1);
  const auto first = text_of(object);
  EXPECT_EQ(
      *first,
      R"({"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1","metadata":{"name":"x"}})");
  EXPECT_EQ(text_of(object), first);
  EXPECT_NE(text_of(object, "v1beta1"), first);
  EXPECT_NE(text_of(object_of(1)), first);
}

TEST_F(ObjectTextsTest, forgets_oldest_above_limit) {
  const Stored one = object_of(10 * 1024 * 1024);
  const Stored other = object_of(10 * 1024 * 1024);
  const auto first = text_of(one);
  const auto second = text_of(other);
  EXPECT_EQ(text_of(other), second);
  EXPECT_NE(text_of(one), first);
}

}  // namespace
}  // namespace dcm::apiserver
