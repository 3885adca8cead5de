#include "client/request/request.hpp"

#include <gtest/gtest.h>

#include "controllers/api/resources.hpp"

namespace dcm::client {
namespace {

const api::Resource kClaims{&api::kResourceClaims, "v1"};
const api::NamespacedName kKey{"lab", "shared"};

TEST(Request, query_values_are_encoded_and_empty_ones_left_out) {
  EXPECT_EQ(make_target("/p", {}), "/p");
  EXPECT_EQ(make_target("/p", {{"a", ""}, {"b", "x y/+&="}, {"c", "-._~"}}),
            "/p?b=x%20y%2F%2B%26%3D&c=-._~");
}

TEST(Request, the_first_page_of_a_list_is_a_consistent_read) {
  const ApiRequest request = list_request(kClaims, {.limit = 500});
  EXPECT_EQ(request.target, "/apis/resource.k8s.io/v1/resourceclaims?limit=500");
  EXPECT_EQ(request.compression, Compression::gzip);
}

TEST(Request, further_pages_carry_the_token_and_stay_in_the_namespace) {
  const ApiRequest request = list_request(
      kClaims, {.selection = {.namespace_ = "lab"}, .limit = 2, .continue_token = "a=="});
  EXPECT_EQ(request.target,
            "/apis/resource.k8s.io/v1/namespaces/lab/resourceclaims?limit=2&continue=a%3D%3D");
}

TEST(Request, a_selection_is_the_servers_to_make_in_lists_and_watches) {
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

// Four workers that sleep on four bad objects are lost for all others.
TEST(Request, what_a_server_has_answered_is_left_to_the_callers_queue_unless_said_otherwise) {
  EXPECT_EQ(CallOptions().retries, Retries::unanswered);
  EXPECT_EQ(ApiRequest().retries, Retries::unanswered);
}

TEST(Request, each_kind_of_patch_has_its_media_type) {
  EXPECT_EQ(content_type_of(merge_patch_request(kClaims, kKey, "", "{}").verb),
            "application/merge-patch+json");
  const ApiRequest json_patch = json_patch_request(kClaims, kKey, "status", "[]");
  EXPECT_EQ(content_type_of(json_patch.verb), "application/json-patch+json");
  EXPECT_EQ(json_patch.target,
            "/apis/resource.k8s.io/v1/namespaces/lab/resourceclaims/shared/status");
}

TEST(Request, creates_and_patches_leave_the_field_manager_to_the_user_agent) {
  EXPECT_EQ(create_request(kClaims, "lab", {"{}"}).target,
            "/apis/resource.k8s.io/v1/namespaces/lab/resourceclaims");
  EXPECT_EQ(strategic_merge_patch_request(kClaims, kKey, "status", "{}").target,
            "/apis/resource.k8s.io/v1/namespaces/lab/resourceclaims/shared/status");
}

TEST(Request, apply_takes_over_with_the_manager_that_it_is_given) {
  const ApiRequest request =
      apply_request(kClaims, kKey, "status", "ResourceClaimController", "{}");
  EXPECT_EQ(request.target,
            "/apis/resource.k8s.io/v1/namespaces/lab/resourceclaims/shared/status"
            "?fieldManager=ResourceClaimController&force=true");
  EXPECT_EQ(content_type_of(request.verb), "application/apply-patch+yaml");
}

TEST(Request, a_watch_list_asks_for_the_state_and_then_the_changes) {
  const ApiRequest request =
      watch_request(kClaims, {.initial_events = WatchQuery::InitialEvents::send,
                              .server_timeout = std::chrono::seconds(420)});
  EXPECT_EQ(request.target,
            "/apis/resource.k8s.io/v1/resourceclaims?watch=true&allowWatchBookmarks=true"
            "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=420");
  EXPECT_EQ(request.compression, Compression::gzip);
}

TEST(Request, a_watch_resumes_where_the_last_one_ended) {
  const ApiRequest request = watch_request(kClaims, {.resource_version = "81507"});
  EXPECT_EQ(request.target,
            "/apis/resource.k8s.io/v1/resourceclaims?watch=true&allowWatchBookmarks=true"
            "&resourceVersion=81507&timeoutSeconds=300");
  EXPECT_EQ(request.compression, Compression::none);
}

TEST(Request, only_creates_and_json_patches_are_not_idempotent) {
  for (const Verb verb : {Verb::get, Verb::list, Verb::watch, Verb::update, Verb::apply,
                          Verb::strategic_merge_patch, Verb::merge_patch, Verb::delete_}) {
    EXPECT_TRUE(is_idempotent(verb));
  }
  EXPECT_FALSE(is_idempotent(Verb::create));
  EXPECT_FALSE(is_idempotent(Verb::json_patch));
}

}  // namespace
}  // namespace dcm::client
