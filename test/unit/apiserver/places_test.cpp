// Which paths exist for a kind, and what a read of one object may request.
#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

struct Row {
  std::string_view sentence;
  std::string_view method;
  std::string_view path;
  int status;
};

class Places : public Api, public ::testing::WithParamInterface<Row> {};

TEST_P(Places, are_those_of_the_scope) {
  const Answer answer =
      api.send(GetParam().method, GetParam().path, kMerge, R"({"metadata":{"name":"n"}})");
  EXPECT_EQ(answer.status, GetParam().status) << serialize(answer.body);
}

constexpr std::string_view kNodeInNamespace = "/api/v1/namespaces/default/nodes/n";
constexpr std::string_view kNodesInNamespace = "/api/v1/namespaces/default/nodes";
constexpr std::string_view kClaimOfNowhere = "/apis/resource.k8s.io/v1/resourceclaims/x";

INSTANTIATE_TEST_SUITE_P(
    Paths, Places,
    ::testing::Values(
        Row{"a node in a namespace is not read", "GET", kNodeInNamespace, 404},
        Row{"nor its status", "GET", "/api/v1/namespaces/default/nodes/n/status", 404},
        Row{"nor patched", "PATCH", kNodeInNamespace, 404},
        Row{"nor replaced", "PUT", kNodeInNamespace, 404},
        Row{"nor deleted", "DELETE", kNodeInNamespace, 404},
        Row{"nodes are not listed in a namespace", "GET", kNodesInNamespace, 404},
        Row{"nor created", "POST", kNodesInNamespace, 404},
        Row{"nor deleted there", "DELETE", kNodesInNamespace, 404},
        Row{"nor in an empty one", "GET", "/api/v1/namespaces//nodes", 404},
        Row{"namespaces are in none", "GET", "/api/v1/namespaces/default/namespaces", 404},
        Row{"a claim without a namespace is not read", "GET", kClaimOfNowhere, 404},
        Row{"nor a claim patched", "PATCH", kClaimOfNowhere, 404},
        Row{"nor a claim replaced", "PUT", kClaimOfNowhere, 404},
        Row{"nor a claim deleted", "DELETE", kClaimOfNowhere, 404},
        Row{"pods of all namespaces are not deleted", "DELETE", "/api/v1/pods", 405},
        Row{"nor are pods created", "POST", "/api/v1/pods", 405},
        Row{"an empty namespace is all", "GET", "/api/v1/namespaces//pods", 200},
        Row{"but no place for a pod", "GET", "/api/v1/namespaces//pods/p", 400},
        Row{"an end may have slashes", "GET", "/api/v1/pods//", 200},
        Row{"no empty resource", "GET", "/api/v1//pods", 404},
        Row{"no empty version", "GET", "/api//pods", 404},
        Row{"no empty root", "GET", "//api/v1/pods", 404},
        Row{"no empty name", "GET", "/api/v1/namespaces/default/pods//status", 404}),
    kBySentence);

TEST_F(Api, opens_no_watch_of_nodes_in_a_namespace) {
  EXPECT_EQ(api.watch(std::string(kNodesInNamespace) + "?watch=1").error().status, 404);
}

TEST_F(Api, reads_object_of_no_later_version) {
  make_pod();
  const auto read = [&](std::string_view version) {
    return api.get(std::string(kPod) + "?resourceVersion=" + std::string(version));
  };
  EXPECT_EQ(read("0").status, 200);
  EXPECT_EQ(read("1").status, 200);
  EXPECT_EQ(read("abc").status, 500);
  const Answer late = read("999999999");
  EXPECT_EQ(late.status, 504);
  EXPECT_EQ(late.reason(), "Timeout");
  EXPECT_EQ(api.get(std::string(kPods) + "/none?resourceVersion=999999999").status, 504);
}

TEST_F(Api, continues_no_watch) {
  const std::string path = std::string(kPods) + "?watch=1&continue=x";
  const auto from_any = api.watch(path);
  ASSERT_FALSE(from_any);
  EXPECT_EQ(from_any.error().status, 422);
  EXPECT_TRUE(api.watch(path + "&resourceVersion=" + std::string(make_pod().resource_version())));
}

TEST_F(Api, says_that_body_is_of_another_version) {
  const auto message = [&](std::string_view version, std::string_view kind) {
    const Answer answer =
        api.post(kClaims, R"({"apiVersion":")" + std::string(version) + R"(","kind":")" +
                              std::string(kind) + R"(","metadata":{"name":"c"}})");
    EXPECT_EQ(answer.status, 400);
    return std::string(answer.text({"message"}));
  };
  constexpr std::string_view kOther =
      "the API version in the data (resource.k8s.io/v1beta1) does not match the expected API "
      "version (resource.k8s.io/v1)";
  EXPECT_EQ(message("resource.k8s.io/v1beta1", "ResourceClaim"), kOther);
  EXPECT_EQ(message("resource.k8s.io/v1beta1", ""), kOther);
  EXPECT_TRUE(message("resource.k8s.io/v0", "ResourceClaim").contains("is registered for version"));
  EXPECT_TRUE(message("v1", "ResourceClaim").contains("is registered for version"));
}

}  // namespace
}  // namespace dcm::apiserver
