#include "apiserver/fields/patches.hpp"

#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

struct StrategicRow {
  std::string_view sentence;
  std::string_view kind;
  std::string_view before;
  std::string_view patch;
  std::string_view after;
};

std::string_view group_of(std::string_view kind) {
  if (kind == "Deployment") return "apps";
  if (kind.ends_with("WebhookConfiguration")) return "admissionregistration.k8s.io";
  return kind == "Pod" || kind == "Service" ? "" : "resource.k8s.io";
}

class StrategicMerge : public ::testing::TestWithParam<StrategicRow> {};

TEST_P(StrategicMerge, merges) {
  const StrategicRow& row = GetParam();
  JsonObject object = object_of(row.before);
  const auto merged = apply_strategic_merge_patch(object, object_of(row.patch),
                                                  schema_of(group_of(row.kind), row.kind));
  ASSERT_TRUE(merged.has_value()) << row.sentence << ": " << merged.error().message;
  EXPECT_EQ(object, object_of(row.after)) << row.sentence << "\n" << serialize(object);
}

constexpr StrategicRow kStrategicRows[] = {
    {"an object is merged member by member", "Pod", R"({"a":{"x":1,"y":2}})", R"({"a":{"y":3}})",
     R"({"a":{"x":1,"y":3}})"},
    {"null removes a member", "ResourceClaim", R"({"status":{"allocation":{"a":1}}})",
     R"({"status":{"allocation":null}})", R"({"status":{}})"},
    {"null for what is not there changes nothing", "ResourceClaim", R"({"status":{}})",
     R"({"status":{"allocation":null}})", R"({"status":{}})"},
    {"a list that is no map is replaced", "Pod", R"({"spec":{"tolerations":[{"key":"a"}]}})",
     R"({"spec":{"tolerations":[{"key":"b"}]}})", R"({"spec":{"tolerations":[{"key":"b"}]}})"},
    {"an item with a new key goes to the front", "ResourceClaim",
     R"({"status":{"reservedFor":[{"uid":"1"},{"uid":"2"}]}})",
     R"({"status":{"reservedFor":[{"uid":"3"}]}})",
     R"({"status":{"reservedFor":[{"uid":"3"},{"uid":"1"},{"uid":"2"}]}})"},
    {"an item with a known key is merged, and the patch's order counts", "ResourceClaim",
     R"({"status":{"reservedFor":[{"uid":"1","name":"a"},{"uid":"2"}]}})",
     R"({"status":{"reservedFor":[{"uid":"3"},{"uid":"1","resource":"pods"}]}})",
     R"({"status":{"reservedFor":[{"uid":"3"},{"uid":"1","name":"a","resource":"pods"},
        {"uid":"2"}]}})"},
    {"what the patch does not name keeps its place before what it names", "Pod",
     R"({"status":{"conditions":[{"type":"A"},{"type":"B"},{"type":"C"}]}})",
     R"({"status":{"conditions":[{"type":"D"},{"type":"B","x":1}]}})",
     R"({"status":{"conditions":[{"type":"D"},{"type":"A"},{"type":"B","x":1},{"type":"C"}]}})"},
    {"$patch: delete removes the item with that key", "ResourceClaim",
     R"({"status":{"reservedFor":[{"uid":"1"},{"uid":"2"}]}})",
     R"({"status":{"reservedFor":[{"$patch":"delete","uid":"1"}]}})",
     R"({"status":{"reservedFor":[{"uid":"2"}]}})"},
    {"$patch: delete of an unknown key changes nothing", "ResourceClaim",
     R"({"status":{"reservedFor":[{"uid":"2"}]}})",
     R"({"status":{"reservedFor":[{"$patch":"delete","uid":"1"}]}})",
     R"({"status":{"reservedFor":[{"uid":"2"}]}})"},
    {"$patch: delete in a list that is not there leaves an empty list", "ResourceClaim",
     R"({"status":{}})", R"({"status":{"reservedFor":[{"$patch":"delete","uid":"1"}]}})",
     R"({"status":{"reservedFor":[]}})"},
    {"$patch: replace in a list replaces it", "Pod", R"({"status":{"conditions":[{"type":"A"}]}})",
     R"({"status":{"conditions":[{"$patch":"replace"},{"type":"B"}]}})",
     R"({"status":{"conditions":[{"type":"B"}]}})"},
    {"$patch: replace in an object replaces it", "Pod", R"({"a":{"x":1}})",
     R"({"a":{"$patch":"replace","y":2}})", R"({"a":{"y":2}})"},
    {"$deleteFromPrimitiveList takes one finalizer and leaves the others", "ResourceClaim",
     R"({"metadata":{"finalizers":["a","b"]}})",
     R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a"]}})",
     R"({"metadata":{"finalizers":["b"]}})"},
    {"finalizers are added to those there are", "ResourceClaim",
     R"({"metadata":{"finalizers":["a"]}})", R"({"metadata":{"finalizers":["b","a"]}})",
     R"({"metadata":{"finalizers":["b","a"]}})"},
    {"$setElementOrder puts items in order", "Pod", R"({"status":{"conditions":[{"type":"A"}]}})",
     R"({"status":{"$setElementOrder/conditions":[{"type":"B"},{"type":"A"}],
        "conditions":[{"type":"B"}]}})",
     R"({"status":{"conditions":[{"type":"B"},{"type":"A"}]}})"},
    {"lists of init containers are merged too", "Deployment",
     R"({"spec":{"template":{"spec":{"initContainers":[{"name":"i","env":[{"name":"A","value":"1"},
        {"name":"B","value":"2"}]}]}}}})",
     R"({"spec":{"template":{"spec":{"initContainers":[{"name":"i",
        "env":[{"name":"A","value":"3"}]}]}}}})",
     R"({"spec":{"template":{"spec":{"initContainers":[{"name":"i","env":[{"name":"A","value":"3"},
        {"name":"B","value":"2"}]}]}}}})"},
    {"webhooks are merged by name", "ValidatingWebhookConfiguration",
     R"({"webhooks":[{"name":"a","clientConfig":{"url":"x"}},{"name":"b"}]})",
     R"({"webhooks":[{"name":"a","failurePolicy":"Fail"}]})",
     R"({"webhooks":[{"name":"a","clientConfig":{"url":"x"},"failurePolicy":"Fail"},{"name":"b"}]})"},
    {"$retainKeys drops what it does not name", "Pod", R"({"spec":{"a":1,"b":2}})",
     R"({"spec":{"$retainKeys":["b"],"b":3}})", R"({"spec":{"b":3}})"},
};

