// What is read for an explanation, from the API server in memory.
#include "explain/read_evidence.hpp"

#include <set>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/read_cluster.hpp"
#include "test/support/virtual_cluster.hpp"

namespace dcm::explain {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kClaims = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";

// A pod that the scheduler does not bind before its device is attached. Two claims share the
// device; one of them is attached.
class ReadBinding : public testing::Test {
 protected:
  ReadBinding() {
    const std::string uid = post("/api/v1/namespaces/default/pods",
                                 R"({"metadata":{"name":"p"},)"
                                 R"("spec":{"containers":[{"name":"c","image":"i"}],)"
                                 R"("resourceClaims":[{"name":"a","resourceClaimName":"waits"},)"
                                 R"({"name":"b","resourceClaimName":"attached"}]}})");
    for (const char* claim : {"waits", "attached"}) {
      post(kClaims, fmt::format(R"({{"metadata":{{"name":"{}","finalizers":[)"
                                R"("resource.kubernetes.io/delete-protection"]}},"spec":)"
                                R"({{"devices":{{"requests":[{{"name":"r","exactly":)"
                                R"({{"deviceClassName":"gpu"}}}}]}}}}}})",
                                claim));
      patch(claim, fmt::format(R"({{"allocation":{{"devices":{{"results":[{{"request":"r",)"
                               R"("driver":"d.example.com","pool":"n","device":"g",)"
                               R"("bindingConditions":["example.com/attached"],)"
                               R"("bindingFailureConditions":["example.com/failed"]}}]}}}},)"
                               R"("reservedFor":[{{"resource":"pods","name":"p","uid":"{}"}}]}})",
                               uid));
    }
    attach("attached");
  }

  std::string post(const std::string& collection, const std::string& body) {
    const apiserver::Answer answer = cluster_.api().post(collection, body);
    EXPECT_TRUE(answer.ok()) << collection << apiserver::serialize(answer.body);
    return std::string(answer.uid());
  }
  void patch(const std::string& claim, const std::string& status) {
    const apiserver::Answer answer =
        cluster_.api().patch(fmt::format("{}/{}/status", kClaims, claim), apiserver::kMerge,
                             fmt::format(R"({{"status":{}}})", status));
    EXPECT_TRUE(answer.ok()) << apiserver::serialize(answer.body);
  }
  void attach(const std::string& claim) {
    patch(claim, R"({"devices":[{"driver":"d.example.com","pool":"n","device":"g","conditions":[{)"
                 R"("type":"example.com/attached","status":"True","reason":"Done","message":"",)"
                 R"("lastTransitionTime":"2026-01-01T00:00:00Z"}]}]})");
  }
  std::string explain(Subject::Kind kind, const char* name) {
    return cluster_
        .wait_for(read_cluster(cluster_.rest(), cluster_.time(),
                               {.subject = {kind, {"default", name}}, .format = Format::json}))
        .text;
  }

