// JSON patches (RFC 6902), as accepted by the real server's library.
#include "apiserver/fields/json_patch.hpp"

#include <fmt/format.h>

#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

struct Row {
  std::string_view sentence;
  std::string_view before;
  std::string_view patch;
  std::string_view after;  // "": it does not apply
};

class JsonPatch : public ::testing::TestWithParam<Row> {};

TEST_P(JsonPatch, applies_operations) {
  JsonObject object = object_of(GetParam().before);
  const auto patch = decode_json_patch(GetParam().patch);
  ASSERT_TRUE(patch);
  const auto applied = apply_json_patch(object, *patch);
  if (GetParam().after.empty()) {
    ASSERT_FALSE(applied);
    EXPECT_EQ(applied.error().code, 422);
    EXPECT_EQ(applied.error().reason, "Invalid");
    return;
  }
  ASSERT_TRUE(applied);
  EXPECT_EQ(object, object_of(GetParam().after)) << serialize(object);
}

constexpr Row kRows[] = {
    {"add a member", R"({"a":{}})", R"([{"op":"add","path":"/a/b","value":1}])",
     R"({"a":{"b":1}})"},
    {"add over a member", R"({"a":1})", R"([{"op":"add","path":"/a","value":[2]}])",
     R"({"a":[2]})"},
    {"add without a value is null", R"({"a":1})", R"([{"op":"add","path":"/a"}])", R"({"a":null})"},
    {"add below what is not there", R"({})", R"([{"op":"add","path":"/a/b","value":1}])", ""},
    {"add below what is no object", R"({"a":1})", R"([{"op":"add","path":"/a/b","value":1}])", ""},
    {"add an item in front", R"({"a":[1]})", R"([{"op":"add","path":"/a/0","value":0}])",
     R"({"a":[0,1]})"},
    {"add an item at the end", R"({"a":[1]})", R"([{"op":"add","path":"/a/-","value":2}])",
     R"({"a":[1,2]})"},
    {"add an item behind the end", R"({"a":[1]})", R"([{"op":"add","path":"/a/2","value":2}])", ""},
    {"remove a member", R"({"a":1,"b":2})", R"([{"op":"remove","path":"/a"}])", R"({"b":2})"},
    {"remove what is not there", R"({})", R"([{"op":"remove","path":"/a"}])", ""},
    {"remove an item", R"({"a":[1,2,3]})", R"([{"op":"remove","path":"/a/1"}])", R"({"a":[1,3]})"},
    {"remove the last item", R"({"a":[1,2,3]})", R"([{"op":"remove","path":"/a/-1"}])",
     R"({"a":[1,2]})"},
    {"an index that is no number", R"({"a":[1]})", R"([{"op":"remove","path":"/a/x"}])", ""},
    {"replace a member", R"({"a":1})", R"([{"op":"replace","path":"/a","value":2}])", R"({"a":2})"},
    {"replace what is not there adds it", R"({})", R"([{"op":"replace","path":"/a","value":2}])",
     R"({"a":2})"},
    {"replace an item that is not there", R"({"a":[]})",
     R"([{"op":"replace","path":"/a/0","value":2}])", ""},
    {"replace everything", R"({"a":1})", R"([{"op":"replace","path":"","value":{"b":2}}])",
     R"({"b":2})"},
    {"replace everything by no object", R"({"a":1})", R"([{"op":"replace","path":"","value":2}])",
     ""},
    {"move", R"({"a":1})", R"([{"op":"move","from":"/a","path":"/b"}])", R"({"b":1})"},
    {"move what is not there", R"({})", R"([{"op":"move","from":"/a","path":"/b"}])", ""},
    {"copy", R"({"a":1})", R"([{"op":"copy","from":"/a","path":"/b"}])", R"({"a":1,"b":1})"},
    {"copy what is not there is null", R"({})", R"([{"op":"copy","from":"/a","path":"/b"}])",
     R"({"b":null})"},
    {"a test that holds", R"({"a":{"b":[1]}})",
     R"([{"op":"test","path":"/a","value":{"b":[1]}},{"op":"remove","path":"/a"}])", R"({})"},
    {"a test that fails", R"({"a":1})",
     R"([{"op":"test","path":"/a","value":2},{"op":"remove","path":"/a"}])", ""},
    {"what is not there tests as null", R"({})", R"([{"op":"test","path":"/a","value":null}])",
     R"({})"},
    {"what is not there tests as nothing else", R"({})", R"([{"op":"test","path":"/a","value":1}])",
     ""},
    {"slashes and tildes", R"({"a/b":1,"m~n":2})",
     R"([{"op":"remove","path":"/a~1b"},{"op":"remove","path":"/m~0n"}])", R"({})"},
    {"an unknown operation", R"({"a":1})", R"([{"op":"increment","path":"/a"}])", ""},
    {"an operation without a path", R"({"a":1})", R"([{"op":"add","value":1}])", ""},
    {"an operation that is null", R"({"a":1})", R"([null])", ""},
};

