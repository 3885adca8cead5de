#include "playground/taint/edit_taints.hpp"

#include <gmock/gmock.h>

namespace dcm::playground {
namespace {

using runtime::Reason;
using testing::HasSubstr;

const std::string kTaint =
    R"({"key":"hot","value":"yes","effect":"NoExecute","timeAdded":"2026-11-21T10:00:00Z"})";

std::string slice(const std::string& name, int generation, const std::string& devices,
                  const std::string& pool = "node-0") {
  return R"({"metadata":{"name":")" + name + R"(","uid":"u","resourceVersion":"7"},"spec":{)" +
         R"("driver":"gpu","pool":{"name":")" + pool + R"(","generation":)" +
         std::to_string(generation) + R"(},"devices":[)" + devices + "]}}";
}

std::string page(const std::string& items, const std::string& token = "") {
  return R"({"metadata":{"continue":")" + token + R"("},"items":[)" + items + "]}";
}

runtime::Result<std::string> find(std::initializer_list<std::string> slices,
                                  const std::string& device = "dev-0") {
  SliceSearch search({"gpu", "node-0", device});
  for (const std::string& each : slices) EXPECT_TRUE(search.look_through(page(each)));
  return search.take_found();
}

TEST(SliceSearch, finds_slice_of_device) {
  const auto found =
      find({slice("a", 1, R"({"name":"dev-1"})"), slice("b", 1, R"({"name":"dev-0"})")});
  ASSERT_TRUE(found);
  EXPECT_THAT(*found, HasSubstr(R"("name":"b")"));
}

TEST(SliceSearch, ignores_slices_of_old_generation_in_any_order) {
  const std::string old = slice("old", 1, R"({"name":"dev-0"})");
  const std::string current = slice("current", 2, R"({"name":"dev-0"})");
  for (const auto& found : {find({old, current}), find({current, old})}) {
    ASSERT_TRUE(found);
    EXPECT_THAT(*found, HasSubstr("current"));
  }
  EXPECT_FALSE(find({old, slice("current", 2, R"({"name":"dev-1"})")}));
}

TEST(SliceSearch, suggests_alternatives) {
  EXPECT_THAT(find({}).error().message, HasSubstr("no slice of driver gpu; there are: none"));
  EXPECT_THAT(find({slice("a", 1, "", "node-9")}).error().message,
              HasSubstr("no pool node-0; it has: node-9"));
  EXPECT_THAT(find({slice("a", 1, R"({"name":"dev-1"},{"name":"dev-2"})")}).error().message,
              HasSubstr("no device dev-0; it has: dev-1 and dev-2"));
}

TEST(SliceSearch, continues_across_pages) {
  SliceSearch search({"gpu", "node-0", "dev-0"});
  EXPECT_EQ(search.look_through(page("", "next")), "next");
  EXPECT_EQ(search.look_through(page("")), "");
  EXPECT_FALSE(search.look_through("<html>"));
}

// The devices of the patch that applies `changes` to dev-0 with `taints`.
std::string edited(const std::string& taints, const TaintChanges& changes) {
  const auto edit = edit_taints(slice("s", 3,
                                      R"({"name":"dev-0","attributes":{"a":{"int":1}},"taints":[)" +
                                          taints + R"(]},{"name":"dev-1"})"),
                                "dev-0", changes);
  return edit ? edit->patch : "failed: " + edit.error().message;
}

std::string patch(const std::string& taints) {
  return R"({"metadata":{"uid":"u","resourceVersion":"7"},"spec":{"devices":[{"name":"dev-0",)"
         R"("attributes":{"a":{"int":1}},"taints":[)" +
         taints + R"(]},{"name":"dev-1"}]}})";
}

TEST(EditTaints, adds_taint_and_keeps_the_rest) {
  EXPECT_EQ(edited(kTaint, {.add = {{"bad", "ecc", "NoExecute"}, {"bad", "", "None"}}}),
            patch(kTaint + R"(,{"key":"bad","value":"ecc","effect":"NoExecute"},)"
                           R"({"key":"bad","effect":"None"})"));
}

TEST(EditTaints, removes_by_key_and_optional_effect) {
  const std::string both = kTaint + R"(,{"key":"hot","effect":"None"})";
  EXPECT_EQ(edited(both, {.remove = {{"hot", "", ""}}}), patch(""));
  EXPECT_EQ(edited(both, {.remove = {{"hot", "", "None"}}}), patch(kTaint));
}

TEST(EditTaints, replaces_taint_only_on_request) {
  TaintChanges changes{.add = {{"hot", "no", "NoExecute"}}};
  EXPECT_THAT(edited(kTaint, changes), HasSubstr("--overwrite"));
  changes.overwrite = Overwrite::yes;
  EXPECT_EQ(edited(kTaint, changes), patch(R"({"key":"hot","value":"no","effect":"NoExecute"})"));
}

TEST(EditTaints, rejects_removal_of_missing_taint) {
  EXPECT_THAT(edited(kTaint, {.remove = {{"cold", "", "None"}}}),
              HasSubstr("taint \"cold:None\" not found"));
}

TEST(EditTaints, reports_like_kubectl) {
  const auto done = [](const TaintChanges& changes) {
    return edit_taints(slice("s", 1, R"({"name":"dev-0","taints":[)" + kTaint + "]}"), "dev-0",
                       changes)
        ->done;
  };
  EXPECT_EQ(done({.add = {{"a", "", "None"}}}), "tainted");
  EXPECT_EQ(done({.remove = {{"hot", "", ""}}}), "untainted");
  EXPECT_EQ(done({.add = {{"a", "", "None"}}, .remove = {{"hot", "", ""}}}), "modified");
}

}  // namespace
}  // namespace dcm::playground
