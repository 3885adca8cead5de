#include "client/request/request.hpp"

#include <gtest/gtest.h>

#include "controllers/api/resources.hpp"

namespace dcm::client {
namespace {

const api::Resource kClaims{&api::kResourceClaims, "v1"};
const api::NamespacedName kKey{"lab", "shared"};

TEST(Request, encodes_query_values_and_omits_empty_ones) {
  EXPECT_EQ(make_target("/p", {}), "/p");
  EXPECT_EQ(make_target("/p", {{"a", ""}, {"b", "x y/+&="}, {"c", "-._~"}}),
            "/p?b=x%20y%2F%2B%26%3D&c=-._~");
}

TEST(Request, reads_first_page_consistently) {
  const ApiRequest request = list_request(kClaims, {.limit = 500});
  EXPECT_EQ(request.target, "/apis/resource.k8s.io/v1/resourceclaims?limit=500");
  EXPECT_EQ(request.compression, Compression::gzip);
}

TEST(Request, adds_token_and_namespace_to_further_pages) {
  const ApiRequest request = list_request(
      kClaims, {.selection = {.namespace_ = "lab"}, .limit = 2, .continue_token = "a=="});
  EXPECT_EQ(request.target,
            "/apis/resource.k8s.io/v1/namespaces/lab/resourceclaims?limit=2&continue=a%3D%3D");
}

TEST(Request, leaves_selection_to_server) {
  const Selection selection{
      .namespace_ = "lab", .label_selector = "app=web", .field_selector = "spec.nodeName=node-0"};
  EXPECT_EQ(list_request(kClaims, {.selection = selection, .limit = 0}).target,
            "/apis/resource.k8s.io/v1/namespaces/lab/resourceclaims?labelSelector=app%3Dweb"
            "&fieldSelector=spec.nodeName%3Dnode-0");
  EXPECT_EQ(watch_request(kClaims, {.selection = selection}).target,
            "/apis/resource.k8s.io/v1/namespaces/lab/resourceclaims?watch=true"
            "&allowWatchBookmarks=true&timeoutSeconds=300&labelSelector=app%3Dweb"
            "&fieldSelector=spec.nodeName%3Dnode-0");
}

// Four workers that wait for four bad objects are lost to all other objects.
TEST(Request, leaves_answered_requests_to_callers_queue_by_default) {
  EXPECT_EQ(CallOptions().retries, Retries::unanswered);
  EXPECT_EQ(ApiRequest().retries, Retries::unanswered);
}

TEST(Request, sets_media_type_of_each_patch) {
  EXPECT_EQ(content_type_of(merge_patch_request(kClaims, kKey, "", "{}").verb),
            "application/merge-patch+json");
  const ApiRequest json_patch = json_patch_request(kClaims, kKey, "status", "[]");
  EXPECT_EQ(content_type_of(json_patch.verb), "application/json-patch+json");
  EXPECT_EQ(json_patch.target,
            "/apis/resource.k8s.io/v1/namespaces/lab/resourceclaims/shared/status");
}

TEST(Request, leaves_field_manager_to_user_agent) {
  EXPECT_EQ(create_request(kClaims, "lab", {"{}"}).target,
            "/apis/resource.k8s.io/v1/namespaces/lab/resourceclaims");
  EXPECT_EQ(strategic_merge_patch_request(kClaims, kKey, "status", "{}").target,
            "/apis/resource.k8s.io/v1/namespaces/lab/resourceclaims/shared/status");
}

TEST(Request, applies_with_given_manager) {
  const ApiRequest request =
      apply_request(kClaims, kKey, "status", "ResourceClaimController", "{}");
  EXPECT_EQ(request.target,
            "/apis/resource.k8s.io/v1/namespaces/lab/resourceclaims/shared/status"
            "?fieldManager=ResourceClaimController&force=true");
  EXPECT_EQ(content_type_of(request.verb), "application/apply-patch+yaml");
}

TEST(Request, requests_state_and_then_changes) {
  const ApiRequest request = watch_request(kClaims, {.initial_events = InitialEvents::send,
                                                     .server_timeout = std::chrono::seconds(420)});
  EXPECT_EQ(request.target,
            "/apis/resource.k8s.io/v1/resourceclaims?watch=true&allowWatchBookmarks=true"
            "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=420");
  EXPECT_EQ(request.compression, Compression::gzip);
}

TEST(Request, resumes_watch_at_last_version) {
  const ApiRequest request =
      watch_request(kClaims, {.resource_version = api::ResourceVersion("81507")});
  EXPECT_EQ(request.target,
            "/apis/resource.k8s.io/v1/resourceclaims?watch=true&allowWatchBookmarks=true"
            "&resourceVersion=81507&timeoutSeconds=300");
  EXPECT_EQ(request.compression, Compression::none);
}

TEST(Request, treats_all_but_creates_and_json_patches_as_idempotent) {
  for (const Verb verb : {Verb::get, Verb::list, Verb::watch, Verb::update, Verb::apply,
                          Verb::strategic_merge_patch, Verb::merge_patch, Verb::delete_}) {
    EXPECT_TRUE(is_idempotent(verb));
  }
  EXPECT_FALSE(is_idempotent(Verb::create));
  EXPECT_FALSE(is_idempotent(Verb::json_patch));
}

}  // namespace
}  // namespace dcm::client
