// Decisions from the book of prepared claims: tables. Numbers in brackets are the cases of the
// node's specification.
#include <gtest/gtest.h>

#include "node/claims/decide.hpp"
#include "test/support/objects.hpp"

namespace dcm::node {
namespace {

using test::make_claim;

ClaimView view_of(const std::string& name, const std::string& device,
                  const std::string& driver = "gpu") {
  return {.claim = make_claim(name).allocated(),
          .results = {{.device = {driver, "pool", device}, .skip_operations = {}}}};
}

Held held(const std::string& name, std::set<std::string> pods, const std::string& device = "d0") {
  return {.entry = {.namespace_ = "lab",
                    .name = name,
                    .uid = name + "-uid",
                    .pod_uids = std::move(pods),
                    .drivers = {{"gpu", {}}},
                    .extra = EntryExtra{.allocation = {{"gpu", "pool", device}}}}};
}

Book book_of(std::vector<Held> entries) {
  Book book;
  for (Held& entry : entries) book[key_of(entry.entry)] = std::move(entry);
  return book;
}

const ClaimRef kC1{"lab", "c1", "c1-uid"};
const ClaimRef kC2{"lab", "c2", "c2-uid"};

TEST(DecidePrepare, adds_entry_and_calls_driver_for_new_claim) {  // [35]
  const auto plan = decide_prepare({}, "p", {view_of("c1", "d0")});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->entries, std::vector{held("c1", {"p"})});
  EXPECT_EQ(plan->calls, (Calls{{"gpu", {kC1}}}));
}

TEST(DecidePrepare, calls_driver_once_with_all_its_claims) {  // [36]
  const auto plan = decide_prepare(
      {}, "p", {view_of("c1", "d0"), view_of("c2", "d1"), view_of("c3", "n", "nic")});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->calls, (Calls{{"gpu", {kC1, kC2}}, {"nic", {{"lab", "c3", "c3-uid"}}}}));
}

TEST(DecidePrepare, treats_claim_named_twice_as_one) {
  const auto plan = decide_prepare({}, "p", {view_of("c1", "d0"), view_of("c1", "d0")});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->entries.size(), 1U);
  EXPECT_EQ(plan->calls.at("gpu").size(), 1U);
}

TEST(DecidePrepare, skips_prepared_claim) {  // [38]
  Held prepared = held("c1", {"p"});
  prepared.is_prepared = true;
  const auto plan = decide_prepare(book_of({prepared}), "q", {view_of("c1", "d0")});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->entries.front().entry.pod_uids, (std::set<std::string>{"p", "q"}));
  EXPECT_TRUE(plan->calls.empty());
}

TEST(DecidePrepare, skips_finished_driver_in_retry) {  // [49]
  Held half = held("c1", {"p"});
  half.entry.drivers["nic"] = {};
  half.entry.extra->allocation.insert({"nic", "pool", "n"});
  half.prepared = {"gpu"};
  ClaimView view = view_of("c1", "d0");
  view.results.push_back({{"nic", "pool", "n"}});
  const auto plan = decide_prepare(book_of({half}), "p", {view});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->calls, (Calls{{"nic", {kC1}}}));
}

TEST(DecidePrepare, rejects_conflicts) {  // [50], [51], [52], [60]
  const std::vector<ClaimView> views{view_of("c1", "d0")};
  Held other_claim = held("c1", {"old"});
  other_claim.entry.uid = "u0";
  Held going = held("c1", {"old"});
  going.is_going = true;
  Held from_kubelet = held("c1", {"old"});
  from_kubelet.entry.extra.reset();
  from_kubelet.entry.drivers = {{"nic", {}}};
  const std::pair<Held, const char*> rows[] = {
      {other_claim,
       "old ResourceClaim with same name c1 and different UID u0 still exists (previous pod "
       "force-deleted?!)"},
      {going, "ResourceClaim c1 is being unprepared"},
      {held("c1", {"old"}, "d9"),
       "ResourceClaim c1: devices of an older allocation are still prepared"},
      {from_kubelet, "ResourceClaim c1: devices of an older allocation are still prepared"},
  };
  for (const auto& [entry, error] : rows) {
    const auto plan = decide_prepare(book_of({entry}), "p", views);
    ASSERT_FALSE(plan) << error;
    EXPECT_EQ(plan.error(), error);
    EXPECT_EQ(entries_in_the_way(book_of({entry}), views),
              (std::set<api::NamespacedName>{{"lab", "c1"}}));
  }
  EXPECT_TRUE(entries_in_the_way(book_of({held("c1", {"old"})}), views).empty());
}

