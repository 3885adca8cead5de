#include "test/simulation/small_workload.hpp"

#include <fmt/format.h>

#include "test/simulation/groups.hpp"

namespace dcm::simulation {
namespace {

const std::string kNs = "default";
constexpr const char* kSpec =
    R"({"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu.example.com"}}]}})";
constexpr const char* kAllocation =
    R"("allocation":{"devices":{"results":[{"request":"r","driver":"gpu.example.com",)"
    R"("pool":"pool-0","device":"dev-0"}]}},)";

std::string as_entry(const Consumer& consumer) {
  return fmt::format(R"({{"apiGroup":"{}","resource":"{}","name":"{}","uid":"{}"}})",
                     consumer.api_group, consumer.resource, consumer.name, consumer.uid);
}

}  // namespace

void SmallWorkload::publish_device(bool is_tainted) {
  const std::string spec = fmt::format(
      R"({{"driver":"gpu.example.com","allNodes":true,"pool":{{"name":"pool-0","generation":1,)"
      R"("resourceSliceCount":1}},"devices":[{{"name":"dev-0","taints":[{}]}}]}})",
      is_tainted ? R"({"key":"hot","effect":"NoExecute"})" : "");
  if (context_.cluster.slices.contains("slice")) {
    context_.send("driver", "PATCH", kSlices + "/slice", R"({"spec":)" + spec + "}");
  } else {
    context_.send("driver", "POST", kSlices,
                  fmt::format(R"({{{},"spec":{}}})", meta("slice"), spec));
  }
}

void SmallWorkload::make_template() {
  context_.send("user", "POST", templates_in(kNs),
                fmt::format(R"({{{},"spec":{{"spec":{}}}}})", meta("t"), kSpec));
}

void SmallWorkload::make_shared_claim() {
  context_.send("user", "POST", claims_in(kNs),
                fmt::format(R"({{{},"spec":{}}})", meta("shared"), kSpec));
}

void SmallWorkload::send_pod(const std::string& name, const std::string& spec) {
  context_.send("user", "POST", pods_in(kNs),
                fmt::format(R"({{{},"spec":{{"containers":[{{"name":"c","image":"i"}}],{}}}}})",
                            meta(name), spec));
}

void SmallWorkload::make_pod(const std::string& name) {
  send_pod(name, R"("resourceClaims":[{"name":"c","resourceClaimTemplateName":"t"}])");
}

void SmallWorkload::make_sharing_pod(const std::string& name, bool is_bound) {
  send_pod(name, fmt::format(R"({}"resourceClaims":[{{"name":"c","resourceClaimName":"shared"}}])",
                             is_bound ? R"("nodeName":"node-1",)" : ""));
}

void SmallWorkload::make_group() {
  simulation::make_group(context_, kNs, "group", {{"c", {}, "t"}});
}

void SmallWorkload::make_pod_of_group(const std::string& name) {
  send_pod(name, R"("schedulingGroup":{"podGroupName":"group"},)"
                 R"("resourceClaims":[{"name":"c","resourceClaimTemplateName":"t"}])");
}

const Pod* SmallWorkload::pod(const std::string& name) const {
  return context_.cluster.pod(kNs + "/" + name);
}

const Claim* SmallWorkload::claim_of(const std::string& name) const {
  const Pod* found = pod(name);
  if (found == nullptr || found->claims.empty()) return nullptr;
  return context_.cluster.usable_claim(*found, found->claims.front());
}

Consumer SmallWorkload::consumer_of(const Pod& pod) const {
  const Group* group = context_.cluster.sharing_group(pod, pod.claims.front());
  if (group == nullptr) return {"", "pods", pod.name, pod.uid};
  return {"scheduling.k8s.io", "podgroups", group->name, group->uid};
}

void SmallWorkload::reserve(const std::string& name) {
  const Claim* claim = claim_of(name);
  if (claim == nullptr || claim->is_being_deleted) return;
  const std::string target = claims_in(kNs) + "/" + claim->name;
  const bool allocates = !claim->is_allocated;
  std::string reserved;
  for (const Consumer& each : claim->reserved_for) reserved += as_entry(each) + ",";
  reserved += as_entry(consumer_of(*pod(name)));
  if (allocates) {
    context_.send("scheduler", "PATCH", target,
                  R"({"metadata":{"finalizers":["resource.kubernetes.io/delete-protection"]}})");
  }
  context_.send("scheduler", "PATCH", target + "/status",
                fmt::format(R"({{"status":{{{}"reservedFor":[{}]}}}})",
                            allocates ? kAllocation : "", reserved));
}

void SmallWorkload::unreserve(const std::string& name) {
  const Claim* claim = claim_of(name);
  if (claim == nullptr || !pod(name)->node.empty()) return;
  context_.send("scheduler", "PATCH", claims_in(kNs) + "/" + claim->name + "/status",
                fmt::format(R"({{"metadata":{{"uid":"{}"}},"status":{{"reservedFor":)"
                            R"([{{"$patch":"delete","uid":"{}"}}]}}}})",
                            claim->uid, pod(name)->uid),
                apiserver::kStrategic);
}

void SmallWorkload::bind(const std::string& name) {
  const Claim* claim = claim_of(name);
  if (claim == nullptr || !claim->is_reserved_for(*pod(name))) return;
  context_.send("scheduler", "POST", pods_in(kNs) + "/" + name + "/binding",
                fmt::format(R"({{"metadata":{{"name":"{}","uid":"{}"}},"target":{{"kind":"Node",)"
                            R"("name":"node-1"}}}})",
                            name, pod(name)->uid));
}

void SmallWorkload::finish(const std::string& name) {
  if (pod(name) == nullptr) return;
  context_.send("kubelet", "PATCH", pods_in(kNs) + "/" + name + "/status",
                R"({"status":{"phase":"Succeeded"}})");
}

void SmallWorkload::delete_pod(const std::string& name) {
  if (pod(name) == nullptr) return;
  context_.send("user", "DELETE", pods_in(kNs) + "/" + name, R"({"gracePeriodSeconds":0})");
}

void SmallWorkload::delete_claim_of(const std::string& name) {
  const Claim* claim = claim_of(name);
  if (claim == nullptr) return;
  context_.send("user", "DELETE", claims_in(kNs) + "/" + claim->name, delete_only(claim->uid));
}

void SmallWorkload::edit(const std::string& name) {
  if (pod(name) == nullptr) return;
  context_.send("user", "PATCH", pods_in(kNs) + "/" + name, simulation::edit(1));
}

void SmallWorkload::make_rule(const std::string& effect) {
  context_.send("admin", "POST", kRules,
                fmt::format(R"({{{},"spec":{{"deviceSelector":{{"driver":"gpu.example.com"}},)"
                            R"("taint":{{"key":"hot","effect":"{}"}}}}}})",
                            meta("rule"), effect));
}

void SmallWorkload::change_rule(const std::string& effect) {
  context_.send("admin", "PATCH", kRules + "/rule",
                fmt::format(R"({{"spec":{{"taint":{{"effect":"{}"}}}}}})", effect));
}

void SmallWorkload::delete_rule() {
  context_.send("admin", "DELETE", kRules + "/rule", "");
}

void SmallWorkload::delete_events() {
  context_.send("etcd", "DELETE", kNamespaces + "/" + kNs + "/events", "");
}

}  // namespace dcm::simulation
