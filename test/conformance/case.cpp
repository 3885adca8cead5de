#include "test/conformance/case.hpp"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

#include "test/conformance/served.hpp"
#include "test/support/manifest.hpp"
#include "test/support/paths.hpp"

namespace dcm::conformance {
namespace {

using namespace std::chrono_literals;

constexpr const char* kFinalizer = "resource.kubernetes.io/delete-protection";
constexpr const char* kPodClaimName = "resource.kubernetes.io/pod-claim-name";

const testing::TestInfo& this_test() {
  return *testing::UnitTest::GetInstance()->current_test_info();
}

json::value gpu_spec() {
  return json::parse(R"({"devices":{"requests":[
      {"name":"gpus","exactly":{"deviceClassName":"gpu.example.com","count":2}}]}})");
}

json::value allocation() {
  return json::parse(R"({"devices":{"results":[
      {"request":"gpus","driver":"gpu.example.com","pool":"node-a","device":"gpu-0"}]}})");
}

json::array to_json(const Names& names) {
  return json::array(names.begin(), names.end());
}

json::value delete_options(std::optional<int> grace) {
  json::object options{{"apiVersion", "v1"}, {"kind", "DeleteOptions"}};
  if (grace) options["gracePeriodSeconds"] = *grace;
  return options;
}

json::value pod_object(const PodSpec& spec) {
  json::array claims;
  for (const auto& [name, from] : spec.templates) {
    claims.push_back({{"name", name}, {"resourceClaimTemplateName", from}});
  }
  for (const auto& [name, claim] : spec.claims) {
    claims.push_back({{"name", name}, {"resourceClaimName", claim}});
  }
  json::object container{{"name", "main"}, {"image", "example.com/main:1"}};
  if (!spec.extended_resource.empty()) {
    const json::value one{{spec.extended_resource, "1"}};
    container["resources"] = {{"requests", one}, {"limits", one}};
  }
  json::object pod_spec{{"containers", json::array{container}}};
  if (!claims.empty()) pod_spec["resourceClaims"] = claims;
  if (!spec.node.empty()) pod_spec["nodeName"] = spec.node;
  if (!spec.group.empty()) pod_spec["schedulingGroup"] = {{"podGroupName", spec.group}};
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", spec.name}, {"finalizers", to_json(spec.finalizers)}}},
          {"spec", pod_spec}};
}

const json::array& items_of(const json::value& list) {
  static const json::array none;
  const json::value& items = at(list, "/items");
  return items.is_array() ? items.as_array() : none;
}

}  // namespace

json::array to_json(const std::vector<Reservation>& reservations) {
  json::array result;
  for (const Reservation& each : reservations) {
    json::object entry{{"resource", each.resource}, {"name", each.name}, {"uid", each.uid}};
    if (!each.api_group.empty()) entry["apiGroup"] = each.api_group;
    result.push_back(std::move(entry));
  }
  return result;
}

Reservation reservation_of(const json::value& pod) {
  return {.name = text_at(pod, "/metadata/name"), .uid = text_at(pod, "/metadata/uid")};
}

Names uids(const std::vector<json::value>& pods) {
  Names found;
  for (const json::value& pod : pods) found.push_back(text_at(pod, "/metadata/uid"));
  std::ranges::sort(found);
  return found;
}

// ---- the case -----------------------------------------------------------------------------------

