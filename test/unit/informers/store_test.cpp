#include "informers/store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/unit/informers/pods.hpp"

namespace dcm::informers {
namespace {

using namespace testing;
using api::ChangeType;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class StoreTest : public ::testing::Test {
 protected:
  StoreTest() { store_.add_observer(diary_); }
  ~StoreTest() override { store_.check(); }

  void see(const PodSpec& pod) { writer_.observe_change(ChangeType::modified, seen(pod)); }
  void see_deleted(const PodSpec& pod) { writer_.observe_change(ChangeType::deleted, seen(pod)); }
  void relist(const std::vector<PodSpec>& pods, int version) {
    writer_.begin_relist();
    for (const auto& pod : pods) writer_.observe_listed(seen(pod));
    std::optional<Cursor> next = Cursor();
    while (next) next = writer_.sweep(*next, 1, version_of(version));
    writer_.end_relist(version_of(version));
  }
  std::vector<std::string> names_under(const std::string& claim) const {
    std::vector<std::string> names;
    for (const auto& pod : claims_.get(name_of(claim))) names.push_back(pod->meta.key.name.str());
    return names;
  }

  Store<api::Pod> store_;
  Index<api::Pod, api::NamespacedName> claims_ = store_.add_index<api::NamespacedName>(by_claim());
  StoreWriter<api::Pod> writer_ = store_.take_writer();
  StoreReader<api::Pod> reader_ = store_.reader();
  Diary diary_;
};

TEST_F(StoreTest, reports_additions_updates_and_deletions_in_order) {
  see({.name = "a", .version = 1});
  see({.name = "a", .version = 2});
  see_deleted({.name = "a", .version = 3});
  EXPECT_THAT(diary_.take(), ElementsAre("added a@1", "updated a@1 to 2", "deleted a@2"));
  EXPECT_EQ(reader_.size(), 0U);
}

TEST_F(StoreTest, shows_change_to_observer) {
  struct Looker final : Observer<api::Pod> {
    explicit Looker(StoreReader<api::Pod> r) : reader(r) {}
    void observe_added(const ObjectPtr<api::Pod>& pod, Origin) override {
      found = reader.get(pod->meta.key) == pod;
    }
    void observe_updated(const ObjectPtr<api::Pod>&, const ObjectPtr<api::Pod>&, Origin) override {}
    void observe_deleted(const ObjectPtr<api::Pod>& pod, Origin) override {
      found = reader.get(pod->meta.key) != nullptr;
    }
    void observe_left(const ObjectPtr<api::Pod>&, Origin) override {}
    StoreReader<api::Pod> reader;
    bool found = false;
  } looker(reader_);
  store_.add_observer(looker);
  see({.name = "a", .version = 1});
  EXPECT_TRUE(looker.found);
  see_deleted({.name = "a", .version = 2});
  EXPECT_FALSE(looker.found);
}

TEST_F(StoreTest, reports_each_version_once) {
  see({.name = "a", .version = 1});
  see({.name = "a", .version = 1});
  relist({{.name = "a", .version = 1}}, 5);
  EXPECT_THAT(diary_.take(), ElementsAre("added a@1"));
}

TEST_F(StoreTest, reports_other_uid_under_same_name_as_deletion_and_addition) {
  see({.name = "a", .version = 1, .uid = "old"});
  see({.name = "a", .version = 4, .uid = "new"});
  EXPECT_THAT(diary_.take(), ElementsAre("added a@1", "deleted a@1", "added a@4"));
}

TEST_F(StoreTest, does_not_report_object_outside_projection_as_deleted) {
  see({.name = "a", .version = 1});
  writer_.observe_change(ChangeType::modified, seen_without_interest({.name = "a", .version = 2}));
  EXPECT_THAT(diary_.take(), ElementsAre("added a@1", "left a@1"));
  EXPECT_EQ(reader_.get(name_of("a")), nullptr);
}

TEST_F(StoreTest, reports_deletion_by_uninteresting_object_of_same_name) {
  see({.name = "a", .version = 1, .uid = "old"});
  writer_.observe_change(ChangeType::added,
                         seen_without_interest({.name = "a", .version = 2, .uid = "new"}));
  EXPECT_THAT(diary_.take(), ElementsAre("added a@1", "deleted a@1"));
}

TEST_F(StoreTest, never_reports_uninteresting_object) {
  writer_.observe_change(ChangeType::added, seen_without_interest({.name = "a", .version = 1}));
  see_deleted({.name = "b", .version = 2});
  EXPECT_THAT(diary_.take(), IsEmpty());
}

TEST_F(StoreTest, reports_deletion_with_uninteresting_last_state) {
  see({.name = "a", .version = 1});
  writer_.observe_change(ChangeType::deleted, seen_without_interest({.name = "a", .version = 2}));
  EXPECT_THAT(diary_.take(), ElementsAre("added a@1", "deleted a@1"));
}

TEST_F(StoreTest, finds_all_changes_by_relist) {
  for (const char* name : {"a", "b", "c", "d", "e"}) see({.name = name, .version = 1});
  diary_.take();
  writer_.begin_relist();
  writer_.observe_listed(seen({.name = "a", .version = 1}));
  writer_.observe_listed(seen({.name = "b", .version = 7}));
  writer_.observe_listed(seen_without_interest({.name = "c", .version = 8}));
  writer_.observe_listed(seen({.name = "f", .version = 9}));
  writer_.sweep(Cursor(), 100, version_of(10));
  writer_.end_relist(version_of(10));
  EXPECT_THAT(diary_.take(),
              ElementsAre("updated b@1 to 7 (initial)", "left c@1 (initial)", "added f@9 (initial)",
                          "deleted d@1 (initial)", "deleted e@1 (initial)"));
}

// A server that was reset to an earlier state gives versions a second time.
TEST_F(StoreTest, compares_listed_object_of_known_version) {
  relist({{.name = "a", .claims = {"x"}}}, 5);
  diary_.take();
  relist({{.name = "a", .claims = {"x"}}}, 5);
  EXPECT_THAT(diary_.take(), IsEmpty());
  relist({{.name = "a", .claims = {"y"}}}, 5);
  EXPECT_THAT(diary_.take(), ElementsAre("updated a@1 to 1 (initial)"));
  EXPECT_EQ(claims_.get(name_of("y")).size(), 1);
}

TEST_F(StoreTest, forgets_interrupted_relist) {
  relist({{.name = "a"}, {.name = "b"}}, 5);
  writer_.begin_relist();
  writer_.observe_listed(seen({.name = "b"}));  // and then the page expires
  diary_.take();
  relist({{.name = "a"}}, 9);
  EXPECT_THAT(diary_.take(), ElementsAre("deleted b@1 (initial)"));
}

TEST_F(StoreTest, finds_replaced_object_by_relist) {
  see({.name = "a", .version = 1, .uid = "old"});
  diary_.take();
  relist({{.name = "a", .version = 5, .uid = "new"}}, 6);
  EXPECT_THAT(diary_.take(), ElementsAre("deleted a@1 (initial)", "added a@5 (initial)"));
}

TEST_F(StoreTest, accepts_list_of_restored_etcd) {
  see({.name = "a", .version = 100});
  relist({{.name = "a", .version = 40}}, 50);
  EXPECT_EQ(reader_.get(name_of("a"))->meta.resource_version, version_of(40));
}

TEST_F(StoreTest, updates_index_on_every_change) {
  see({.name = "a", .version = 1, .claims = {"x", "y"}});
  see({.name = "b", .version = 2, .claims = {"y"}});
  EXPECT_THAT(names_under("x"), ElementsAre("a"));
  EXPECT_THAT(names_under("y"), ElementsAre("a", "b"));
  see({.name = "a", .version = 3, .claims = {"z"}});
  EXPECT_THAT(names_under("x"), IsEmpty());
  EXPECT_THAT(names_under("y"), ElementsAre("b"));
  EXPECT_THAT(names_under("z"), ElementsAre("a"));
  see_deleted({.name = "a", .version = 4});
  EXPECT_FALSE(claims_.contains(name_of("z")));
}

TEST_F(StoreTest, keeps_place_in_index_with_same_keys) {
  see({.name = "a", .version = 1, .claims = {"x"}});
  see({.name = "b", .version = 2, .claims = {"x"}});
  see({.name = "a", .version = 3, .claims = {"x"}});
  EXPECT_THAT(names_under("x"), ElementsAre("a", "b"));
}

TEST_F(StoreTest, lists_object_once_under_repeated_key) {
  see({.name = "a", .version = 1, .claims = {"x", "x"}});
  EXPECT_THAT(names_under("x"), ElementsAre("a"));
}

TEST_F(StoreTest, asserts_that_iteration_sees_no_change) {
  see({.name = "a", .version = 1});
  EXPECT_THROW(reader_.for_each([&](const auto&) { see({.name = "b", .version = 2}); }),
               runtime::InvariantViolation);
}

TEST_F(StoreTest, visits_everything_once_in_sliced_walk) {
  std::vector<std::string> visited;
  for (const char* name : {"a", "b", "c", "d", "e"}) see({.name = name, .version = 1});
  see_deleted({.name = "c", .version = 2});
  std::optional<Cursor> next = Cursor();
  while (next) {
    next = reader_.visit_slice(
        *next, 2, [&](const auto& pod) { visited.push_back(pod->meta.key.name.str()); });
  }
  EXPECT_THAT(visited, ElementsAre("a", "b", "d", "e"));
}

TEST_F(StoreTest, returns_bytes_of_removed_objects) {
  see({.name = "a", .version = 1});
  const std::size_t with_one = store_.bytes();
  see({.name = "b", .version = 2, .claims = {"a-claim-with-a-name-that-is-not-short"}});
  EXPECT_GT(store_.bytes(), with_one + sizeof(api::Pod));
  see_deleted({.name = "b", .version = 3});
  EXPECT_LT(store_.bytes(), with_one + sizeof(api::Pod));
}

// Equal hashes: only comparing keys distinguishes objects.
struct Colliding {
  int value;
  friend bool operator==(Colliding, Colliding) = default;
};

}  // namespace
}  // namespace dcm::informers