TEST(DecidePrepare, adds_allocation_to_kubelet_entry) {
  Held from_kubelet = held("c1", {"p"});
  from_kubelet.entry.extra.reset();
  const auto plan = decide_prepare(book_of({from_kubelet}), "p", {view_of("c1", "d0")});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->entries, std::vector{held("c1", {"p"})});
}

TEST(DecidePrepare, separates_shares_of_device) {  // [80]
  ClaimView view = view_of("c1", "d0");
  view.results = {{{"gpu", "pool", "d0", "s1"}}, {{"gpu", "pool", "d0", "s2"}}};
  const auto plan = decide_prepare({}, "p", {view});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->entries.front().entry.extra->allocation.size(), 2U);
}

TEST(DecidePrepare, adds_entry_for_skipped_driver_without_call) {  // [79]
  ClaimView view = view_of("c1", "d0");
  view.results.front().skip_operations = {"*"};
  const auto plan = decide_prepare({}, "p", {view});
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->calls.empty());
  EXPECT_TRUE(plan->entries.front().entry.drivers.contains("gpu"));
}

TEST(DecideUnprepare, unprepares_claim_with_its_last_pod) {  // [38], [59]
  const Book book = book_of({held("c1", {"p"}), held("c2", {"p", "q"}), held("c3", {"q"})});
  const UnpreparePlan plan =
      decide_unprepare(book, "p", {{"lab", "c1"}, {"lab", "c2"}, {"lab", "c3"}, {"lab", "none"}});
  EXPECT_EQ(plan,
            (UnpreparePlan{
                .shared = {{"lab", "c2"}}, .last = {{"lab", "c1"}}, .calls = {{"gpu", {kC1}}}}));
}

TEST(DecideUnprepare, skips_finished_driver_in_retry) {
  Held half = held("c1", {"p"});
  half.unprepared = {"gpu"};
  const UnpreparePlan plan = decide_unprepare(book_of({half}), "p", {{"lab", "c1"}});
  EXPECT_TRUE(plan.calls.empty());
  EXPECT_EQ(plan.last.size(), 1U);
}

TEST(DecideUnprepare, ignores_entry_without_pods) {
  const UnpreparePlan plan = decide_unprepare(book_of({held("c1", {})}), "", {{"lab", "c1"}});
  EXPECT_EQ(plan.last.size(), 1U);
}

struct AnswerRow {
  const char* sentence;
  Answers answers;
  std::vector<ClaimRef> succeeded;
  std::optional<std::string> error;
};

TEST(JudgeAnswers, follows_table) {  // [45], [46]
  const AnswerRow rows[] = {
      {"all succeed, with and without devices",
       {{"c1-uid", {}}, {"c2-uid", {.devices = {{.pool = "pool", .device = "d0"}}}}},
       {kC1, kC2},
       std::nullopt},
      {"one is refused; the other has succeeded",
       {{"c1-uid", {.error = "no such device"}}, {"c2-uid", {}}},
       {kC2},
       "NodePrepareResources failed for ResourceClaim c1: no such device"},
      {"one is left out", {{"c1-uid", {}}}, {kC1}, "NodePrepareResources skipped 1 ResourceClaims"},
      {"all are left out", {}, {}, "NodePrepareResources skipped 2 ResourceClaims"},
      {"one that was not asked for comes besides",
       {{"c1-uid", {}}, {"c2-uid", {}}, {"x", {}}},
       {kC1, kC2},
       "NodePrepareResources returned result for unknown claim UID x"},
      {"one comes instead of another",
       {{"c1-uid", {}}, {"x", {}}},
       {kC1},
       "NodePrepareResources returned result for unknown claim UID x"},
  };
  for (const AnswerRow& row : rows) {
    const Verdict verdict = judge_answers("NodePrepareResources", {kC1, kC2}, row.answers);
    EXPECT_EQ(verdict.succeeded, row.succeeded) << row.sentence;
    EXPECT_EQ(verdict.error, row.error) << row.sentence;
  }
}

TEST(JudgeAnswers, names_unallocated_devices) {  // [48]
  const Entry entry = held("c1", {"p"}).entry;
  EXPECT_EQ(unallocated_devices(
                entry, "gpu", {{.pool = "pool", .device = "d0"}, {.pool = "pool", .device = "d7"}}),
            std::vector<std::string>{"gpu/pool/d7"});
  EXPECT_EQ(unallocated_devices(entry, "nic", {{.pool = "pool", .device = "d0"}}).size(), 1U);
}

}  // namespace
}  // namespace dcm::node
