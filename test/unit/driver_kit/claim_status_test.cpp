// What drivers write into a claim's status, on the in-memory API server.
#include "node/driver_kit/claims/claim_status.hpp"

#include <boost/json/parse.hpp>

#include "test/unit/driver_kit/api_site.hpp"

namespace dcm::driver_kit {
namespace {

using apiserver::Answer;

const std::string kClaims = "/apis/resource.k8s.io/v1/namespaces/lab/resourceclaims";

// A claim with a device of each of two drivers; returns its UID.
std::string make_claim(Site& site) {
  EXPECT_EQ(site.api.post("/api/v1/namespaces", R"({"metadata":{"name":"lab"}})").status, 201);
  const Answer made = site.api.post(kClaims, R"({"metadata":{"name":"c"},"spec":{"devices":{
      "requests":[{"name":"gpu","exactly":{"deviceClassName":"gpu"}}]}}})");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(site.api
                .patch(kClaims + "/c/status", apiserver::kMerge, R"({"status":{"allocation":{
      "devices":{"results":[
        {"request":"gpu","driver":"gpu.example.com","pool":"n0","device":"d0"},
        {"request":"gpu","driver":"nic.example.com","pool":"n0","device":"e0"}]}}}})")
                .status,
            200);
  return std::string(apiserver::text_at(made.body, {"metadata", "uid"}));
}

std::string status_of(Site& site) {
  const Answer claim = site.api.get(kClaims + "/c");
  return apiserver::serialize(apiserver::array_at(claim.body, {"status", "devices"}));
}

CO_TEST(ClaimStatusWriter, writes_beside_other_drivers_and_removes_only_its_own) {
  Site site(loop);
  const node::ClaimRef claim{"lab", "c", make_claim(site)};
  ClaimStatusWriter gpu(site.rest, "gpu.example.com");
  ClaimStatusWriter nic(site.rest, "nic.example.com");
  const auto first = co_await gpu.apply(
      claim, {{.pool = "n0",
               .device = "d0",
               .conditions = {make_condition("Ready", true, "Up", "", runtime::WallTime())},
               .data = {{"slot", 3}}}});
  CO_ASSERT_TRUE(first);
  const auto second = co_await nic.apply(
      claim, {{.pool = "n0",
               .device = "e0",
               .network_data = {{"interfaceName", "net1"}, {"ips", {"10.0.0.2/24"}}}}});
  CO_ASSERT_TRUE(second);
  EXPECT_TRUE(status_of(site).contains("\"slot\":3"));
  EXPECT_TRUE(status_of(site).contains("\"interfaceName\":\"net1\""));
  const auto third = co_await gpu.apply(claim, {});
  CO_ASSERT_TRUE(third);
  EXPECT_FALSE(status_of(site).contains("slot"));
  EXPECT_TRUE(status_of(site).contains("net1"));
  co_await site.stop();
}

// The driver on the node, and a controller that satisfies binding conditions.
CO_TEST(ClaimStatusWriter, keeps_what_another_writer_of_its_driver_has_reported) {
  Site site(loop);
  const node::ClaimRef claim{"lab", "c", make_claim(site)};
  ClaimStatusWriter node(site.rest, "gpu.example.com");
  ClaimStatusWriter controller(site.rest, "gpu.example.com", "gpu-controller");
  const auto condition = [](const char* type) {
    return make_condition(type, true, "Up", "", runtime::WallTime());
  };
  const auto first = co_await controller.apply(
      claim, {{.pool = "n0", .device = "d0", .conditions = {condition("Attached")}}});
  CO_ASSERT_TRUE(first);
  const auto second = co_await node.apply(
      claim, {{.pool = "n0", .device = "d0", .conditions = {condition("Ready")}}});
  CO_ASSERT_TRUE(second);
  EXPECT_TRUE(status_of(site).contains("Attached")) << status_of(site);
  EXPECT_TRUE(status_of(site).contains("Ready")) << status_of(site);
  co_await site.stop();
}

CO_TEST(ClaimStatusWriter, ignores_other_claim_of_same_name) {
  Site site(loop);
  make_claim(site);
  ClaimStatusWriter gpu(site.rest, "gpu.example.com");
  const auto refused =
      co_await gpu.apply({"lab", "c", "another-uid"}, {{.pool = "n0", .device = "d0"}});
  EXPECT_FALSE(refused);
  EXPECT_EQ(status_of(site), "[]");
  co_await site.stop();
}

}  // namespace
}  // namespace dcm::driver_kit
