// Claims that the pods of a group share (KEP-5729).

#include <fmt/format.h>

#include "test/conformance/eviction_case.hpp"
#include "test/conformance/served.hpp"

namespace dcm::conformance {
namespace {

constexpr const char* kGroups = "scheduling.k8s.io";
constexpr const char* kOn = "--feature-gates=GenericWorkload=true,DRAWorkloadResourceClaims=true";
constexpr const char* kHalfOn = "--feature-gates=GenericWorkload=true";
constexpr const char* kOff =
    "--feature-gates=GenericWorkload=false,DRAWorkloadResourceClaims=false";
constexpr const char* kFailed = "FailedResourceClaimCreation";

// How a group names its claims.
struct GroupSpec {
  std::vector<std::pair<std::string, std::string>> templates = {};
  std::vector<std::pair<std::string, std::string>> claims = {};
};

class PodGroups : public EvictionCase {
 protected:
  PodGroups() {
    if (!is_served(kube(), kGroups, "v1beta1", "podgroups")) {
      skip("this server serves no pod groups in v1beta1");
    }
    grant("pod-groups");
  }
  ~PodGroups() override {
    const json::value list = kube().must_get(path("podgroups"));
    for (const json::value& group : at(list, "/items").as_array()) {
      delete_group(text_at(group, "/metadata/name"));
    }
  }

  void start(const char* gates = kOn) { start_manager({gates}); }

  json::value create_group(const std::string& name, const GroupSpec& spec) {
    json::array claims;
    for (const auto& [entry, from] : spec.templates) {
      claims.push_back({{"name", entry}, {"resourceClaimTemplateName", from}});
    }
    for (const auto& [entry, claim] : spec.claims) {
      claims.push_back({{"name", entry}, {"resourceClaimName", claim}});
    }
    json::object group_spec{{"schedulingPolicy", {{"basic", json::object()}}}};
    if (!claims.empty()) group_spec["resourceClaims"] = claims;
    return kube().must_post(path("podgroups"), {{"apiVersion", "scheduling.k8s.io/v1beta1"},
                                                {"kind", "PodGroup"},
                                                {"metadata", {{"name", name}}},
                                                {"spec", group_spec}});
  }
  json::value create_trainers() {
    return create_group("trainers", {.templates = {{"fabric", "net"}}});
  }
  json::value create_member(const std::string& name, const std::string& node = {}) {
    return create_pod(
        {.name = name, .templates = {{"fabric", "net"}}, .node = node, .group = "trainers"});
  }
  // Released like by its protection controller.
  void delete_group(const std::string& name) {
    kube().remove(path("podgroups", name), json::object());
    kube().patch(path("podgroups", name), Kube::Patch::merge,
                 {{"metadata", {{"finalizers", nullptr}}}});
  }

