// Custom resources: behaviour of a real server (1.37) that controllers' tests rely on.
#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

const std::string kFoos = "/apis/example.com/v1/namespaces/default/foos";
const std::string kFoo = kFoos + "/a";

class Custom : public Api {
 protected:
  Custom()
      : Api({.served = {.custom = {{"example.com", "v1", "foos", "Foo"},
                                   {"example.com", "v1", "zones", "Zone", Scope::cluster},
                                   {"example.com", "v1", "bars", "Bar", Scope::namespaced,
                                    StatusSubresource::none}}}}) {}

  Answer make() {
    return api.post(
        kFoos,
        R"({"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":"a"},"spec":{"n":1},"status":{"x":1}})");
  }
  static std::int64_t generation(const Answer& answer) {
    return integer_at(answer.body, {"metadata", "generation"}).value_or(0);
  }
};

TEST_F(Custom, drops_status_without_leaving_empty_one) {
  const Answer made = make();
  EXPECT_FALSE(made.body.contains("status"));
  EXPECT_EQ(generation(made), 1);
}

TEST_F(Custom, counts_generations_without_metadata_and_status) {
  make();
  EXPECT_EQ(generation(api.patch(kFoo, kMerge, R"({"metadata":{"labels":{"a":"b"}}})")), 1);
  EXPECT_EQ(generation(api.patch(kFoo + "/status", kMerge, R"({"status":{"x":2}})")), 1);
  EXPECT_EQ(generation(api.patch(kFoo, kMerge, R"({"spec":{"n":2}})")), 2);
  EXPECT_EQ(generation(api.patch(kFoo, kMerge, R"({"other":true})")), 3);
}

TEST_F(Custom, writes_only_status_by_status_endpoint) {
  make();
  const Answer written = api.patch(
      kFoo + "/status", kMerge,
      R"({"metadata":{"labels":{"a":"b"},"finalizers":["x.y/z"]},"spec":{"n":9},"new":1,"status":{"x":2}})");
  ASSERT_TRUE(written.ok()) << serialize(written.body);
  EXPECT_EQ(integer_at(written.body, {"spec", "n"}), 1);
  EXPECT_EQ(integer_at(written.body, {"status", "x"}), 2);
  EXPECT_FALSE(written.body.contains("new"));
  EXPECT_FALSE(has(written.body, {"metadata", "labels"}));
  EXPECT_FALSE(has(written.body, {"metadata", "finalizers"}));
  const Answer main = api.patch(kFoo, kMerge, R"({"status":{"x":3}})");
  EXPECT_EQ(integer_at(main.body, {"status", "x"}), 2);
}

TEST_F(Custom, treats_status_as_plain_field_without_subresource) {
  const Answer made = api.post(
      "/apis/example.com/v1/namespaces/default/bars",
      R"({"apiVersion":"example.com/v1","kind":"Bar","metadata":{"name":"b"},"status":{"x":1}})");
  EXPECT_EQ(integer_at(made.body, {"status", "x"}), 1);
  const std::string bar = "/apis/example.com/v1/namespaces/default/bars/b";
  EXPECT_EQ(generation(api.patch(bar, kMerge, R"({"status":{"x":2}})")), 2);
  EXPECT_EQ(api.patch(bar + "/status", kMerge, R"({"status":{"x":2}})").status, 404);
}

TEST_F(Custom, rejects_strategic_merge_patch) {
  make();
  const Answer refused = api.patch(kFoo, kStrategic, R"({"spec":{"n":2}})");
  EXPECT_EQ(refused.status, 415);
  EXPECT_EQ(refused.reason(), "UnsupportedMediaType");
  EXPECT_TRUE(refused.text({"message"}).starts_with("the body of the request was in an unknown"));
  EXPECT_EQ(api.patch(kFoo + "/status", kStrategic, "{}").status, 415);
}

TEST_F(Custom, keeps_cluster_scoped_kind_outside_namespaces) {
  EXPECT_EQ(api.post("/apis/example.com/v1/zones",
                     R"({"apiVersion":"example.com/v1","kind":"Zone","metadata":{"name":"z"}})")
                .status,
            201);
  EXPECT_EQ(api.get("/apis/example.com/v1/namespaces/default/zones/z").status, 404);
}

TEST_F(Custom, creates_nothing_by_apply_with_uid_of_deleted_object) {
  const Answer refused = api.patch(
      kFoo + "?fieldManager=t", kApply,
      R"({"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":"a","uid":"gone"}})");
  EXPECT_EQ(refused.status, 409);
  EXPECT_NE(refused.text({"message"}).find("uid mismatch"), std::string_view::npos);
}

}  // namespace
}  // namespace dcm::apiserver
