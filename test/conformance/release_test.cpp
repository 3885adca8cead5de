// Reservations, deallocation and deletion.
#include "test/conformance/case.hpp"

namespace dcm::conformance {
namespace {

using support::at;
using support::text_at;

class Release : public Case {
 protected:
  bool is_allocated(const std::string& claim) {
    return at(get("resourceclaims", claim), "/status/allocation").is_object();
  }
  bool has_finalizer(const std::string& claim) {
    const json::value object = get("resourceclaims", claim);
    const json::value& finalizers = at(object, "/metadata/finalizers");
    return finalizers.is_array() && !finalizers.as_array().empty();
  }
};

TEST_F(Release, a_pod_that_came_with_a_node_name_reserves_its_allocated_claim) {
  start_manager();
  create_claim("shared");
  allocate("shared", {});
  const json::value pod =
      create_pod({.name = "bound", .claims = {{"accel", "shared"}}, .node = "node-a"});
  EXPECT_TRUE(soon("the claim is reserved for the pod", [&] {
    return reserved_for("shared") == std::vector<std::string>{text_at(pod, "/metadata/uid")};
  }));
}

TEST_F(Release, a_claim_that_is_not_allocated_is_not_reserved) {
  start_manager();
  create_claim("idle");
  create_claim("allocated");
  allocate("allocated", {});
  create_pod({.name = "first", .claims = {{"accel", "idle"}}, .node = "node-a"});
  create_pod({.name = "second", .claims = {{"accel", "allocated"}}, .node = "node-a"});
  EXPECT_TRUE(soon("the other one is", [&] { return reserved_for("allocated").size() == 1; }));
  EXPECT_TRUE(reserved_for("idle").empty());
}

TEST_F(Release, a_deleted_pod_releases_its_claim_and_the_last_one_deallocates_it) {
  start_manager();
  create_claim("shared");
  const json::value a =
      create_pod({.name = "a", .claims = {{"accel", "shared"}}, .node = "node-a"});
  const json::value b =
      create_pod({.name = "b", .claims = {{"accel", "shared"}}, .node = "node-a"});
  allocate("shared", {a, b});
  delete_pod("a");
  EXPECT_TRUE(soon("one reservation is left", [&] {
    return reserved_for("shared") == std::vector<std::string>{text_at(b, "/metadata/uid")};
  }));
  EXPECT_TRUE(is_allocated("shared"));
  delete_pod("b");
  EXPECT_TRUE(soon("nothing is left", [&] {
    return reserved_for("shared").empty() && !is_allocated("shared") && !has_finalizer("shared");
  }));
  EXPECT_TRUE(exists("resourceclaims", "shared")) << "a claim of the user is not deleted";
}

TEST_F(Release, a_finished_pod_releases_and_its_generated_claim_is_deleted) {
  start_manager();
  create_template("gpus");
  const json::value pod = create_pod({.name = "job", .templates = {{"accel", "gpus"}}});
  const std::string claim = wait_for_claim_of("job", "accel");
  allocate(claim, {pod});
  set_phase("job", "Succeeded");
  EXPECT_TRUE(soon("the claim is gone", [&] { return !exists("resourceclaims", claim); }));
  EXPECT_TRUE(claim_names().empty());
}

TEST_F(Release, a_reservation_for_a_pod_that_never_was_is_dropped) {
  start_manager();
  create_claim("shared");
  allocate("shared",
           {json::value{{"metadata",
                         {{"name", "ghost"}, {"uid", "11111111-2222-4333-8444-555555555555"}}}}});
  EXPECT_TRUE(soon("it is deallocated", [&] {
    return reserved_for("shared").empty() && !is_allocated("shared") && !has_finalizer("shared");
  }));
}

TEST_F(Release, a_reservation_for_something_else_than_a_pod_is_kept) {
  start_manager();
  create_claim("shared");
  allocate("shared", {});
  const json::value pod =
      create_pod({.name = "a", .claims = {{"accel", "shared"}}, .node = "node-a"});
  ASSERT_TRUE(soon("the pod is reserved", [&] { return reserved_for("shared").size() == 1; }));
  kube().must_patch(path("resourceclaims", "shared") + "/status", Kube::Patch::strategic,
                    {{"status",
                      {{"reservedFor", json::array{json::object{{"apiGroup", "example.com"},
                                                                {"resource", "trains"},
                                                                {"name", "t"},
                                                                {"uid", "some-train"}}}}}}});
  delete_pod("a");
  EXPECT_TRUE(soon("only the pod's reservation goes", [&] {
    return reserved_for("shared") == std::vector<std::string>{"some-train"};
  }));
  EXPECT_TRUE(is_allocated("shared"));
}

TEST_F(Release, a_deleted_claim_that_nobody_uses_loses_its_finalizer_and_goes) {
  start_manager();
  create_claim("idle");
  allocate("idle", {});
  kube().remove(path("resourceclaims", "idle"));
  EXPECT_TRUE(soon("the claim is gone", [&] { return !exists("resourceclaims", "idle"); }));
}

TEST_F(Release, a_claim_allocated_but_never_reserved_stays_allocated) {
  start_manager();
  create_claim("waiting");
  create_claim("used");
  allocate("waiting", {});
  const json::value pod =
      create_pod({.name = "a", .claims = {{"accel", "used"}}, .node = "node-a"});
  allocate("used", {pod});
  delete_pod("a");
  EXPECT_TRUE(soon("the used one is free", [&] { return !is_allocated("used"); }));
  EXPECT_TRUE(is_allocated("waiting"));
  EXPECT_TRUE(has_finalizer("waiting"));
}

}  // namespace
}  // namespace dcm::conformance