Case::Case()
    : dir_(fresh_case_dir(this_test().test_suite_name(), this_test().name())),
      kube_(std::make_unique<Kube>(run().admin)) {
  static int counter = 0;
  namespace_ = fmt::format("case-{}-{}", ++counter, getpid());
  kube().must_post(
      "/api/v1/namespaces",
      {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", namespace_}}}});
}

Case::~Case() {
  if (manager_) manager_->kill();
  if (HasFailure() && !is_server_halted_) leave_evidence();
  // Without these no later case can be trusted: the run ends here.
  if (is_server_halted_) resume_server();
  clean_up();
}

void Case::reference(const std::string& sentence) {
  RecordProperty("reference", sentence);
  differs_ = true;
}

Faults& Case::faults() {
  if (!faults_) {
    const bool is_ours = run().manager == ManagerKind::ours;
    faults_ = std::make_unique<Faults>(is_ours ? run().restricted : run().admin, file("proxy"));
  }
  return *faults_;
}

support::SkewedClock& Case::clock() {
  if (!clock_) clock_ = std::make_unique<support::SkewedClock>(file("clock"));
  return *clock_;
}

Manager& Case::start_manager(std::vector<std::string> flags) {
  if (manager_) manager_->kill();
  manager_ = another_manager(std::move(flags));
  EXPECT_TRUE(manager_->is_ready_soon()) << manager_->log();
  return *manager_;
}

std::unique_ptr<Manager> Case::another_manager(std::vector<std::string> flags) {
  if (faults_) return another_manager(faults_->kubeconfig(), std::move(flags));
  const bool is_ours = run().manager == ManagerKind::ours;
  support::write_kubeconfig(file("kubeconfig"), is_ours ? run().restricted : run().admin);
  return another_manager(file("kubeconfig"), std::move(flags));
}

std::unique_ptr<Manager> Case::another_manager(const std::string& kubeconfig,
                                               std::vector<std::string> flags) {
  return std::make_unique<Manager>(
      file(fmt::format("manager-{}.log", ++managers_)), kubeconfig, std::move(flags),
      clock_ ? clock_->environment() : std::map<std::string, std::string>());
}

// The server may have failed: keeps whatever is available, and the reason for the rest.
void Case::leave_evidence() {
  std::map<std::string, std::string> paths{{"namespace", "/api/v1/namespaces/" + namespace_}};
  for (const char* resource : {"pods", "resourceclaims", "resourceclaimtemplates", "events"}) {
    paths[resource] = path(resource);
  }
  for (const auto& [what, where] : paths) {
    try {
      std::ofstream(file(what + ".json")) << kube().get(where).text;
    } catch (const std::exception& error) {
      std::ofstream(file(what + ".json")) << error.what();
    }
  }
  std::ofstream(file("server.log")) << support::read_file(run().server_log);
  const std::string name = fmt::format("{}.{}", this_test().test_suite_name(), this_test().name());
  fmt::print("--- objects, logs of manager, proxy and server: {}\n--- alone: {}\n", dir_,
             run().command_for(name));
}

void Case::clean_up() {
  for (const char* resource : {"pods", "resourceclaims", "resourceclaimtemplates"}) {
    const json::value list = kube().must_get(path(resource));
    for (const json::value& item : items_of(list)) {
      const std::string name = text_at(item, "/metadata/name");
      if (at(item, "/metadata/finalizers").is_array()) {
        kube().patch(path(resource, name), Kube::Patch::merge,
                     {{"metadata", {{"finalizers", nullptr}}}});
      }
      kube().remove(path(resource, name), delete_options(0));
    }
  }
}

void Case::halt_server(ApiServer::Ending ending) {
  is_server_halted_ = true;
  run().api_server->halt(ending);
}

// With new connections: the old ones were lost with the server.
void Case::resume_server() {
  run().api_server->resume();
  kube_ = std::make_unique<Kube>(run().admin);
  is_server_halted_ = false;
}

void Case::grant(const std::string& component) {
  if (run().server == ServerKind::memory) return;
  json::object granted;
  for (const json::value& object :
       support::read_manifests("manifests/components/" + component + "/rbac.yaml")) {
    const bool is_role = text_at(object, "/kind") == "ClusterRole";
    kube().post(std::string("/apis/rbac.authorization.k8s.io/v1/") +
                    (is_role ? "clusterroles" : "clusterrolebindings"),
                object);
    if (!is_role) continue;
    granted = {{"group", text_at(object, "/rules/0/apiGroups/0")},
               {"resource", text_at(object, "/rules/0/resources/0")},
               {"verb", text_at(object, "/rules/0/verbs/0")}};
  }
  EXPECT_TRUE(may_soon(run().restricted, granted));
}

bool Case::may(const support::Access& access, const json::object& attributes) {
  const json::value review =
      Kube(access).must_post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                             {{"apiVersion", "authorization.k8s.io/v1"},
                              {"kind", "SelfSubjectAccessReview"},
                              {"spec", {{"resourceAttributes", attributes}}}});
  return at(review, "/status/allowed") == json::value(true);
}

testing::AssertionResult Case::may_soon(const support::Access& access,
                                        const json::object& attributes) {
  return soon("RBAC has learned of it", [&] { return may(access, attributes); });
}

std::string Case::served_version(const std::string& group, const std::string& resource) {
  return version_of(kube(), group, resource);
}

// ---- setting the scene --------------------------------------------------------------------------

json::value Case::create_template(const std::string& name) {
  return create_template(name, {{"spec", gpu_spec()}});
}

json::value Case::create_template(const std::string& name, const json::value& spec) {
  return kube().must_post(path("resourceclaimtemplates"), {{"apiVersion", "resource.k8s.io/v1"},
                                                           {"kind", "ResourceClaimTemplate"},
                                                           {"metadata", {{"name", name}}},
                                                           {"spec", spec}});
}

json::value Case::create_claim(const std::string& name) {
  return kube().must_post(path("resourceclaims"), {{"apiVersion", "resource.k8s.io/v1"},
                                                   {"kind", "ResourceClaim"},
                                                   {"metadata", {{"name", name}}},
                                                   {"spec", gpu_spec()}});
}

json::value Case::create_pod(const PodSpec& spec) {
  return kube().must_post(path("pods"), pod_object(spec));
}

void Case::create_pods(int count, const std::string& from_template) {
  std::vector<json::value> pods;
  for (int i = 0; i < count; ++i) {
    pods.push_back(
        pod_object({.name = fmt::format("pod-{}", i), .templates = {{"accel", from_template}}}));
  }
  kube().post_all(path("pods"), pods, 20);
}

void Case::set_phase(const std::string& pod, const std::string& phase) {
  kube().must_patch(path("pods", pod) + "/status", Kube::Patch::merge,
                    {{"status", {{"phase", phase}}}});
}

void Case::delete_pod(const std::string& pod) {
  kube().remove(path("pods", pod), delete_options(0));
}

void Case::begin_to_delete_pod(const std::string& pod) {
  kube().remove(path("pods", pod), delete_options({}));
}

void Case::set_claim_status(const std::string& claim, const json::value& status) {
  kube().must_patch(path("resourceclaims", claim) + "/status", Kube::Patch::merge,
                    {{"status", status}});
}

void Case::allocate(const std::string& claim, const std::vector<Reservation>& reservations) {
  set_finalizers(claim, {kFinalizer});
  set_claim_status(claim, {{"allocation", allocation()}, {"reservedFor", to_json(reservations)}});
}

void Case::reserve(const std::string& claim, const std::vector<Reservation>& reservations) {
  set_claim_status(claim, {{"reservedFor", to_json(reservations)}});
}

void Case::set_finalizers(const std::string& claim, const Names& finalizers) {
  kube().must_patch(path("resourceclaims", claim), Kube::Patch::merge,
                    {{"metadata", {{"finalizers", to_json(finalizers)}}}});
}

void Case::own(const std::string& claim, const json::value& pod, const std::string& pod_claim) {
  const json::value owner{{"apiVersion", "v1"},
                          {"kind", "Pod"},
                          {"name", at(pod, "/metadata/name")},
                          {"uid", at(pod, "/metadata/uid")},
                          {"controller", true}};
  kube().must_patch(
      path("resourceclaims", claim), Kube::Patch::merge,
      {{"metadata",
        {{"annotations", {{kPodClaimName, pod_claim}}}, {"ownerReferences", json::array{owner}}}}});
}

// ---- looking ------------------------------------------------------------------------------------

json::value Case::get(const std::string& resource, const std::string& name) {
  return kube().get(path(resource, name)).body;
}

bool Case::exists(const std::string& resource, const std::string& name) {
  return kube().get(path(resource, name)).status == 200;
}

Names Case::claim_names() {
  Names names;
  const json::value list = kube().must_get(path("resourceclaims"));
  for (const json::value& item : items_of(list)) {
    const std::string name = text_at(item, "/metadata/name");
    if (!name.starts_with("settled-")) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

std::string Case::uid_of_claim(const std::string& claim) {
  if (claim.empty() || !exists("resourceclaims", claim)) return "";
  return text_at(get("resourceclaims", claim), "/metadata/uid");
}

std::string Case::claim_of(const std::string& pod, const std::string& pod_claim) {
  const json::value object = get("pods", pod);
  const json::value& statuses = at(object, "/status/resourceClaimStatuses");
  for (const json::value& status : statuses.is_array() ? statuses.as_array() : json::array()) {
    if (text_at(status, "/name") == pod_claim) return text_at(status, "/resourceClaimName");
  }
  return {};
}

std::string Case::wait_for_claim_of(const std::string& pod, const std::string& pod_claim) {
  std::string claim;
  EXPECT_TRUE(soon(fmt::format("pod {} has a claim for {}", pod, pod_claim), [&] {
    claim = claim_of(pod, pod_claim);
    return !claim.empty();
  }));
  return claim;
}

bool Case::every_pod_has_its_claim() {
  std::map<std::string, std::string> owners;  // claim to UID of its owner
  const json::value claims = kube().must_get(path("resourceclaims"));
  for (const json::value& claim : items_of(claims)) {
    owners[text_at(claim, "/metadata/name")] = text_at(claim, "/metadata/ownerReferences/0/uid");
  }
  const json::value pods = kube().must_get(path("pods"));
  return std::ranges::all_of(items_of(pods), [&](const json::value& pod) {
    const auto owner =
        owners.find(text_at(pod, "/status/resourceClaimStatuses/0/resourceClaimName"));
    return owner != owners.end() && owner->second == text_at(pod, "/metadata/uid");
  });
}

Names Case::reserved_for(const std::string& claim) {
  Names found;
  const json::value object = get("resourceclaims", claim);
  const json::value& entries = at(object, "/status/reservedFor");
  for (const json::value& entry : entries.is_array() ? entries.as_array() : json::array()) {
    found.push_back(text_at(entry, "/uid"));
  }
  std::ranges::sort(found);
  return found;
}

bool Case::is_allocated(const std::string& claim) {
  return at(get("resourceclaims", claim), "/status/allocation").is_object();
}

Names Case::finalizers_of(const std::string& claim) {
  Names names;
  const json::value object = get("resourceclaims", claim);
  const json::value& finalizers = at(object, "/metadata/finalizers");
  for (const json::value& each : finalizers.is_array() ? finalizers.as_array() : json::array()) {
    names.emplace_back(each.as_string());
  }
  return names;
}

bool Case::is_free(const std::string& claim) {
  return reserved_for(claim).empty() && !is_allocated(claim) && finalizers_of(claim).empty();
}

std::vector<json::value> Case::events_of(const std::string& pod) {
  std::vector<json::value> events;
  const json::value list = kube().must_get(path("events"));
  for (const json::value& event : items_of(list)) {
    if (text_at(event, "/involvedObject/name") == pod) events.push_back(event);
  }
  return events;
}

bool Case::has_warning(const std::string& pod, const std::string& reason, const std::string& text) {
  return std::ranges::any_of(events_of(pod), [&](const json::value& event) {
    return text_at(event, "/type") == "Warning" && text_at(event, "/reason") == reason &&
           text_at(event, "/message").contains(text);
  });
}

testing::AssertionResult Case::soon(const std::string& what, const std::function<bool()>& holds) {
  // An expectation that the reference is known to fail gets less time.
  const bool is_expected_to_fail = differs_ && run().manager == ManagerKind::reference;
  const auto limit = is_expected_to_fail ? 12s : patience_;
  if (support::eventually(holds, limit, 20ms)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "not within " << limit.count() << " s: " << what;
}

// A later pod's claim shows that earlier events have arrived; one more, that the work they
// triggered has had its turn. Ours reports an empty queue itself.
void Case::settle() {
  for (int round = 0; round < 2; ++round) {
    const std::string name = fmt::format("settled-{}", ++settled_);
    create_template(name);
    create_pod({.name = name, .templates = {{"accel", name}}});
    const std::string claim = wait_for_claim_of(name, "accel");
    kube().remove(path("pods", name), delete_options(0));
    kube().remove(path("resourceclaims", claim), delete_options({}));
    kube().remove(path("resourceclaimtemplates", name), delete_options({}));
  }
  if (run().manager == ManagerKind::reference) return;
  EXPECT_TRUE(soon("the queue is empty", [&] {
    return manager().metric("workqueue_depth{name=\"resource_claim\"}") == 0 &&
           manager().metric("workqueue_unfinished_work_seconds{name=\"resource_claim\"}") == 0;
  }));
}

std::vector<support::FaultProxy::Record> Case::writes() {
  std::vector<support::FaultProxy::Record> found;
  for (auto& record : faults().requests()) {
    const bool is_ours = record.target.contains("/namespaces/" + ns() + "/");
    const bool is_event = record.target.contains("/events");
    const bool is_settling =
        record.target.contains("/settled-") || record.body.contains("settled-");
    if (is_ours && !is_event && !is_settling && record.method != "GET") {
      found.push_back(std::move(record));
    }
  }
  return found;
}

std::string Case::path(const std::string& resource, const std::string& name) const {
  std::string_view api = "/api/v1";
  if (resource.starts_with("resourceclaim")) api = "/apis/resource.k8s.io/v1";
  if (resource == "podgroups") api = "/apis/scheduling.k8s.io/v1beta1";
  return fmt::format("{}/namespaces/{}/{}{}{}", api, namespace_, resource, name.empty() ? "" : "/",
                     name);
}

}  // namespace dcm::conformance