INSTANTIATE_TEST_SUITE_P(Rows, JsonPatch, ::testing::ValuesIn(kRows), kBySentence);

std::string steps(std::string_view first, std::size_t count) {
  std::string path(first);
  for (std::size_t i = 0; i < count; ++i) path += "/x";
  return path;
}

JsonObject nested(std::size_t levels) {
  JsonObject object;
  for (std::size_t i = 1; i < levels; ++i) object = JsonObject{{"x", std::move(object)}};
  return object;
}

// Minutes, if operations that nest nothing walk over the whole object.
TEST(ApplyJsonPatch, tests_deep_values_of_a_large_object) {
  JsonObject object{{"deep", nested(100)}, {"large", JsonArray(45'000, 1)}};
  const std::string deep = steps("/deep", 100);
  JsonArray patch(9'000, JsonObject{{"op", "test"}, {"path", deep}, {"value", Json()}});
  for (int i = 0; i < 900; ++i) {
    patch.push_back(JsonObject{{"op", "add"}, {"path", deep}, {"value", 1}});
    patch.push_back(JsonObject{{"op", "remove"}, {"path", deep}});
  }
  EXPECT_TRUE(apply_json_patch(object, patch));
}

TEST(ApplyJsonPatch, refuses_operations_that_could_nest_too_deeply_again_and_again) {
  JsonObject object{{"deep", nested(450)}, {"from", nested(2)}, {"large", JsonArray(45'000, 1)}};
  const JsonObject copy{{"op", "copy"}, {"from", "/from"}, {"path", steps("/deep", 100) + "/y"}};
  const auto applied = apply_json_patch(object, JsonArray(9'000, copy));
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().code, 413);
}

class JsonPatchRequest : public Api {};

TEST_F(JsonPatchRequest, sees_object_as_shown) {
  make_claim();
  const Answer patched = api.patch(kClaim, kJsonPatch,
                                   R"([{"op":"test","path":"/kind","value":"ResourceClaim"},)"
                                   R"({"op":"add","path":"/metadata/labels","value":{"a":"b"}}])");
  EXPECT_EQ(patched.status, 200);
  EXPECT_EQ(patched.text({"metadata", "labels", "a"}), "b");
}

TEST_F(JsonPatchRequest, must_keep_kind) {
  make_claim();
  EXPECT_EQ(
      api.patch(kClaim, kJsonPatch, R"([{"op":"replace","path":"/kind","value":"Pod"}])").status,
      422);
  EXPECT_EQ(
      api.patch(kClaim, kJsonPatch, R"([{"op":"replace","path":"/spec","value":"x"}])").status,
      422);
  EXPECT_EQ(
      api.patch(kClaim, kJsonPatch, R"([{"op":"replace","path":"/metadata/name","value":"x"}])")
          .status,
      400);
}

TEST_F(JsonPatchRequest, may_not_change_version) {
  make_claim();
  EXPECT_EQ(api.patch(kClaim, kJsonPatch, R"([{"op":"remove","path":"/kind"}])").status, 200);
  const Answer refused =
      api.patch(kClaim, kJsonPatch,
                R"([{"op":"replace","path":"","value":{"kind":"ResourceClaim","spec":{}}}])");
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.header("Warning"),
            std::vector<std::string>{R"(299 - "unknown field \"spec\"")"});
  EXPECT_EQ(
      api.patch(std::string(kClaim) + "?fieldValidation=Strict", kMerge, R"({"apiVersion":null})")
          .status,
      422);
}

TEST_F(JsonPatchRequest, cannot_turn_object_into_list) {
  make_claim();
  EXPECT_TRUE(
      api.patch(kClaim, kJsonPatch, R"([{"op":"replace","path":"","value":[]}])").blames("patch"));
}

TEST_F(JsonPatchRequest, warns_of_ignored_members) {
  make_claim();
  constexpr std::string_view kPatch =
      R"([{"op":"add","path":"/metadata/labels","value":{},"extra":1}])";
  EXPECT_EQ(api.patch(kClaim, kJsonPatch, std::string(kPatch)).header("Warning"),
            std::vector<std::string>{R"(299 - "json patch unknown field \"[0].extra\"")"});
}

TEST_F(JsonPatchRequest, must_keep_name) {
  make_claim();
  for (const auto* patch : {R"([{"op":"add","path":"/metadata","value":{"labels":{"a":"b"}}}])",
                            R"([{"op":"remove","path":"/metadata/name"}])"}) {
    EXPECT_EQ(api.patch(kClaim, kJsonPatch, patch).status, 400);
  }
  EXPECT_EQ(api.patch(kClaim, kMerge, R"({"metadata":{"name":null}})").status, 400);
}

TEST_F(JsonPatchRequest, fails_when_object_is_copied_into_itself_repeatedly) {
  constexpr std::string_view kMap = "/api/v1/namespaces/default/configmaps/m";
  api.post("/api/v1/namespaces/default/configmaps",
           R"({"metadata":{"name":"m"},"data":{"a":"of some bytes"}})");
  std::string patch;
  for (int i = 0; i < 40; ++i) {
    patch += fmt::format(R"({}{{"op":"copy","from":"/data","path":"/data/a{}"}})",
                         patch.empty() ? "[" : ",", i);
  }
  EXPECT_EQ(api.patch(std::string(kMap), kJsonPatch, patch + "]").status, 422);
  EXPECT_EQ(api.get(std::string(kMap)).text({"data", "a"}), "of some bytes");
}

// Each operation nests what was there once more; it would take the stack to destroy the result.
TEST_F(JsonPatchRequest, may_not_nest_without_end) {
  constexpr std::string_view kMap = "/api/v1/namespaces/default/configmaps/m";
  api.post("/api/v1/namespaces/default/configmaps",
           R"({"metadata":{"name":"m"},"data":{"a":"text"}})");
  const std::string inner = R"({"x":)";
  std::string value = "{}";
  for (int i = 0; i < 40; ++i) value = inner + value + "}";
  std::string deep = "/y";
  for (int i = 0; i < 40; ++i) deep += "/x";
  std::string patch = "[";
  for (int i = 0; i < 4'000; ++i) {
    patch += fmt::format(R"({}{{"op":"add","path":"/y","value":{}}},)"
                         R"({{"op":"move","from":"/data","path":"{}/x"}},)"
                         R"({{"op":"move","from":"/y","path":"/data"}})",
                         i == 0 ? "" : ",", i < 300 ? value : "{}", i < 300 ? deep : "/y");
    if (i == 300) break;
  }
  const Answer refused = api.patch(std::string(kMap), kJsonPatch, patch + "]");
  EXPECT_EQ(refused.status, 413) << serialize(refused.body);
  EXPECT_EQ(api.get(std::string(kMap)).text({"data", "a"}), "text");
}

TEST_F(JsonPatchRequest, moves_what_is_there) {
  constexpr std::string_view kMap = "/api/v1/namespaces/default/configmaps/m";
  api.post("/api/v1/namespaces/default/configmaps",
           R"({"metadata":{"name":"m"},"data":{"a":"text"}})");
  EXPECT_EQ(api.patch(std::string(kMap), kJsonPatch,
                      R"([{"op":"move","from":"/data/none","path":"/data/b"}])")
                .status,
            422);
  const Answer moved = api.patch(std::string(kMap), kJsonPatch,
                                 R"([{"op":"move","from":"/data/a","path":"/data/b"}])");
  EXPECT_EQ(serialize(object_at(moved.body, {"data"})), R"({"b":"text"})");
}

TEST_F(JsonPatchRequest, warns_of_at_most_a_hundred_members) {
  make_claim();
  std::string members;
  for (int i = 0; i < 3'000; ++i) members += fmt::format(R"(,"u{}":1)", i);
  const Answer patched =
      api.patch(kClaim, kJsonPatch,
                R"([{"op":"test","path":"/metadata/name","value":"shared")" + members + "}]");
  EXPECT_EQ(patched.status, 200);
  EXPECT_EQ(patched.header("Warning").size(), 100U);
}

TEST_F(JsonPatchRequest, must_be_bounded_list_of_operations) {
  make_claim();
  EXPECT_EQ(api.patch(kClaim, kJsonPatch, "nonsense").status, 400);
  EXPECT_EQ(api.patch(kClaim, kJsonPatch, "").status, 400);
  EXPECT_EQ(api.patch(kClaim, kJsonPatch, "{}").status, 400);
  EXPECT_EQ(api.patch(kClaim, kJsonPatch, "[7]").status, 400);
  EXPECT_EQ(api.patch(kClaim, kJsonPatch, R"([{"op":"remove","path":7}])").status, 400);
  EXPECT_EQ(api.patch(kClaim, kJsonPatch, "null").status, 200);
  std::string patch = "[{}";
  for (int i = 0; i < 10'000; ++i) patch += ",{}";
  const Answer refused = api.patch(kClaim, kJsonPatch, patch + "]");
  EXPECT_EQ(refused.status, 413);
  EXPECT_EQ(refused.reason(), "RequestEntityTooLarge");
}

}  // namespace
}  // namespace dcm::apiserver
