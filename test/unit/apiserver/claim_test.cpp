// Writes to claims: what the controllers send, and the server's result.
#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

class Claim : public Api {
 protected:
  std::string entry(std::string_view uid) {
    return R"({"resource":"pods","name":"p","uid":")" + std::string(uid) + R"("})";
  }
  Answer reserve(std::string_view entries, std::string_view more = "") {
    return api.patch(
        kClaimStatus, kStrategic,
        R"({"status":{"reservedFor":[)" + std::string(entries) + "]" + std::string(more) + "}}");
  }
};

TEST_F(Claim, reserves_by_added_entry) {
  make_claim();
  allocate({"1"});
  EXPECT_EQ(reserve(entry("2")).status, 200);
  EXPECT_EQ(reserved_for(), (std::vector<std::string>{"2", "1"}));
}

TEST_F(Claim, releases_and_deallocates_in_one_write) {
  make_claim();
  allocate({"1"});
  EXPECT_EQ(reserve(R"({"$patch":"delete","uid":"1"})", R"(,"allocation":null)").status, 200);
  EXPECT_EQ(serialize(object_at(api.get(kClaim).body, {"status"})), "{}");
}

TEST_F(Claim, keeps_spec_and_metadata_on_status_write) {
  make_claim(R"(,"labels":{"a":"b"},"finalizers":["x/f"])");
  const Answer before = api.get(kClaim);
  const Answer after =
      api.patch(kClaimStatus, kMerge,
                R"({"metadata":{"labels":{"a":"c"},"annotations":{"x":"y"},"finalizers":null},
          "spec":{"devices":null}})");
  EXPECT_EQ(after.status, 200);
  EXPECT_EQ(after.body, before.body);
}

TEST_F(Claim, keeps_status_on_main_write) {
  make_claim();
  allocate({"1"});
  const Answer after =
      api.patch(kClaim, kMerge, R"({"metadata":{"labels":{"a":"b"}},"status":null})");
  EXPECT_EQ(after.text({"metadata", "labels", "a"}), "b");
  EXPECT_EQ(reserved_for(), std::vector<std::string>{"1"});
}

TEST_F(Claim, drops_status_of_deallocated_devices) {
  make_claim();
  allocate();
  api.patch(kClaimStatus, kMerge,
            R"({"status":{"devices":[{"driver":"d","pool":"p","device":"gpu-0"}]}})");
  EXPECT_EQ(array_at(api.get(kClaim).body, {"status", "devices"}).size(), 1U);
  api.patch(kClaimStatus, kMerge, R"({"status":{"allocation":null}})");
  EXPECT_FALSE(has(api.get(kClaim).body, {"status", "devices"}));
}

TEST_F(Claim, keeps_version_and_sends_no_event_without_change) {
  make_claim();
  const Answer before = allocate({"1"});
  auto watch = api.watch(std::string(kClaims) +
                         "?watch=1&resourceVersion=" + std::string(before.resource_version()));
  ASSERT_TRUE(watch.has_value());
  for (const Answer& again :
       {reserve(entry("1")), api.patch(kClaim, kMerge, "{}"),
        api.put(kClaim, serialize(before.body)), api.put(kClaimStatus, serialize(before.body))}) {
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.resource_version(), before.resource_version());
  }
  EXPECT_TRUE(drain(**watch).empty());
}

TEST_F(Claim, removes_one_finalizer_by_directive) {
  make_claim(R"(,"finalizers":["x/a","x/b"])");
  const Answer after = api.patch(kClaim, kStrategic,
                                 R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["x/a"]}})");
  EXPECT_EQ(serialize(Json(array_at(after.body, {"metadata", "finalizers"}))), R"(["x/b"])");
}

TEST_F(Claim, disappears_with_last_finalizer) {
  make_claim(R"(,"finalizers":["x/a"])");
  const Answer marked = api.remove(kClaim);
  EXPECT_EQ(marked.status, 200);
  EXPECT_TRUE(has(marked.body, {"metadata", "deletionTimestamp"}));
  EXPECT_EQ(api.remove(kClaim).resource_version(), marked.resource_version());
  auto watch = api.watch(std::string(kClaims) +
                         "?watch=1&resourceVersion=" + std::string(marked.resource_version()));
  const Answer last = api.patch(kClaim, kStrategic,
                                R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["x/a"]}})");
  EXPECT_EQ(last.status, 200);
  EXPECT_FALSE(has(last.body, {"metadata", "finalizers"}));
  EXPECT_EQ(api.get(kClaim).status, 404);
  EXPECT_EQ(summary(drain(**watch)), std::vector<std::string>{"DELETED shared"});
}

struct RefusedRow {
  std::string_view sentence;
  std::string_view path;
  std::string_view body;
  int status;
  std::string_view reason;
  std::string_view field;
};

// The claim is allocated, reserved for "1", and being deleted.
class RefusedClaimWrite : public Api, public ::testing::WithParamInterface<RefusedRow> {};