  // The claim that the group's status names for an entry, or "".
  std::string claim_of_group(const std::string& group, const std::string& entry) {
    const json::value object = get("podgroups", group);
    const json::value& statuses = at(object, "/status/resourceClaimStatuses");
    for (const json::value& status : statuses.is_array() ? statuses.as_array() : json::array()) {
      if (text_at(status, "/name") == entry) return text_at(status, "/resourceClaimName");
    }
    return {};
  }
  std::string wait_for_claim_of_group(const std::string& group, const std::string& entry) {
    std::string claim;
    EXPECT_TRUE(soon(fmt::format("group {} has a claim for {}", group, entry), [&] {
      claim = claim_of_group(group, entry);
      return !claim.empty();
    }));
    return claim;
  }
  static Reservation reservation_of_group(const json::value& group) {
    return {.name = text_at(group, "/metadata/name"),
            .uid = text_at(group, "/metadata/uid"),
            .resource = "podgroups",
            .api_group = kGroups};
  }
  // A claim created for the group, allocated and reserved for it.
  std::string reserve_for_group(const json::value& group, const std::string& entry) {
    const std::string claim = wait_for_claim_of_group(text_at(group, "/metadata/name"), entry);
    allocate(claim, {reservation_of_group(group)});
    return claim;
  }
};

TEST_F(PodGroups, name_one_shared_claim_in_all_statuses) {
  start();
  create_template("net");
  const json::value group = create_trainers();
  create_member("a");
  create_member("b");
  const std::string name = wait_for_claim_of_group("trainers", "fabric");
  EXPECT_EQ(wait_for_claim_of("a", "fabric"), name);
  EXPECT_EQ(wait_for_claim_of("b", "fabric"), name);
  EXPECT_EQ(claim_names(), Names{name});
  EXPECT_TRUE(name.starts_with("trainers-fabric-")) << name;
  const json::value claim = get("resourceclaims", name);
  EXPECT_EQ(at(claim, "/metadata/annotations").at("resource.kubernetes.io/pod-claim-name"),
            "fabric");
  const json::value& owner = at(claim, "/metadata/ownerReferences/0");
  EXPECT_EQ(text_at(owner, "/apiVersion"), "scheduling.k8s.io/v1beta1");
  EXPECT_EQ(text_at(owner, "/kind"), "PodGroup");
  EXPECT_EQ(text_at(owner, "/name"), "trainers");
  EXPECT_EQ(text_at(owner, "/uid"), text_at(group, "/metadata/uid"));
  EXPECT_EQ(at(owner, "/controller"), true);
  EXPECT_TRUE(at(owner, "/blockOwnerDeletion").is_null());
}

TEST_F(PodGroups, keep_own_claims_beside_group_claims) {
  start();
  create_template("net");
  create_template("gpu");
  create_trainers();
  const json::value pod = create_pod(
      {.name = "a", .templates = {{"fabric", "net"}, {"accel", "gpu"}}, .group = "trainers"});
  const std::string own = wait_for_claim_of("a", "accel");
  EXPECT_EQ(wait_for_claim_of("a", "fabric"), wait_for_claim_of_group("trainers", "fabric"));
  EXPECT_EQ(text_at(get("resourceclaims", own), "/metadata/ownerReferences/0/uid"),
            text_at(pod, "/metadata/uid"));
}

TEST_F(PodGroups, treat_entry_with_other_template_as_pods_own) {
  start();
  create_template("net");
  create_template("slow");
  create_trainers();
  create_pod({.name = "a", .templates = {{"fabric", "slow"}}, .group = "trainers"});
  const std::string own = wait_for_claim_of("a", "fabric");
  EXPECT_NE(own, wait_for_claim_of_group("trainers", "fabric"));
  EXPECT_TRUE(own.starts_with("a-fabric-"));
}

TEST_F(PodGroups, wait_for_group_without_event) {
  start();
  create_template("net");
  create_member("a");
  settle();
  EXPECT_TRUE(claim_names().empty());
  create_trainers();
  EXPECT_EQ(wait_for_claim_of("a", "fabric"), wait_for_claim_of_group("trainers", "fabric"));
  EXPECT_TRUE(events_of("a").empty());
}

TEST_F(PodGroups, resume_when_template_appears) {
  start();
  create_trainers();
  create_member("a");
  EXPECT_TRUE(soon("an event on the group says what is missing", [&] {
    return has_warning("trainers", kFailed,
                       "PodGroupResourceClaim fabric: resource claim template \"net\": "
                       "resourceclaimtemplate.resource.k8s.io \"net\" not found");
  }));
  EXPECT_EQ(text_at(events_of("trainers").front(), "/involvedObject/kind"), "PodGroup");
  EXPECT_TRUE(events_of("a").empty());
  create_template("net");
  EXPECT_EQ(wait_for_claim_of("a", "fabric"), wait_for_claim_of_group("trainers", "fabric"));
}

TEST_F(PodGroups, continue_with_other_entries_after_failure) {
  reference("stops at the first claim of a pod group that cannot be made, and writes no name");
  start();
  create_template("net");
  create_group("trainers", {.templates = {{"accel", "missing"}, {"fabric", "net"}}});
  EXPECT_FALSE(wait_for_claim_of_group("trainers", "fabric").empty());
  EXPECT_TRUE(soon("the other gets an event", [&] {
    return has_warning("trainers", kFailed, "PodGroupResourceClaim accel");
  }));
}

TEST_F(PodGroups, recreate_deleted_claim_beside_others) {
  reference("loses the name of one claim of a pod group when it recreates another, back and forth");
  start();
  create_template("net");
  create_template("gpu");
  create_group("trainers", {.templates = {{"accel", "gpu"}, {"fabric", "net"}}});
  create_member("a");
  const std::string kept = wait_for_claim_of_group("trainers", "accel");
  const std::string first = uid_of_claim(wait_for_claim_of("a", "fabric"));
  kube().remove(path("resourceclaims", claim_of("a", "fabric")), json::object());
  EXPECT_TRUE(soon("there is another one", [&] {
    const std::string second = uid_of_claim(claim_of_group("trainers", "fabric"));
    return !second.empty() && second != first;
  }));
  EXPECT_TRUE(soon("the pod follows", [&] {
    return claim_of("a", "fabric") == claim_of_group("trainers", "fabric");
  }));
  settle();
  EXPECT_EQ(claim_of_group("trainers", "accel"), kept);
  EXPECT_EQ(claim_names().size(), 2U);
}

TEST_F(PodGroups, reserve_once_for_pods_with_nodes) {
  start();
  create_template("net");
  const json::value group = create_trainers();
  const std::string claim = wait_for_claim_of_group("trainers", "fabric");
  create_member("a", "node-a");
  create_member("b", "node-b");
  EXPECT_EQ(wait_for_claim_of("a", "fabric"), claim);
  EXPECT_EQ(wait_for_claim_of("b", "fabric"), claim);
  allocate(claim);
  EXPECT_TRUE(
      soon("it is reserved for the group", [&] { return reserved_for(claim) == uids({group}); }));
  settle();
  EXPECT_EQ(reserved_for(claim), uids({group}));
  const json::value entry = at(get("resourceclaims", claim), "/status/reservedFor/0");
  EXPECT_EQ(text_at(entry, "/apiGroup"), kGroups);
  EXPECT_EQ(text_at(entry, "/resource"), "podgroups");
  EXPECT_EQ(text_at(entry, "/name"), "trainers");
}

TEST_F(PodGroups, reserve_user_claim_that_group_and_pod_name) {
  start();
  create_claim("big");
  allocate("big");
  const json::value group = create_group("trainers", {.claims = {{"store", "big"}}});
  create_pod({.name = "a", .claims = {{"store", "big"}}, .node = "node-a", .group = "trainers"});
  EXPECT_TRUE(
      soon("it is reserved for the group", [&] { return reserved_for("big") == uids({group}); }));
}

TEST_F(PodGroups, keep_claim_until_group_is_deleted) {
  start();
  create_template("net");
  const json::value group = create_trainers();
  const std::string claim = reserve_for_group(group, "fabric");
  create_member("a", "node-a");
  wait_for_claim_of("a", "fabric");
  set_phase("a", "Succeeded");
  delete_pod("a");
  settle();
  EXPECT_EQ(reserved_for(claim), uids({group}));
  kube().remove(path("podgroups", "trainers"), json::object());
  settle();
  EXPECT_EQ(reserved_for(claim), uids({group})) << "its finalizer keeps it there";
  delete_group("trainers");
  EXPECT_TRUE(soon("the claim is free", [&] { return is_free(claim); }));
  EXPECT_TRUE(exists("resourceclaims", claim)) << "that is the garbage collector's";
}

TEST_F(PodGroups, look_up_groups_deleted_during_downtime) {
  create_claim("big");
  allocate("big", {{.name = "gone", .uid = "u-1", .resource = "podgroups", .api_group = kGroups}});
  start();
  EXPECT_TRUE(soon("the claim is free", [&] { return is_free("big"); }));
}

TEST_F(PodGroups, drop_reservation_when_group_is_recreated) {
  create_claim("big");
  create_group("trainers", {.claims = {{"store", "big"}}});
  allocate("big",
           {{.name = "trainers", .uid = "u-1", .resource = "podgroups", .api_group = kGroups}});
  start();
  EXPECT_TRUE(soon("the claim is free", [&] { return is_free("big"); }));
}

TEST_F(PodGroups, release_nothing_on_404_without_group_name) {
  reference("assumes that a pod group is deleted when the server has stopped serving pod groups");
  faults().add({.method = "GET",
                .target = "/podgroups/gone",
                .times = 1'000'000,
                .fault = {.kind = FaultKind::answer,
                          .answer = {.status = 404,
                                     .headers = {{"Content-Type", "text/plain"}},
                                     .body = "404 page not found\n"}}});
  create_claim("big");
  allocate("big", {{.name = "gone", .uid = "u-1", .resource = "podgroups", .api_group = kGroups}});
  start();
  EXPECT_TRUE(
      soon("it is asked for", [&] { return faults().count("GET", "/podgroups/gone") > 0; }));
  settle();
  EXPECT_EQ(reserved_for("big"), Names{"u-1"});
  faults().clear();
  EXPECT_TRUE(soon("the claim is free", [&] { return is_free("big"); }));
}

TEST_F(PodGroups, create_no_second_claim_after_lost_answer) {
  faults().add(
      {.method = "POST", .target = kClaims, .times = 1, .fault = {.kind = FaultKind::drop_answer}});
  start();
  create_template("net");
  create_trainers();
  create_member("a");
  EXPECT_EQ(wait_for_claim_of("a", "fabric"), wait_for_claim_of_group("trainers", "fabric"));
  settle();
  EXPECT_EQ(claim_names().size(), 1U);
}

TEST_F(PodGroups, create_own_claims_of_pod_with_group_claims_off) {
  reference(
      "makes none of a pod's own claims where one of its pod claims is its group's and the feature "
      "gate DRAWorkloadResourceClaims is off, and tries the one that is refused again and again");
  start(kHalfOn);
  create_template("net");
  create_template("gpu");
  create_trainers();
  create_pod(
      {.name = "a", .templates = {{"fabric", "net"}, {"accel", "gpu"}}, .group = "trainers"});
  wait_for_claim_of("a", "accel");
  EXPECT_TRUE(soon("an event says why the other is not", [&] {
    return has_warning("a", kFailed,
                       "PodResourceClaim fabric: claim fabric is a PodGroup claim but the "
                       "DRAWorkloadResourceClaims feature is disabled");
  }));
  settle();
  EXPECT_EQ(claim_names().size(), 1U);
  EXPECT_EQ(claim_of_group("trainers", "fabric"), "");
}

TEST_F(PodGroups, ignore_grouped_pod_with_groups_off) {
  start(kOff);
  create_template("net");
  create_claim("big");
  allocate("big", {{.name = "gone", .uid = "u-1", .resource = "podgroups", .api_group = kGroups}});
  create_trainers();
  create_member("a");
  settle();
  EXPECT_TRUE(claim_names() == Names{"big"});
  EXPECT_EQ(reserved_for("big"), Names{"u-1"});
  EXPECT_TRUE(events_of("a").empty());
}

TEST_F(PodGroups, start_without_restart_once_served) {
  if (run().manager == ManagerKind::reference)
    GTEST_SKIP() << "it waits for them, and does nothing";
  patience();  // an unserved resource is discovered every 30 s
  const std::size_t hidden =
      faults().add({.method = "GET",
                    .target = "^/apis/scheduling\\.k8s\\.io$",
                    .times = 1'000'000,
                    .fault = {.kind = FaultKind::answer,
                              .answer = {.status = 404,
                                         .headers = {{"Content-Type", "text/plain"}},
                                         .body = "404 page not found\n"}}});
  start();
  EXPECT_GT(faults().matched(hidden), 0U);
  create_template("net");
  create_trainers();
  create_member("a");
  settle();
  EXPECT_TRUE(claim_names().empty());
  faults().clear();
  EXPECT_FALSE(wait_for_claim_of("a", "fabric").empty());
}

TEST_F(PodGroups, evict_each_pod_that_uses_group_claim) {
  start();
  create_template("net");
  const json::value group = create_trainers();
  const std::string claim = wait_for_claim_of_group("trainers", "fabric");
  allocate_devices(claim, {Device{}}, {reservation_of_group(group)});
  create_member("a", "node-a");
  create_member("b", "node-a");
  create_pod({.name = "beside", .node = "node-a", .group = "trainers"});
  create_member("waits");
  for (const char* pod : {"a", "b", "waits"}) EXPECT_EQ(wait_for_claim_of(pod, "fabric"), claim);
  publish("slice", {.taints = {taint("broken")}});
  EXPECT_TRUE(goes_soon("a"));
  EXPECT_TRUE(goes_soon("b"));
  settle_evictions();
  EXPECT_FALSE(is_going("beside"));
  EXPECT_FALSE(is_going("waits"));
  create_member("later", "node-a");
  EXPECT_TRUE(goes_soon("later"));
}

TEST_F(PodGroups, count_creates_with_owner) {
  if (run().manager == ManagerKind::reference) GTEST_SKIP() << "its metrics are not served here";
  start();
  create_template("net");
  create_trainers();
  wait_for_claim_of_group("trainers", "fabric");
  EXPECT_EQ(manager().metric("dynamic_resource_allocation_resourceclaim_creates_total{"
                             "admin_access=\"false\",owner_api_group=\"scheduling.k8s.io\","
                             "owner_api_kind=\"PodGroup\",status=\"success\"}"),
            1);
}

}  // namespace
}  // namespace dcm::conformance
