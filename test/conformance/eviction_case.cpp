#include "test/conformance/eviction_case.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "test/conformance/served.hpp"

namespace dcm::conformance {
namespace {

constexpr const char* kSlices = "/apis/resource.k8s.io/v1/resourceslices";

json::array results_of(const std::string& driver, const std::vector<Device>& devices) {
  json::array results;
  for (const Device& device : devices) {
    json::object result{{"request", "gpus"},
                        {"driver", device.driver.empty() ? driver : device.driver},
                        {"pool", device.pool},
                        {"device", device.name}};
    if (!device.tolerations.empty()) result["tolerations"] = device.tolerations;
    results.push_back(std::move(result));
  }
  return results;
}

json::value status_of(const std::string& driver, const std::vector<Device>& devices,
                      const std::vector<Reservation>& reservations) {
  return {{"status",
           {{"allocation", {{"devices", {{"results", results_of(driver, devices)}}}}},
            {"reservedFor", to_json(reservations)}}}};
}

json::value claim_object(const std::string& name) {
  json::value claim = json::parse(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim",
      "metadata":{},"spec":{"devices":{"requests":[{"name":"gpus","exactly":{
          "deviceClassName":"gpu.example.com","count":1}}]}}})");
  claim.at("metadata").as_object()["name"] = name;
  return claim;
}

// The pod has a label "app" with its name as the value.
json::value pod_on_node(const std::string& name, const Names& finalizers = {}) {
  json::value pod = json::parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{},
      "spec":{"containers":[{"name":"main","image":"example.com/main:1"}],"nodeName":"node-a"}})");
  json::object& metadata = pod.at("metadata").as_object();
  metadata["name"] = name;
  metadata["labels"] = {{"app", name}};
  metadata["finalizers"] = json::array(finalizers.begin(), finalizers.end());
  pod.at("spec").as_object()["resourceClaims"] =
      json::array{json::object{{"name", "accel"}, {"resourceClaimName", name}}};
  return pod;
}

json::object slice_spec(const std::string& driver, const SliceSpec& slice) {
  json::object device{{"name", slice.device}};
  if (!slice.taints.empty()) device["taints"] = slice.taints;
  return {{"driver", slice.driver.empty() ? driver : slice.driver},
          {"allNodes", true},
          {"pool",
           {{"name", slice.pool},
            {"generation", slice.generation},
            {"resourceSliceCount", slice.slices_in_pool}}},
          {"devices", json::array{device}}};
}

bool is_settling(const json::value& object) {
  return text_at(object, "/metadata/name").starts_with("settled-");
}

}  // namespace

json::value tolerates(const std::string& key, std::optional<std::int64_t> seconds) {
  json::object toleration{{"key", key}, {"operator", "Exists"}, {"effect", "NoExecute"}};
  if (seconds) toleration["tolerationSeconds"] = *seconds;
  return toleration;
}

json::value taint(const std::string& key, const std::string& effect) {
  return {{"key", key}, {"value", "badly"}, {"effect", effect}};
}

EvictionCase::EvictionCase() {
  const std::string group = "resource.k8s.io";
  const std::string version = served_version(group, "devicetaintrules");
  if (version.empty()) return;
  rule_api_ = group + "/" + version;
  has_rule_status_ = is_served(kube(), group, version, "devicetaintrules/status");
}

// GoogleTest treats this exception as reported already.
void EvictionCase::skip(const std::string& why) {
  [&] { GTEST_SKIP() << why; }();
  throw testing::AssertionException(
      testing::TestPartResult(testing::TestPartResult::kSkip, __FILE__, __LINE__, why.c_str()));
}