  test::VirtualCluster cluster_;
};

TEST_F(ReadBinding, names_missing_conditions_of_pod_and_claim) {
  const std::string told =
      "only when these conditions are true: example.com/attached of device "
      "d.example.com/n/g in claim \\\"waits\\\".";
  const std::string of_pod = explain(Subject::Kind::pod, "p");
  EXPECT_THAT(of_pod, HasSubstr(told));
  EXPECT_THAT(of_pod, Not(HasSubstr("NotSeenByScheduler")));
  EXPECT_THAT(explain(Subject::Kind::claim, "waits"), HasSubstr(told));
  EXPECT_THAT(explain(Subject::Kind::claim, "attached"), Not(HasSubstr("BindingConditions")));
}

// Parameters for a driver may have many levels.
TEST_F(ReadBinding, reads_deep_claims) {
  const std::string deep = std::string(80, '[') + std::string(80, ']');
  post(kClaims,
       fmt::format(R"({{"metadata":{{"name":"deep"}},"spec":{{"devices":{{"requests":[)"
                   R"({{"name":"r","exactly":{{"deviceClassName":"gpu"}}}}],"config":[)"
                   R"({{"opaque":{{"driver":"d.example.com","parameters":{{"a":{}}}}}}}]}}}}}})",
                   deep));
  patch("deep", R"({"allocation":{"devices":{"results":[{"request":"r",)"
                R"("driver":"d.example.com","pool":"n","device":"h",)"
                R"("bindingConditions":["example.com/attached"],)"
                R"("bindingFailureConditions":["example.com/failed"]}]}}})");
  EXPECT_THAT(explain(Subject::Kind::claim, "deep"), HasSubstr("in claim \\\"deep\\\"."));
}

TEST_F(ReadBinding, says_nothing_once_conditions_are_true) {
  attach("waits");
  EXPECT_THAT(explain(Subject::Kind::pod, "p"), HasSubstr("NotSeenByScheduler"));
}

// The pod has no reservation, and the scheduler says why it finds no node.
TEST_F(ReadBinding, tells_why_allocated_claim_is_unusable) {
  const std::string other = R"("reservedFor":[{"resource":"pods","name":"other","uid":"other"}])";
  patch("waits", "{" + other + "}");
  patch("attached", R"({"allocation":null,"reservedFor":null,"devices":null})");
  patch("attached", R"({"allocation":{"devices":{"results":[{"request":"r",)"
                    R"("driver":"d.example.com","pool":"n","device":"g"}]},)"
                    R"("nodeSelector":{"nodeSelectorTerms":[{"matchFields":[{)"
                    R"("key":"metadata.name","operator":"In","values":["node-1"]}]}]}},)" +
                        other + "}");
  patch("waits", R"({"devices":[{"driver":"d.example.com","pool":"n","device":"g","conditions":[{)"
                 R"("type":"example.com/failed","status":"True","reason":"R","message":"m",)"
                 R"("lastTransitionTime":"2026-01-01T00:00:00Z"}]}]})");
  const auto scheduled = cluster_.api().patch(
      "/api/v1/namespaces/default/pods/p/status", apiserver::kMerge,
      R"({"status":{"conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable",)"
      R"("message":"1 resourceclaim not available on the node",)"
      R"("lastTransitionTime":"2026-01-01T00:00:00Z"}]}})");
  EXPECT_TRUE(scheduled.ok()) << apiserver::serialize(scheduled.body);
  const std::string text = explain(Subject::Kind::pod, "p");
  EXPECT_THAT(text, HasSubstr("cannot be bound: condition example.com/failed of device "
                              "d.example.com/n/g is true (R: \\\"m\\\")"));
  EXPECT_THAT(text, HasSubstr("can be used on node-1 only"));
  EXPECT_THAT(text, HasSubstr("once it is no longer reserved for pod default/other."));
}

// Two things of the same moment, read 5 s apart.
TEST_F(ReadBinding, takes_one_moment_for_all_sentences) {
  const std::string then = "2026-01-01T00:00:00.000000Z";
  post("/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates",
       R"({"metadata":{"name":"t"},"spec":{"spec":{"devices":{"requests":[)"
       R"({"name":"r","exactly":{"deviceClassName":"gpu"}}]}}}})");
  post("/api/v1/namespaces/default/pods",
       R"({"metadata":{"name":"q"},"spec":{"containers":[{"name":"c","image":"i"}],)"
       R"("resourceClaims":[{"name":"a","resourceClaimTemplateName":"t"}]}})");
  const auto scheduled = cluster_.api().patch(
      "/api/v1/namespaces/default/pods/q/status", apiserver::kMerge,
      R"({"status":{"conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable",)"
      R"("message":"no","lastTransitionTime":"2026-01-01T00:00:00Z"}]}})");
  EXPECT_TRUE(scheduled.ok()) << apiserver::serialize(scheduled.body);
  post("/apis/coordination.k8s.io/v1/namespaces/default/leases",
       fmt::format(
           R"({{"metadata":{{"name":"l"}},"spec":{{"holderIdentity":"","renewTime":"{}"}}}})",
           then));
  const std::string text =
      cluster_
          .wait_for(read_cluster(cluster_.rest(), cluster_.time(),
                                 {.subject = {Subject::Kind::pod, {"default", "q"}},
                                  .format = Format::json,
                                  .lease = {"default", "l"}}))
          .text;
  EXPECT_THAT(text, HasSubstr("last holder released it"));
  std::set<std::string> moments;
  std::size_t count = 0;
  for (auto at = text.find("2026-01-01T00:00:00Z ("); at != text.npos;
       at = text.find("2026-01-01T00:00:00Z (", at + 1)) {
    moments.insert(text.substr(at, text.find(')', at) - at));
    ++count;
  }
  EXPECT_GE(count, 2U) << text;
  EXPECT_EQ(moments.size(), 1U) << text;
}

}  // namespace
}  // namespace dcm::explain