INSTANTIATE_TEST_SUITE_P(Rows, StrategicMerge, ::testing::ValuesIn(kStrategicRows), kBySentence);

TEST(StrategicMergeFailure, rejects_item_without_key) {
  JsonObject object = object_of(R"({"status":{"reservedFor":[{"uid":"1"}]}})");
  const auto merged =
      apply_strategic_merge_patch(object, object_of(R"({"status":{"reservedFor":[{"name":"x"}]}})"),
                                  schema_of("resource.k8s.io", "ResourceClaim"));
  ASSERT_FALSE(merged.has_value());
  EXPECT_NE(merged.error().message.find("does not contain declared merge key: uid"),
            std::string::npos);
}

TEST(MergePatch, replaces_lists_and_removes_nulls) {
  JsonObject object = object_of(R"({"a":{"x":1,"y":[1,2]},"b":1})");
  apply_merge_patch(object, object_of(R"({"a":{"y":[3],"z":{"n":null,"m":1}},"b":null})"));
  EXPECT_EQ(object, object_of(R"({"a":{"x":1,"y":[3],"z":{"m":1}}})"));
}

// As the library of a real server: nulls stay only in a list that replaces an object.
TEST(MergePatch, drops_nulls_in_lists) {
  JsonObject object = object_of(R"({"list":[1],"object":{}})");
  apply_merge_patch(object,
                    object_of(R"({"list":[{"a":null,"b":[{"c":null}]},null],"new":[{"a":null}],)"
                              R"("object":[{"a":null}]})"));
  EXPECT_EQ(serialize(object), R"({"list":[{"b":[{}]},null],"object":[{"a":null}],"new":[{}]})");
}

}  // namespace
}  // namespace dcm::apiserver