EvictionCase::~EvictionCase() {
  // Faster for many pods; the rest is cleaned up one by one.
  if (!HasFailure()) {
    const json::value at_once{
        {"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"gracePeriodSeconds", 0}};
    for (const char* resource : {"pods", "resourceclaims"}) {
      kube().remove(path(resource), at_once);
    }
  }
  for (const std::string& resource : {std::string(kSlices), rule_collection()}) {
    const Kube::Answer list = kube().get(resource);
    const json::value& items = at(list.body, "/items");
    if (HasFailure()) {
      std::ofstream(
          file(resource.ends_with("slices") ? "resourceslices.json" : "devicetaintrules.json"))
          << list.text;
    }
    for (const json::value& item : items.is_array() ? items.as_array() : json::array()) {
      const std::string name = text_at(item, "/metadata/name");
      if (name.starts_with(ns() + "-")) kube().remove(fmt::format("{}/{}", resource, name));
    }
  }
}

Manager& EvictionCase::start_manager(std::vector<std::string> flags) {
  const bool says_which = std::ranges::any_of(
      flags, [](const std::string& flag) { return flag.starts_with("--controllers="); });
  if (!says_which) {
    flags.emplace_back("--controllers=resourceclaim-controller,device-taint-eviction-controller");
  }
  settled_with_this_ = 0;
  return Case::start_manager(std::move(flags));
}

// ---- setting the scene --------------------------------------------------------------------------

json::value EvictionCase::create_user(const std::string& pod, const std::vector<Device>& devices,
                                      const Names& finalizers) {
  kube().must_post(path("resourceclaims"), claim_object(pod));
  json::value created = kube().must_post(path("pods"), pod_on_node(pod, finalizers));
  allocate_devices(pod, devices, {reservation_of(created)});
  return created;
}

void EvictionCase::create_users(int count, const std::string& pool) {
  constexpr std::size_t kParallel = 20;
  std::vector<json::value> claims;
  std::vector<json::value> pods;
  for (int i = 0; i < count; ++i) {
    claims.push_back(claim_object(fmt::format("{}-{}", pool, i)));
    pods.push_back(pod_on_node(fmt::format("{}-{}", pool, i)));
  }
  kube().post_all(path("resourceclaims"), claims, kParallel);
  kube().post_all(path("pods"), pods, kParallel);
  std::vector<Kube::Call> statuses;
  const json::value made = kube().must_get(path("pods"));
  for (const json::value& pod : at(made, "/items").as_array()) {
    const Reservation reservation = reservation_of(pod);
    if (!reservation.name.starts_with(pool + "-")) continue;
    statuses.push_back({path("resourceclaims", reservation.name) + "/status",
                        status_of(driver_, {Device{.pool = pool}}, {reservation})});
  }
  kube().patch_all(Kube::Patch::merge, statuses, kParallel);
}

void EvictionCase::allocate_devices(const std::string& claim, const std::vector<Device>& devices,
                                    const std::vector<Reservation>& reservations) {
  kube().must_patch(path("resourceclaims", claim) + "/status", Kube::Patch::merge,
                    status_of(driver_, devices, reservations));
}

// Creates an object with taints, unless this server knows fewer effects.
json::value EvictionCase::post_taint(const std::string& collection, const json::value& object) {
  const Kube::Answer answer = kube().post(collection, object);
  if (answer.text.contains(R"(effect: Unsupported value: \"None\")")) {
    skip("this server knows no taints with effect None");
  }
  if (answer.status >= 300) throw std::runtime_error("POST " + collection + ": " + answer.text);
  return answer.body;
}

void EvictionCase::publish(const std::string& name, const SliceSpec& slice) {
  const json::value made = post_taint(kSlices, slice_object(name, slice));
  if (!slice.taints.empty() && at(made, "/spec/devices/0/taints").is_null()) {
    skip("this server drops the taints of devices");
  }
}

void EvictionCase::publish_again(const std::string& name, const SliceSpec& slice) {
  kube().must_patch(slice_path(name), Kube::Patch::merge, {{"spec", slice_spec(driver_, slice)}});
}

void EvictionCase::withdraw(const std::string& name) {
  kube().remove(slice_path(name));
}

json::value EvictionCase::slice_object(const std::string& name, const SliceSpec& slice) const {
  return {{"apiVersion", "resource.k8s.io/v1"},
          {"kind", "ResourceSlice"},
          {"metadata", {{"name", cluster_name(name)}}},
          {"spec", slice_spec(driver_, slice)}};
}

void EvictionCase::create_rule(const std::string& name, const std::string& effect,
                               json::object selector) {
  if (rule_api_.empty()) skip("this server serves no DeviceTaintRules");
  if (!selector.contains("driver")) selector["driver"] = driver_;
  post_taint(rule_collection(),
             {{"apiVersion", rule_api_},
              {"kind", "DeviceTaintRule"},
              {"metadata", {{"name", cluster_name(name)}}},
              {"spec", {{"deviceSelector", selector}, {"taint", taint("broken", effect)}}}});
}

void EvictionCase::change_rule(const std::string& name, const json::value& spec) {
  kube().must_patch(rule_path(name), Kube::Patch::merge, {{"spec", spec}});
}

void EvictionCase::delete_rule(const std::string& name) {
  kube().remove(rule_path(name));
}

std::string EvictionCase::slice_path(const std::string& name) const {
  return fmt::format("{}/{}", kSlices, cluster_name(name));
}

std::string EvictionCase::rule_path(const std::string& name) const {
  return fmt::format("{}/{}", rule_collection(), cluster_name(name));
}

std::string EvictionCase::rule_collection() const {
  const bool is_served = !rule_api_.empty();
  return fmt::format("/apis/{}/devicetaintrules", is_served ? rule_api_ : "resource.k8s.io/v1");
}

// ---- looking ------------------------------------------------------------------------------------

bool EvictionCase::is_going(const std::string& pod) {
  return !text_at(get("pods", pod), "/metadata/deletionTimestamp").empty();
}

testing::AssertionResult EvictionCase::goes_soon(const std::string& pod) {
  return soon(pod + " is evicted", [&] { return is_going(pod); });
}

std::size_t EvictionCase::staying() {
  const json::value pods = kube().must_get(path("pods"));
  return static_cast<std::size_t>(
      std::ranges::count_if(at(pods, "/items").as_array(), [](const json::value& pod) {
        return !is_settling(pod) && text_at(pod, "/metadata/deletionTimestamp").empty();
      }));
}

testing::AssertionResult EvictionCase::all_go_but(std::size_t wanted) {
  using namespace std::chrono_literals;
  for (std::size_t left = staying(); left > wanted; left = staying()) {
    // Many pods make a long list: it is not polled constantly.
    if (support::eventually([&] { return staying() < left; }, 30s, 200ms)) continue;
    return testing::AssertionFailure() << left << " pods stay, and not " << wanted;
  }
  return testing::AssertionSuccess();
}

json::value EvictionCase::disruption_of(const std::string& pod) {
  const json::value object = get("pods", pod);
  const json::value& conditions = at(object, "/status/conditions");
  for (const json::value& each : conditions.is_array() ? conditions.as_array() : json::array()) {
    if (text_at(each, "/type") == "DisruptionTarget") return each;
  }
  return nullptr;
}

Names EvictionCase::eviction_events(const std::string& pod) {
  Names messages;
  for (const json::value& event : events_of(pod)) {
    if (text_at(event, "/reason") != "DeviceTaintManagerEviction") continue;
    messages.push_back(text_at(event, "/message"));
  }
  std::ranges::sort(messages);
  return messages;
}

bool EvictionCase::has_event(const std::string& pod, const std::string& message) {
  return std::ranges::count(eviction_events(pod), message) > 0;
}

std::string EvictionCase::condition_of(const std::string& rule) {
  if (!has_rule_status_) skip("DeviceTaintRules have no status in " + rule_api_);
  const json::value object = kube().get(rule_path(rule)).body;
  const json::value& conditions = at(object, "/status/conditions");
  for (const json::value& each : conditions.is_array() ? conditions.as_array() : json::array()) {
    if (text_at(each, "/type") != "EvictionInProgress") continue;
    return fmt::format("{} {}: {}", text_at(each, "/status"), text_at(each, "/reason"),
                       text_at(each, "/message"));
  }
  return {};
}

testing::AssertionResult EvictionCase::says_soon(const std::string& rule,
                                                 const std::string& condition) {
  const auto result =
      soon("the rule says " + condition, [&] { return condition_of(rule) == condition; });
  return result ? result
                : testing::AssertionFailure()
                      << result.message() << ", but \"" << condition_of(rule) << '"';
}

std::vector<support::FaultProxy::Record> EvictionCase::condition_writes(const std::string& rule) {
  std::vector<support::FaultProxy::Record> found;
  for (auto& record : faults().requests()) {
    const bool is_it = record.target.contains(rule_path(rule) + "/status");
    if (is_it && record.method != "GET") found.push_back(std::move(record));
  }
  return found;
}

// A pod on a device that a later slice taints, and the condition of a later rule; of another
// driver, so that they do not interfere with the case's.
void EvictionCase::settle_evictions() {
  // Ours reports an empty queue itself.
  const int rounds = run().manager == ManagerKind::reference ? 2 : 1;
  for (int round = 0; round < rounds; ++round) {
    const std::string name = fmt::format("settled-taint-{}", ++settled_);
    const std::string other = "settled." + driver_;
    create_user(name, {{.driver = other}});
    publish(name, {.taints = {taint("settled")}, .driver = other});
    EXPECT_TRUE(goes_soon(name));
    settle_rules(name, other);
    delete_pod(name);
    withdraw(name);
    kube().remove(path("resourceclaims", name));
  }
  if (run().manager == ManagerKind::reference) return;
  EXPECT_TRUE(soon("the queue is empty", [&] {
    const std::string queue = "{name=\"device-taint-eviction-controller\"}";
    return manager().metric("workqueue_depth" + queue) == 0 &&
           manager().metric("workqueue_unfinished_work_seconds" + queue) == 0;
  }));
  ++settled_with_this_;
}

// A later rule is seen: by its condition or, if rules have none, by its effect.
void EvictionCase::settle_rules(const std::string& name, const std::string& driver) {
  if (has_rule_status_) {
    create_rule(name, "None", {{"driver", driver}});
    EXPECT_TRUE(soon("the rule is seen", [&] { return !condition_of(name).empty(); }));
  } else {
    const std::string pod = name + "-ruled";
    create_user(pod, {{.driver = "ruled." + driver}});
    create_rule(name, "NoExecute", {{"driver", "ruled." + driver}});
    EXPECT_TRUE(goes_soon(pod));
    delete_pod(pod);
    kube().remove(path("resourceclaims", pod));
    ++settled_with_this_;
  }
  delete_rule(name);
}

int EvictionCase::counted() {
  return static_cast<int>(
             manager().metric("device_taint_eviction_controller_pod_deletions_total")) -
         settled_with_this_;
}

}  // namespace dcm::conformance
