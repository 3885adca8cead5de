// ResourcePoolStatusRequest: what is read of it, and its status as it is written.
#include <chrono>
#include <string>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include "controllers/api/decoders.hpp"
#include "controllers/api/encode_pool_status.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::api {
namespace {

Result<Decoded<ResourcePoolStatusRequest>> decode(const std::string& spec_and_status) {
  return make_json_pool_status_request_decoder()->decode_object(
      R"({"kind":"ResourcePoolStatusRequest","apiVersion":"resource.k8s.io/v1alpha3",)"
      R"("metadata":{"name":"r","uid":"u","resourceVersion":"7",)"
      R"("creationTimestamp":"2026-11-25T10:00:00Z"},)" +
      spec_and_status + "}");
}

TEST(PoolStatusRequestDecoder, reads_question) {
  const auto request = decode(R"("spec":{"driver":"gpu.example.com","poolName":"node-1","limit":7,)"
                              R"("defaultPartitionTypeAttribute":"gpu.example.com/profile"})");
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->object->meta.key.name, "r");
  EXPECT_EQ(request->object->created, runtime::parse_timestamp("2026-11-25T10:00:00Z"));
  EXPECT_EQ(request->object->driver, "gpu.example.com");
  EXPECT_EQ(request->object->pool, "node-1");
  EXPECT_EQ(request->object->limit, 7);
  EXPECT_EQ(request->object->partition_attribute, "gpu.example.com/profile");
  EXPECT_FALSE(request->object->has_status);
  EXPECT_FALSE(request->object->answered);
}

TEST(PoolStatusRequestDecoder, takes_null_for_missing_field) {
  const auto request =
      decode(R"("spec":{"driver":"d","poolName":null,"limit":null},"status":null)");
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_TRUE(request->object->pool.empty());
  EXPECT_EQ(request->object->limit, 100);
  EXPECT_FALSE(request->object->has_status);
}

TEST(PoolStatusRequestDecoder, reads_when_it_was_answered) {
  for (const char* type : {"Complete", "Failed"}) {
    const auto request =
        decode(R"("status":{"poolCount":0,"conditions":[{"type":"Other",)"
               R"("lastTransitionTime":"2026-11-25T09:00:00Z"},{"type":")" +
               std::string(type) + R"(","lastTransitionTime":"2026-11-25T11:00:00Z"}]})");
    ASSERT_TRUE(request) << request.error().message;
    EXPECT_TRUE(request->object->has_status);
    EXPECT_EQ(request->object->answered, runtime::parse_timestamp("2026-11-25T11:00:00Z"));
  }
}

TEST(PoolStatusRequestDecoder, knows_status_without_condition) {
  const auto request = decode(R"("status":{"poolCount":0})");
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_TRUE(request->object->has_status);
  EXPECT_FALSE(request->object->answered);
}

TEST(PoolStatusRequestDecoder, refuses_wrong_types) {
  const auto request = decode(R"("spec":{"driver":7})");
  ASSERT_FALSE(request);
  EXPECT_NE(request.error().message.find("spec.driver"), std::string::npos);
}

TEST(EncodePoolStatus, names_what_it_relies_on) {
  ObjectMeta meta;
  meta.uid = Uid("u");
  meta.resource_version = ResourceVersion("7");
  const PoolStatusAnswer answer{.pools = {},
                                .condition = kPoolStatusFailed,
                                .message = "Failed to list ResourceSlices: no",
                                .time = *runtime::parse_timestamp("2026-11-25T11:00:00Z")};
  EXPECT_EQ(boost::json::parse(encode_pool_status(meta, answer)), boost::json::parse(R"({
      "metadata":{"uid":"u","resourceVersion":"7"},
      "status":{"poolCount":0,"conditions":[{"type":"Failed","status":"True",
        "reason":"CalculationFailed","message":"Failed to list ResourceSlices: no",
        "lastTransitionTime":"2026-11-25T11:00:00Z"}]}})"));
}

}  // namespace
}  // namespace dcm::api
