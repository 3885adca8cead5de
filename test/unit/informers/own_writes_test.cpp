// The contract of own writes (store.hpp): visible at once, exactly until the watch has passed them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "informers/store.hpp"
#include "test/unit/informers/pods.hpp"

namespace dcm::informers {
namespace {

using namespace testing;
using api::ChangeType;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class OwnWritesTest : public ::testing::Test {
 protected:
  OwnWritesTest() {
    store_.add_observer(diary_);
    relist({{.name = "a", .version = 90, .claims = {"x"}}}, 100);
    diary_.take();
  }
  ~OwnWritesTest() override { store_.check(); }

  void write(const PodSpec& pod) { own_writes_.record(a_pod(pod)); }
  void see(const PodSpec& pod) { writer_.observe_change(ChangeType::modified, seen(pod)); }
  void see_deleted(const PodSpec& pod) { writer_.observe_change(ChangeType::deleted, seen(pod)); }
  void bookmark(int version) { writer_.pass(version_of(version)); }
  void relist(const std::vector<PodSpec>& pods, int version) {
    writer_.begin_relist();
    for (const auto& pod : pods) writer_.observe_listed(seen(pod));
    writer_.sweep(Cursor(), 100, version_of(version));
    writer_.end_relist(version_of(version));
  }
  // The answer to a write after which the cache drops the object.
  void write_unkept(const PodSpec& pod) { own_writes_.record({a_pod(pod)->meta, nullptr}); }
  void end(const PodSpec& pod) { own_writes_.record_gone(a_pod(pod)->meta); }
  // "none" or the version.
  std::string shown(const std::string& name) const {
    const auto pod = reader_.get(name_of(name));
    return pod ? pod->meta.resource_version.str() : "none";
  }

  Store<api::Pod> store_;
  Index<api::Pod, api::NamespacedName> claims_ = store_.add_index<api::NamespacedName>(by_claim());
  StoreWriter<api::Pod> writer_ = store_.take_writer();
  StoreReader<api::Pod> reader_ = store_.reader();
  OwnWrites<api::Pod> own_writes_ = store_.own_writes();
  Diary diary_;
};

TEST_F(OwnWritesTest, shows_write_at_once_by_name_index_and_observer) {
  write({.name = "a", .version = 105, .claims = {"y"}});
  EXPECT_EQ(shown("a"), "105");
  EXPECT_TRUE(claims_.contains(name_of("y")));
  EXPECT_FALSE(claims_.contains(name_of("x")));
  EXPECT_THAT(diary_.take(), ElementsAre("updated a@90 to 105"));
  EXPECT_EQ(own_writes_.unseen(), 1U);
}

TEST_F(OwnWritesTest, drops_unwanted_object_at_once) {
  write_unkept({.name = "a", .version = 105});
  EXPECT_EQ(shown("a"), "none");
  EXPECT_THAT(diary_.take(), ElementsAre("left a@90"));
  see({.name = "a", .version = 100});
  EXPECT_EQ(shown("a"), "none") << "older news";
  write_unkept({.name = "never-seen", .version = 106});
  EXPECT_EQ(shown("never-seen"), "none");
}

TEST_F(OwnWritesTest, does_not_restore_unwanted_object_that_list_misses) {
  write_unkept({.name = "a", .version = 105});
  relist({}, 110);
  EXPECT_EQ(shown("a"), "none");
}

TEST_F(OwnWritesTest, restores_unwanted_object_listed_before_unseen_write) {
  writer_.begin_relist();
  writer_.observe_listed(seen({.name = "a", .version = 90, .claims = {"x"}}));
  write_unkept({.name = "a", .version = 105});
  writer_.sweep(Cursor(), 100, version_of(100));
  writer_.end_relist(version_of(100));
  EXPECT_EQ(shown("a"), "none");
  bookmark(106);
  EXPECT_EQ(shown("a"), "90");
}

TEST_F(OwnWritesTest, hides_deleted_object_at_once_and_for_good) {
  end({.name = "a", .version = 90});
  EXPECT_EQ(shown("a"), "none");
  EXPECT_THAT(diary_.take(), ElementsAre("deleted a@90"));
  see({.name = "other", .version = 120});
  EXPECT_EQ(shown("a"), "none");
  diary_.take();
  see_deleted({.name = "a", .version = 130});
  EXPECT_THAT(diary_.take(), IsEmpty()) << "nobody hears of it twice";
}

TEST_F(OwnWritesTest, shows_deleted_object_seen_in_later_state) {
  end({.name = "a", .version = 90});
  see({.name = "a", .version = 140});
  EXPECT_EQ(shown("a"), "140");
}

TEST_F(OwnWritesTest, does_not_restore_deleted_object_by_unseen_write) {
  write({.name = "a", .version = 105});
  end({.name = "a", .version = 105});
  see({.name = "a", .version = 105});
  bookmark(110);
  EXPECT_EQ(shown("a"), "none");
  EXPECT_EQ(own_writes_.unseen(), 0U);
}

TEST_F(OwnWritesTest, forgets_deletion_after_list_without_object) {
  end({.name = "a", .version = 90});
  relist({}, 120);
  relist({{.name = "a", .version = 90}}, 121);
  EXPECT_EQ(shown("a"), "90") << "from a backup, at a version that counts on";
}

TEST_F(OwnWritesTest, shows_deleted_object_in_later_list) {
  end({.name = "a", .version = 90});
  relist({{.name = "a", .version = 90}}, 1'000'000);
  EXPECT_EQ(shown("a"), "90") << "from a backup, at a version that counts on";
}

TEST_F(OwnWritesTest, does_not_restore_object_deleted_during_list) {
  writer_.begin_relist();
  end({.name = "a", .version = 90});
  writer_.observe_listed(seen({.name = "a", .version = 90}));
  writer_.sweep(Cursor(), 100, version_of(100));
  writer_.end_relist(version_of(100));
  EXPECT_EQ(shown("a"), "none");
}

TEST_F(OwnWritesTest, shows_deleted_objects_after_server_rollback) {
  end({.name = "a", .version = 90});
  relist({{.name = "a", .version = 80}}, 95);
  EXPECT_EQ(shown("a"), "80");
}

TEST_F(OwnWritesTest, shows_object_deleted_during_list_after_server_rollback) {
  writer_.begin_relist();
  end({.name = "a", .version = 90});
  writer_.observe_listed(seen({.name = "a", .version = 80}));
  writer_.sweep(Cursor(), 100, version_of(95));
  writer_.end_relist(version_of(95));
  EXPECT_EQ(shown("a"), "80");
}

TEST_F(OwnWritesTest, does_not_restore_object_that_list_after_rollback_misses) {
  end({.name = "a", .version = 90});
  relist({}, 50);
  EXPECT_EQ(shown("a"), "none");
}

TEST_F(OwnWritesTest, separates_deletion_from_other_object_of_same_name) {
  end({.name = "a", .version = 90, .uid = "another"});
  EXPECT_EQ(shown("a"), "90");
}

TEST_F(OwnWritesTest, drops_writes_lost_in_server_rollback) {
  write({.name = "a", .version = 105});
  write({.name = "b", .version = 106});
  relist({{.name = "a", .version = 40}}, 50);
  EXPECT_EQ(shown("a"), "40");
  EXPECT_EQ(shown("b"), "none");
  EXPECT_EQ(own_writes_.unseen(), 0U);
}

TEST_F(OwnWritesTest, shows_created_object_at_once) {
  write({.name = "b", .version = 105, .claims = {"y"}});
  EXPECT_EQ(shown("b"), "105");
  EXPECT_TRUE(claims_.contains(name_of("y")));
}

TEST_F(OwnWritesTest, does_not_report_confirmation_of_write) {
  write({.name = "a", .version = 105});
  diary_.take();
  see({.name = "a", .version = 105});
  EXPECT_EQ(own_writes_.unseen(), 0U);
  EXPECT_THAT(diary_.take(), IsEmpty());
}

TEST_F(OwnWritesTest, holds_back_older_event_of_same_name) {
  write({.name = "a", .version = 105});
  diary_.take();
  see({.name = "a", .version = 103});
  EXPECT_EQ(shown("a"), "105");
  EXPECT_THAT(diary_.take(), IsEmpty());
}

TEST_F(OwnWritesTest, drops_only_older_writes_on_event_of_other_object) {
  write({.name = "b", .version = 105});
  see({.name = "c", .version = 104});
  EXPECT_EQ(own_writes_.unseen(), 1U);
}

TEST_F(OwnWritesTest, compares_versions_as_numbers) {
  write({.name = "a", .version = 1000});
  see({.name = "c", .version = 999});
  EXPECT_EQ(shown("a"), "1000");
}

TEST_F(OwnWritesTest, is_replaced_by_newer_event) {
  write({.name = "a", .version = 105});
  see({.name = "a", .version = 107});
  EXPECT_EQ(shown("a"), "107");
  EXPECT_EQ(own_writes_.unseen(), 0U);
}

TEST_F(OwnWritesTest, ignores_write_that_watch_has_passed) {
  bookmark(110);
  write({.name = "a", .version = 105});
  EXPECT_EQ(shown("a"), "90");
  EXPECT_EQ(own_writes_.unseen(), 0U);
  EXPECT_THAT(diary_.take(), IsEmpty());
}

TEST_F(OwnWritesTest, does_not_restore_object_deleted_immediately) {
  see({.name = "b", .version = 105});
  see_deleted({.name = "b", .version = 106});
  write({.name = "b", .version = 105});  // the answer comes late
  EXPECT_EQ(shown("b"), "none");
}

TEST_F(OwnWritesTest, removes_object_by_later_deletion) {
  write({.name = "b", .version = 105});
  diary_.take();
  see_deleted({.name = "b", .version = 106});
  EXPECT_EQ(shown("b"), "none");
  EXPECT_THAT(diary_.take(), ElementsAre("deleted b@105"));
  EXPECT_EQ(own_writes_.unseen(), 0U);
}

TEST_F(OwnWritesTest, keeps_object_created_after_deletion_of_predecessor) {
  write({.name = "a", .version = 105, .uid = "successor"});
  EXPECT_THAT(diary_.take(), ElementsAre("deleted a@90", "added a@105"));
  see_deleted({.name = "a", .version = 104});
  EXPECT_EQ(shown("a"), "105");
  EXPECT_THAT(diary_.take(), IsEmpty());
}

TEST_F(OwnWritesTest, falls_back_to_watch_if_write_never_appears) {
  write({.name = "a", .version = 105});
  write({.name = "b", .version = 106});
  see({.name = "a", .version = 103});
  diary_.take();
  bookmark(110);
  EXPECT_EQ(shown("a"), "103");
  EXPECT_EQ(shown("b"), "none");
  EXPECT_THAT(diary_.take(), ElementsAre("updated a@105 to 103", "deleted b@106"));
}

TEST_F(OwnWritesTest, keeps_newer_writes_after_bookmark) {
  write({.name = "a", .version = 105});
  write({.name = "b", .version = 120});
  bookmark(110);
  EXPECT_EQ(own_writes_.unseen(), 1U);
  EXPECT_EQ(shown("b"), "120");
}

TEST_F(OwnWritesTest, shows_newest_of_several_writes) {
  write({.name = "a", .version = 105});
  write({.name = "a", .version = 107});
  write({.name = "a", .version = 106});  // answers may come in another order
  EXPECT_EQ(shown("a"), "107");
  see({.name = "a", .version = 105});
  EXPECT_EQ(shown("a"), "107");
  EXPECT_EQ(own_writes_.unseen(), 1U);
  see({.name = "a", .version = 107});
  EXPECT_EQ(own_writes_.unseen(), 0U);
}

TEST_F(OwnWritesTest, keeps_write_after_older_relist) {
  write({.name = "b", .version = 115});
  relist({{.name = "a", .version = 90}}, 110);
  EXPECT_EQ(shown("b"), "115");
  bookmark(120);
  EXPECT_EQ(shown("b"), "none");
}

TEST_F(OwnWritesTest, follows_newer_relist) {
  write({.name = "a", .version = 105});
  write({.name = "b", .version = 106});
  diary_.take();
  relist({{.name = "a", .version = 109}}, 110);
  EXPECT_THAT(diary_.take(),
              ElementsAre("updated a@105 to 109 (initial)", "deleted b@106 (initial)"));
  EXPECT_EQ(own_writes_.unseen(), 0U);
}

TEST_F(OwnWritesTest, keeps_write_during_relist_only_if_newer) {
  writer_.begin_relist();
  write({.name = "b", .version = 105});
  write({.name = "c", .version = 115});
  writer_.observe_listed(seen({.name = "a", .version = 90}));
  writer_.sweep(Cursor(), 100, version_of(110));
  write({.name = "d", .version = 107});  // after the sweep, and not in the list
  writer_.end_relist(version_of(110));
  EXPECT_EQ(shown("b"), "none");
  EXPECT_EQ(shown("c"), "115");
  EXPECT_EQ(shown("d"), "none");
}

TEST_F(OwnWritesTest, does_not_report_object_outside_projection_as_deleted) {
  write({.name = "a", .version = 105});
  writer_.observe_change(ChangeType::modified,
                         seen_without_interest({.name = "a", .version = 103}));
  diary_.take();
  bookmark(110);
  EXPECT_THAT(diary_.take(), ElementsAre("left a@105"));
}

}  // namespace
}  // namespace dcm::informers