template <>
struct std::hash<dcm::informers::Colliding> {
  std::size_t operator()(dcm::informers::Colliding) const noexcept { return 7; }
};

namespace dcm::informers {
namespace {

// Each look-up that finds an object with few keys extracts them again, to compare.
TEST(Index, extracts_thousands_of_keys_only_when_object_changes) {
  constexpr int kKeys = 5'000;
  int extracted = 0;
  Store<api::Pod> store;
  const auto index = store.add_index<int>([&extracted](const api::Pod&, const Emit<int>& emit) {
    for (int key = 0; key < kKeys; ++key, ++extracted) emit(key);
  });
  auto writer = store.take_writer();
  for (int version = 1; version <= 2; ++version) {
    writer.observe_change(ChangeType::added, seen({.name = "a", .version = version}));
  }
  for (int key = 0; key < kKeys; ++key) ASSERT_TRUE(index.contains(key)) << key;
  EXPECT_FALSE(index.contains(kKeys));
  EXPECT_LE(extracted, 4 * kKeys) << "twice for each of two versions";
  writer.observe_change(ChangeType::deleted, seen({.name = "a", .version = 3}));
  EXPECT_FALSE(index.contains(0));
}

TEST(Index, distinguishes_keys_of_same_hash) {
  Store<api::Pod> store;
  const auto by_version =
      store.add_index<Colliding>([](const api::Pod& pod, const Emit<Colliding>& emit) {
        const int version = std::stoi(pod.meta.resource_version.str());
        emit({version});
        emit({-version});
      });
  auto writer = store.take_writer();
  for (int i = 1; i <= 3; ++i) {
    writer.observe_change(ChangeType::added, seen({.name = std::to_string(i), .version = i}));
  }
  EXPECT_EQ(by_version.get({2}).size(), 1U);
  EXPECT_EQ(by_version.get({-2}).at(0)->meta.key.name, "2");
  EXPECT_FALSE(by_version.contains({4}));
  store.check();
}

}  // namespace
}  // namespace dcm::informers
