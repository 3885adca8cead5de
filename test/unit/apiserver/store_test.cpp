#include "apiserver/store/store.hpp"

#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

JsonObject object(int value) {
  return {{"metadata", JsonObject()}, {"value", value}};
}

std::string listed(const Store& store, Revision at, std::string_view start = "") {
  std::string text;
  for (const auto& entry : store.list("things", "", start, at)) {
    text += entry.key + "=" + std::to_string(integer_at(*entry.object, {"value"}).value()) + " ";
  }
  return text;
}

TEST(Store, numbers_writes_of_all_resources) {
  Store store({.changes = 10}, 5);
  EXPECT_EQ(text_at(*store.put("things", "a", object(1)), {"metadata", "resourceVersion"}), "6");
  EXPECT_EQ(text_at(*store.put("others", "a", object(1)), {"metadata", "resourceVersion"}), "7");
  EXPECT_EQ(text_at(*store.remove("things", "a"), {"metadata", "resourceVersion"}), "8");
  EXPECT_EQ(store.get("things", "a"), nullptr);
}

TEST(Store, lists_any_state_in_history) {
  Store store({.changes = 10}, 0);
  store.put("things", "b", object(1));  // 1
  store.put("things", "d", object(1));  // 2
  store.put("things", "b", object(2));  // 3
  store.remove("things", "d");          // 4
  store.put("things", "a", object(1));  // 5
  store.put("things", "e", object(1));  // 6
  EXPECT_EQ(listed(store, 0), "");
  EXPECT_EQ(listed(store, 1), "b=1 ");
  EXPECT_EQ(listed(store, 2), "b=1 d=1 ");
  EXPECT_EQ(listed(store, 3), "b=2 d=1 ");
  EXPECT_EQ(listed(store, 4), "b=2 ");
  EXPECT_EQ(listed(store, 5), "a=1 b=2 ");
  EXPECT_EQ(listed(store, 6), "a=1 b=2 e=1 ");
  EXPECT_EQ(listed(store, 3, "c"), "d=1 ");
}

TEST(Store, forgets_oldest_changes_beyond_limit) {
  Store store({.changes = 2}, 0);
  store.put("things", "a", object(1));
  store.put("others", "a", object(1));
  EXPECT_TRUE(store.is_kept("things", 0));
  store.put("things", "a", object(2));
  store.put("things", "a", object(3));
  EXPECT_FALSE(store.is_kept("things", 0));
  EXPECT_TRUE(store.is_kept("things", 1));
  EXPECT_TRUE(store.is_kept("others", 0));
  EXPECT_EQ(store.change("things", 0), nullptr);
  ASSERT_NE(store.change("things", 1), nullptr);
  EXPECT_EQ(store.change("things", 1)->revision, 3U);
  EXPECT_EQ(store.first_change_after("things", 3), 2U);
  EXPECT_EQ(store.next_change("things"), 3U);
}

TEST(Store, forgets_history_on_compaction) {
  Store store({.changes = 10}, 0);
  store.put("things", "a", object(1));
  store.put("others", "a", object(1));
  store.compact(2);
  EXPECT_FALSE(store.is_kept("things", 1));
  EXPECT_FALSE(store.is_kept("never written", 1));
  EXPECT_TRUE(store.is_kept("things", 2));
  EXPECT_EQ(listed(store, 2), "a=1 ");
}

TEST(Store, can_keep_last_changes_on_compaction) {
  Store store({.changes = 10}, 0);
  store.put("things", "a", object(1));
  store.put("things", "a", object(2));
  store.put("things", "a", object(3));
  store.compact(2);
  EXPECT_FALSE(store.is_kept("things", 1));
  EXPECT_EQ(listed(store, 2), "a=2 ");
  ASSERT_NE(store.change("things", 2), nullptr);
  EXPECT_EQ(store.change("things", 2)->revision, 3U);
}

TEST(Store, orders_namespaces_like_etcd) {
  Store store({.changes = 10}, 0);
  store.put("things", object_key("a", "x"), object(1));
  store.put("things", object_key("a-b", "x"), object(2));
  EXPECT_EQ(listed(store, 2), "a-b/x=2 a/x=1 ");
}

}  // namespace
}  // namespace dcm::apiserver
