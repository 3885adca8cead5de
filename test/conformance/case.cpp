#include "test/conformance/case.hpp"

#include <csignal>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "runtime/http/client.hpp"
#include "runtime/http/tcp.hpp"
#include "test/support/paths.hpp"

namespace dcm::conformance {
namespace {

using support::at;
using support::text_at;
using namespace std::chrono_literals;

std::string& kubeconfig_path() {
  static std::string path;
  return path;
}

std::string case_name() {
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  std::string name = info->name();
  for (char& c : name) c = c == '_' ? '-' : static_cast<char>(std::tolower(c));
  return name;
}

json::value gpu_spec() {
  return json::parse(
      R"({"devices":{"requests":[{"name":"gpus","exactly":{"deviceClassName":"gpu.example.com","count":2}}]}})");
}

}  // namespace

void set_kubeconfig(const std::string& kubeconfig) {
  kubeconfig_path() = kubeconfig;
}
const std::string& kubeconfig() {
  return kubeconfig_path();
}

Case::Case() : kube_(std::make_unique<Kube>(kubeconfig(), "admin")) {
  static int counter = 0;
  namespace_ = fmt::format("case-{}-{}", ++counter, getpid());
  kube().must_post(
      "/api/v1/namespaces",
      {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", namespace_}}}});
}

Case::~Case() {
  if (HasFailure() && manager_) {
    fmt::print("--- log of the manager\n{}\n--- claims\n{}\n--- pods\n{}\n", manager_->log(),
               kube().get(path("resourceclaims")).text, kube().get(path("pods")).text);
  }
  manager_.reset();
  // The next case's manager must not find work here.
  for (const char* resource : {"pods", "resourceclaims", "resourceclaimtemplates"}) {
    const json::value list = kube().must_get(path(resource));
    for (const json::value& item : at(list, "/items").as_array()) {
      const std::string name = text_at(item, "/metadata/name");
      if (at(item, "/metadata/finalizers").is_array()) {
        kube().patch(path(resource, name), Kube::Patch::merge,
                     {{"metadata", {{"finalizers", nullptr}}}});
      }
      kube().remove(path(resource, name),
                    {{"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"gracePeriodSeconds", 0}});
    }
  }
}

Manager& Case::start_manager(std::vector<std::string> flags) {
  manager_.reset();
  manager_ = std::make_unique<Manager>(case_name(), std::move(flags));
  EXPECT_TRUE(manager_->is_ready_soon()) << manager_->log();
  return *manager_;
}

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
  json::array claims;
  for (const auto& [name, from] : spec.templates) {
    claims.push_back({{"name", name}, {"resourceClaimTemplateName", from}});
  }
  for (const auto& [name, claim] : spec.claims) {
    claims.push_back({{"name", name}, {"resourceClaimName", claim}});
  }
  json::object pod_spec{
      {"containers", json::array{json::object{{"name", "main"}, {"image", "example.com/main:1"}}}},
      {"resourceClaims", claims}};
  if (!spec.node.empty()) pod_spec["nodeName"] = spec.node;
  return kube().must_post(path("pods"), {{"apiVersion", "v1"},
                                         {"kind", "Pod"},
                                         {"metadata", {{"name", spec.name}}},
                                         {"spec", pod_spec}});
}

void Case::set_phase(const std::string& pod, const std::string& phase) {
  kube().must_patch(path("pods", pod) + "/status", Kube::Patch::merge,
                    {{"status", {{"phase", phase}}}});
}

void Case::delete_pod(const std::string& pod) {
  kube().remove(path("pods", pod),
                {{"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"gracePeriodSeconds", 0}});
}

void Case::allocate(const std::string& claim, const std::vector<json::value>& pods) {
  kube().must_patch(
      path("resourceclaims", claim), Kube::Patch::merge,
      {{"metadata", {{"finalizers", json::array{"resource.kubernetes.io/delete-protection"}}}}});
  json::array reserved;
  for (const json::value& pod : pods) {
    reserved.push_back({{"resource", "pods"},
                        {"name", at(pod, "/metadata/name")},
                        {"uid", at(pod, "/metadata/uid")}});
  }
  const json::value result{
      {"request", "gpus"}, {"driver", "gpu.example.com"}, {"pool", "node-a"}, {"device", "gpu-0"}};
  kube().must_patch(path("resourceclaims", claim) + "/status", Kube::Patch::merge,
                    {{"status",
                      {{"allocation", {{"devices", {{"results", json::array{result}}}}}},
                       {"reservedFor", reserved}}}});
}

json::value Case::get(const std::string& resource, const std::string& name) {
  return kube().get(path(resource, name)).body;
}

bool Case::exists(const std::string& resource, const std::string& name) {
  return kube().get(path(resource, name)).status == 200;
}

std::vector<std::string> Case::claim_names() {
  std::vector<std::string> names;
  const json::value list = kube().must_get(path("resourceclaims"));
  for (const json::value& item : at(list, "/items").as_array()) {
    names.push_back(text_at(item, "/metadata/name"));
  }
  std::ranges::sort(names);
  return names;
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

std::vector<std::string> Case::reserved_for(const std::string& claim) {
  std::vector<std::string> uids;
  const json::value object = get("resourceclaims", claim);
  const json::value& entries = at(object, "/status/reservedFor");
  for (const json::value& entry : entries.is_array() ? entries.as_array() : json::array()) {
    uids.push_back(text_at(entry, "/uid"));
  }
  return uids;
}

std::vector<json::value> Case::events_of(const std::string& pod) {
  std::vector<json::value> events;
  const json::value list = kube().must_get(path("events"));
  for (const json::value& event : at(list, "/items").as_array()) {
    if (text_at(event, "/involvedObject/name") == pod) events.push_back(event);
  }
  return events;
}

testing::AssertionResult Case::soon(const std::string& what, const std::function<bool()>& holds) {
  if (kube().eventually(holds)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "not within 30 s: " << what;
}

std::string Case::path(const std::string& resource, const std::string& name) const {
  const bool is_core = resource == "pods" || resource == "events";
  return fmt::format("{}/namespaces/{}/{}{}{}", is_core ? "/api/v1" : "/apis/resource.k8s.io/v1",
                     namespace_, resource, name.empty() ? "" : "/", name);
}

}  // namespace dcm::conformance
