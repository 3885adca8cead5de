#include "playground/objects/bodies.hpp"

#include <array>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "client/api/encode.hpp"
#include "runtime/json.hpp"
#include "runtime/timestamp.hpp"
#include "runtime/version.hpp"

namespace dcm::playground {
namespace {

using Array = boost::json::array;
using Object = boost::json::object;

constexpr std::string_view kResourceApi = "resource.k8s.io/v1";
constexpr std::string_view kPodsPerNode = "10000";

std::string text(const Object& object) {
  return boost::json::serialize(object);
}

Object condition(std::string_view type, std::string_view status, runtime::WallTime now,
                 std::string_view reason = {}, std::string_view message = {}) {
  Object made{{"type", type}, {"status", status}, {"lastTransitionTime", runtime::timestamp(now)}};
  if (!reason.empty()) made["reason"] = reason;
  if (!message.empty()) made["message"] = message;
  return made;
}

struct NodeCondition {
  std::string_view type;
  std::string_view status;
  std::string_view reason;
  std::string_view message;
};
// Conditions written by kubelet.
constexpr std::array<NodeCondition, 4> kNodeConditions = {{
    {"MemoryPressure", "False", "KubeletHasSufficientMemory", "a hollow node uses no memory"},
    {"DiskPressure", "False", "KubeletHasNoDiskPressure", "a hollow node has no disk"},
    {"PIDPressure", "False", "KubeletHasSufficientPID", "a hollow node has no processes"},
    {"Ready", "True", "KubeletReady", "a hollow node is always ready"},
}};

// The API requires all of these fields; a hollow node has no machine to describe.
Object node_info() {
  Object info{{"operatingSystem", "linux"},
              {"architecture", "amd64"},
              {"kubeletVersion", "hollow-" + std::string(runtime::kVersion)}};
  for (const auto* field : {"machineID", "systemUUID", "bootID", "kernelVersion", "osImage",
                            "containerRuntimeVersion", "kubeProxyVersion"}) {
    info[field] = "";
  }
  return info;
}

Array names(const std::vector<std::string>& list) {
  Array made;
  for (const std::string& name : list) made.emplace_back(name);
  return made;
}

// Null if the device is not in that slice.
const boost::json::value* taints_of(const boost::json::value& slice, std::string_view device) {
  for (const boost::json::value& item : runtime::array_at(slice, "/spec/devices")) {
    if (runtime::text_at(item, "/name") == device) return runtime::find_at(item, "/taints");
  }
  return nullptr;
}

}  // namespace

std::string encode_namespace(std::string_view name) {
  return text({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", Object{{"name", name}}}});
}

std::string encode_node(std::string_view name) {
  return text(
      {{"apiVersion", "v1"},
       {"kind", "Node"},
       {"metadata",
        Object{{"name", name}, {"labels", Object{{kHostnameLabel, name}, {"type", "hollow"}}}}}});
}

std::string encode_node_status(std::string_view name, runtime::WallTime now,
                               const NodeStatus& status) {
  // Room for this many of the largest pods that the small scheduler accepts (decode_pod.cpp).
  Object room{{"cpu", "1000000"}, {"memory", "1Pi"}, {"pods", kPodsPerNode}};
  Array conditions;
  for (const NodeCondition& is : kNodeConditions) {
    Object made = condition(is.type, is.status, status.since.value_or(now), is.reason, is.message);
    made["lastHeartbeatTime"] = runtime::timestamp(now);
    conditions.push_back(std::move(made));
  }
  Object made{{"capacity", room},
              {"allocatable", room},
              {"addresses", Array{Object{{"type", "InternalIP"}, {"address", status.address}},
                                  Object{{"type", "Hostname"}, {"address", name}}}},
              {"nodeInfo", node_info()},
              {"conditions", std::move(conditions)}};
  if (!status.declared_features.empty()) {
    made["declaredFeatures"] = names(status.declared_features);
  }
  return text({{"apiVersion", "v1"},
               {"kind", "Node"},
               {"metadata", Object{{"name", name}}},
               {"status", std::move(made)}});
}

std::string encode_node_lease(std::string_view name, const api::Uid& node, runtime::WallTime now) {
  Object owner{{"apiVersion", "v1"}, {"kind", "Node"}, {"name", name}, {"uid", node.str()}};
  return text({{"apiVersion", "coordination.k8s.io/v1"},
               {"kind", "Lease"},
               {"metadata", Object{{"name", name},
                                   {"namespace", "kube-node-lease"},
                                   {"ownerReferences", Array{std::move(owner)}}}},
               {"spec", Object{{"holderIdentity", name},
                               {"leaseDurationSeconds", 40},
                               {"renewTime", runtime::micro_timestamp(now)}}}});
}

std::optional<std::string> encode_without_not_ready(std::string_view node) {
  const boost::json::value read = runtime::parse_json(node).value_or(nullptr);
  const Array& taints = runtime::array_at(read, "/spec/taints");
  Array others;
  for (const boost::json::value& taint : taints) {
    if (runtime::text_at(taint, "/key") != "node.kubernetes.io/not-ready") others.push_back(taint);
  }
  if (others.size() == taints.size()) return std::nullopt;
  const std::string version = runtime::text_at(read, "/metadata/resourceVersion");
  return text({{"metadata", Object{{"resourceVersion", version}}},
               {"spec", Object{{"taints", std::move(others)}}}});
}

std::string encode_device_class(std::string_view driver) {
  const std::string expression = "device.driver == \"" + std::string(driver) + "\"";
  return text({{"apiVersion", kResourceApi},
               {"kind", "DeviceClass"},
               {"metadata", Object{{"name", driver}}},
               {"spec", Object{{"selectors",
                                Array{Object{{"cel", Object{{"expression", expression}}}}}}}}});
}

std::string slice_name(std::string_view driver, std::string_view node) {
  return std::string(node) + "-" + std::string(driver);
}

std::string encode_slice(std::string_view driver, std::string_view node, std::size_t devices,
                         std::string_view published) {
  const boost::json::value before = runtime::parse_json(published).value_or(nullptr);
  Array list;
  for (std::size_t i = 0; i < devices; ++i) {
    const std::string name = "dev-" + std::to_string(i);
    Object device{{"name", name}};
    const boost::json::value* const taints = taints_of(before, name);
    if (taints != nullptr) device["taints"] = *taints;
    list.push_back(std::move(device));
  }
  const auto* const generation = runtime::find_at(before, "/spec/pool/generation");
  return text(
      {{"apiVersion", kResourceApi},
       {"kind", "ResourceSlice"},
       {"metadata", Object{{"name", slice_name(driver, node)}}},
       {"spec", Object{{"driver", driver},
                       {"nodeName", node},
                       {"pool", Object{{"name", node},
                                       {"generation", generation == nullptr ? 1 : *generation},
                                       {"resourceSliceCount", 1}}},
                       {"devices", std::move(list)}}}});
}

Object encode_condition(const Pod& pod, std::string_view type, const ConditionContent& content,
                        runtime::WallTime now) {
  const PodCondition* const before = find_condition(pod, type);
  const bool is_same = before != nullptr && before->is_true == content.is_true && before->since;
  const auto text_or_null = [](const std::string& part) {
    return part.empty() ? boost::json::value() : boost::json::value(part);
  };
  Object made = condition(type, content.is_true ? "True" : "False", is_same ? *before->since : now);
  // Null: the previous text is not kept.
  made["reason"] = text_or_null(content.reason);
  made["message"] = text_or_null(content.message);
  if (pod.generation > 0) made["observedGeneration"] = pod.generation;
  return made;
}

std::string encode_delete_now(const api::Uid& uid) {
  return text({{"apiVersion", "v1"},
               {"kind", "DeleteOptions"},
               {"preconditions", Object{{"uid", uid.str()}}},
               {"gracePeriodSeconds", 0}});
}

}  // namespace dcm::playground
