// ResourcePoolStatusRequest: served only if enabled; an immutable question, with an answer that is
// written once. The texts are those of kube-apiserver 1.37.2.
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

constexpr std::string_view kRequests = "/apis/resource.k8s.io/v1alpha3/resourcepoolstatusrequests";
constexpr std::string_view kRequest = "/apis/resource.k8s.io/v1alpha3/resourcepoolstatusrequests/r";
constexpr std::string_view kStatus =
    "/apis/resource.k8s.io/v1alpha3/resourcepoolstatusrequests/r/status";
constexpr std::string_view kAnswer =
    R"({"status":{"poolCount":1,"conditions":[{"type":"Complete","status":"True",)"
    R"("reason":"CalculationComplete","message":"m",)"
    R"("lastTransitionTime":"2026-11-25T00:00:00Z"}],"pools":[{"driver":"gpu.example.com",)"
    R"("poolName":"p","generation":1,"totalDevices":1}]}})";

using UnservedPoolStatus = Api;

TEST_F(UnservedPoolStatus, is_not_found) {
  EXPECT_EQ(api.get(kRequests).status, 404);
}

class PoolStatusRequest : public Api {
 protected:
  PoolStatusRequest() : Api({.served = {.pool_status_requests = {"v1alpha3"}}}) {}

  Answer ask(std::string_view spec = R"("driver":"gpu.example.com")") {
    return api.post(kRequests, fmt::format(R"({{"metadata":{{"name":"r"}},"spec":{{{}}}}})", spec));
  }
  // A status with one pool of these fields; its driver, name and generation are valid by default.
  Answer answer_with(const std::string& fields) {
    std::string pool = fields;
    for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
             {R"("driver")", R"("d")"}, {R"("poolName")", R"("p")"}, {R"("generation")", "1"}}) {
      if (!fields.contains(key)) pool += "," + key + ":" + value;
    }
    return api.patch(kStatus, kMerge,
                     fmt::format(R"({{"status":{{"poolCount":1,"pools":[{{{}}}]}}}})", pool));
  }
  static std::string cause(const Answer& answer) {
    return fmt::format("{}", fmt::join(answer.causes(), "; "));
  }
};

TEST_F(PoolStatusRequest, has_a_limit_and_no_status) {
  const Answer made = ask(R"("driver":"GPU.example.com")");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(integer_at(made.body, {"spec", "limit"}), 100);
  EXPECT_FALSE(made.body.contains("status"));
  EXPECT_FALSE(has(made.body, {"metadata", "generation"}));
}

struct Refused {
  std::string_view spec;
  std::string_view cause;
};

TEST_F(PoolStatusRequest, is_validated_on_create) {
  for (const Refused& row : std::vector<Refused>{
           {R"("driver":"")", "spec.driver: Required value"},
           {R"("driver":"d","limit":0)",
            "spec.limit: Invalid value: 0: must be greater than or equal to 1"},
           {R"("driver":"d","limit":1001)",
            "spec.limit: Invalid value: 1001: must be less than or equal to 1000"},
           {R"("driver":"d","poolName":"")",
            "spec.poolName: Invalid value: \"\": segment 0: must not be empty"},
           {R"("driver":"d","defaultPartitionTypeAttribute":"profile")",
            "spec.defaultPartitionTypeAttribute: Invalid value: \"profile\": a fully qualified "
            "name must be a domain and a name separated by a slash"},
       }) {
    const Answer answer = ask(row.spec);
    EXPECT_EQ(answer.status, 422) << row.spec;
    EXPECT_EQ(cause(answer), row.cause) << row.spec;
  }
}

TEST_F(PoolStatusRequest, never_changes) {
  ask();
  const Answer answer = api.patch(kRequest, kMerge, R"({"spec":{"limit":5}})");
  EXPECT_EQ(answer.status, 422);
  EXPECT_EQ(cause(answer), "spec: Invalid value: null: field is immutable");
}

TEST_F(PoolStatusRequest, gets_no_status_from_patch_without_one) {
  ask();
  const Answer answer = api.patch(kStatus, kMerge, R"({"metadata":{"labels":{"a":"b"}}})");
  EXPECT_EQ(answer.status, 200);
  EXPECT_FALSE(answer.body.contains("status"));
}

TEST_F(PoolStatusRequest, is_answered_once) {
  ask();
  EXPECT_EQ(api.patch(kStatus, kMerge, std::string(kAnswer)).status, 200);
  EXPECT_EQ(api.patch(kStatus, kMerge, std::string(kAnswer)).status, 200) << "nothing changes";
  const Answer again = api.patch(kStatus, kMerge, R"({"status":{"poolCount":2}})");
  EXPECT_EQ(again.status, 422);
  EXPECT_EQ(cause(again), "status: Invalid value: null: field is immutable");
  EXPECT_EQ(api.patch(kRequest, kMerge, R"({"metadata":{"labels":{"a":"b"}}})").status, 200);
}

TEST_F(PoolStatusRequest, is_validated_on_answer) {
  ask();
  EXPECT_EQ(cause(api.patch(kStatus, kMerge, R"({"status":{"conditions":[]}})")),
            "status.poolCount: Required value");
  for (const Refused& row : std::vector<Refused>{
           {R"("generation":0)", "status.pools[0].generation: Required value"},
           {R"("generation":-1)",
            "status.pools[0].generation: Invalid value: -1: must be greater than or equal to 0"},
           {R"("driver":"")", "status.pools[0].driver: Required value"},
           {R"("poolName":"")", "status.pools[0].poolName: Required value"},
           {R"("resourceSliceCount":0)",
            "status.pools[0].resourceSliceCount: Invalid value: 0: must be greater than or equal "
            "to 1"},
           {R"("totalDevices":-1)",
            "status.pools[0].totalDevices: Invalid value: -1: must be greater than or equal to 0"},
       }) {
    const Answer answer = answer_with(std::string(row.spec));
    EXPECT_EQ(answer.status, 422) << row.spec;
    EXPECT_EQ(cause(answer), row.cause) << row.spec;
  }
  EXPECT_EQ(answer_with(fmt::format(R"("validationError":"{}")", std::string(256, 'x'))).status,
            200);
}

}  // namespace
}  // namespace dcm::apiserver