TEST_P(RefusedClaimWrite, is_answered) {
  const RefusedRow& row = GetParam();
  make_claim(R"(,"finalizers":["x/f"])");
  allocate({"1"});
  api.remove(kClaim);
  const Revision before = server.store().revision();
  const Answer answer = api.patch(row.path, kStrategic, std::string(row.body));
  EXPECT_EQ(answer.status, row.status) << row.sentence << "\n" << serialize(answer.body);
  EXPECT_EQ(answer.reason(), row.reason) << row.sentence;
  if (!row.field.empty()) {
    EXPECT_TRUE(answer.blames(row.field)) << row.sentence << "\n" << serialize(answer.body);
  }
  EXPECT_EQ(server.store().revision(), before) << row.sentence;
}

constexpr RefusedRow kRefusedRows[] = {
    {"another allocation", kClaimStatus, R"({"status":{"allocation":{"devices":{"results":[]}}}})",
     422, "Invalid", "status.allocation"},
    {"a reservation without allocation", kClaimStatus, R"({"status":{"allocation":null}})", 422,
     "Invalid", "status.reservedFor"},
    {"a new reservation while it is being deleted", kClaimStatus,
     R"({"status":{"reservedFor":[{"resource":"pods","name":"q","uid":"2"}]}})", 422, "Invalid",
     "status.reservedFor"},
    {"a reservation without a name", kClaimStatus,
     R"({"status":{"reservedFor":[{"resource":"pods","uid":"1","name":null}]}})", 422, "Invalid",
     "status.reservedFor[0].name"},
    {"another UID", kClaimStatus, R"({"metadata":{"uid":"other"}})", 422, "Invalid",
     "metadata.uid"},
    {"an old resourceVersion", kClaimStatus, R"({"metadata":{"resourceVersion":"2"}})", 409,
     "Conflict", ""},
    {"another spec", kClaim, R"({"spec":{"devices":{"requests":null}}})", 422, "Invalid", "spec"},
    {"a new finalizer while it is being deleted", kClaim, R"({"metadata":{"finalizers":["x/g"]}})",
     422, "Invalid", "metadata.finalizers"},
    {"another name", kClaim, R"({"metadata":{"name":"other"}})", 400, "BadRequest", ""},
    {"a resourceVersion that is no number", kClaim, R"({"metadata":{"resourceVersion":"x"}})", 500,
     "", ""},
    {"`force` in a patch that applies nothing",
     "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/shared?force=true", "{}", 422,
     "Invalid", "force"},
    {"a claim that is not there",
     "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/other/status", "{}", 404,
     "NotFound", ""},
    {"a subresource that there is not",
     "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/shared/scale", "{}", 404,
     "NotFound", ""},
};

INSTANTIATE_TEST_SUITE_P(Rows, RefusedClaimWrite, ::testing::ValuesIn(kRefusedRows), kBySentence);

TEST_F(Claim, limits_reservations_to_256) {
  make_claim();
  std::vector<std::string> uids;
  for (int i = 0; i < 256; ++i) uids.push_back(std::to_string(i));
  ASSERT_EQ(allocate(uids).status, 200);
  const Answer refused = reserve(entry("one more"));
  EXPECT_EQ(refused.status, 422);
  EXPECT_TRUE(refused.blames("status.reservedFor"));
}

TEST_F(Claim, loses_reservations_during_deletion) {
  make_claim(R"(,"finalizers":["x/f"])");
  allocate({"1", "2"});
  api.remove(kClaim);
  EXPECT_EQ(reserve(R"({"$patch":"delete","uid":"1"})").status, 200);
  EXPECT_EQ(reserved_for(), std::vector<std::string>{"2"});
}

TEST_F(Claim, patches_newest_state_without_version) {
  const Answer made = make_claim();
  const Answer allocated = allocate({"1"});
  const std::string old =
      R"({"metadata":{"resourceVersion":")" + std::string(made.resource_version()) + R"("}})";
  EXPECT_EQ(api.patch(kClaim, kMerge, old).status, 409);
  EXPECT_EQ(api.patch(kClaim, kMerge, R"({"metadata":{"labels":{"a":"b"}}})").status, 200);
}

TEST_F(Claim, overwrites_without_version_and_conflicts_with_old_one) {
  JsonObject body = make_claim().body;
  allocate();
  EXPECT_EQ(api.put(kClaimStatus, serialize(body)).status, 409);
  body["metadata"].get_object().erase("resourceVersion");
  EXPECT_EQ(api.put(kClaimStatus, serialize(body)).status, 200);
  EXPECT_FALSE(has(api.get(kClaim).body, {"status", "allocation"}));
  body["metadata"].get_object()["uid"] = "other";
  EXPECT_EQ(api.put(kClaim, serialize(body)).status, 409);
}

TEST_F(Claim, checks_uid_on_deletion) {
  make_claim();
  const Answer refused = api.remove(kClaim, R"({"preconditions":{"uid":"other"}})");
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refused.reason(), "Conflict");
  const std::string uid(api.get(kClaim).uid());
  const Answer gone = api.remove(kClaim, R"({"preconditions":{"uid":")" + uid + R"("}})");
  EXPECT_EQ(gone.status, 200);
  EXPECT_EQ(gone.text({"kind"}), "ResourceClaim");
  const Answer missing = api.remove(kClaim);
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.text({"details", "name"}), "shared");
  EXPECT_EQ(missing.text({"details", "kind"}), "resourceclaims");
  EXPECT_EQ(missing.text({"message"}), R"(resourceclaims.resource.k8s.io "shared" not found)");
}

}  // namespace
}  // namespace dcm::apiserver
