#include "playground/scheduler/bodies.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "allocation/json/encode.hpp"
#include "playground/objects/bodies.hpp"

namespace dcm::playground {
namespace {

using Array = boost::json::array;
using Object = boost::json::object;

std::string text(const Object& object) {
  return boost::json::serialize(object);
}

Object identity(const api::ObjectMeta& meta) {
  return {{"uid", meta.uid.str()}};
}

Object identity_and_version(const api::ObjectMeta& meta) {
  Object made = identity(meta);
  made["resourceVersion"] = meta.resource_version.str();
  return made;
}

Object consumer(const Pod& pod) {
  return {{"resource", "pods"}, {"name", pod.meta.key.name}, {"uid", pod.meta.uid.str()}};
}

Object controller_reference(const Pod& pod) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"name", pod.meta.key.name},
          {"uid", pod.meta.uid.str()},
          {"controller", true}};
}

}  // namespace

std::string encode_add_protection(const Claim& claim) {
  Object metadata = identity_and_version(claim.meta);
  metadata["finalizers"] = Array{api::kDeleteProtectionFinalizer};
  return text({{"metadata", std::move(metadata)}});
}

std::string encode_remove_protection(const Claim& claim) {
  Object metadata = identity_and_version(claim.meta);
  metadata["finalizers"] = nullptr;
  return text({{"metadata", std::move(metadata)}});
}

std::string encode_allocation(const Claim& claim, const allocation::AllocationResult& allocation,
                              const Pod& pod) {
  return text({{"metadata", identity_and_version(claim.meta)},
               {"status", Object{{"allocation", to_json(allocation)},
                                 {"reservedFor", Array{consumer(pod)}}}}});
}

std::string encode_reservation(const Claim& claim, const Pod& pod) {
  return text({{"metadata", identity_and_version(claim.meta)},
               {"status", Object{{"reservedFor", Array{consumer(pod)}}}}});
}

std::string encode_unreserve(const Claim& claim, const Pod& pod) {
  Object entry{{"$patch", "delete"}, {"uid", pod.meta.uid.str()}};
  return text({{"metadata", identity(claim.meta)},
               {"status", Object{{"reservedFor", Array{std::move(entry)}}}}});
}

std::string encode_deallocation(const Claim& claim) {
  return text({{"metadata", identity_and_version(claim.meta)},
               {"status",
                Object{{"allocation", nullptr}, {"reservedFor", nullptr}, {"devices", nullptr}}}});
}

std::string encode_extended_claim(const Pod& pod, const allocation::ClaimSpec& spec) {
  Array requests;
  for (const allocation::Request& request : spec.requests) {
    const allocation::Ask& ask = request.asks.front();
    requests.push_back(Object{{"name", request.name},
                              {"exactly", Object{{"deviceClassName", ask.device_class},
                                                 {"allocationMode", ask.mode},
                                                 {"count", ask.count}}}});
  }
  return text(
      {{"apiVersion", "resource.k8s.io/v1"},
       {"kind", "ResourceClaim"},
       {"metadata", Object{{"generateName", pod.meta.key.name.str() + "-extended-resources-"},
                           {"namespace", pod.meta.key.namespace_.str()},
                           {"annotations", Object{{api::kExtendedResourceClaimAnnotation, "true"}}},
                           {"ownerReferences", Array{controller_reference(pod)}}}},
       {"spec", Object{{"devices", Object{{"requests", std::move(requests)}}}}}});
}

std::string encode_extended_status(const Pod& pod, std::string_view claim,
                                   std::span<const allocation::RequestMapping> mappings) {
  Array list;
  for (const allocation::RequestMapping& mapping : mappings) {
    list.push_back(Object{{"containerName", mapping.container},
                          {"resourceName", mapping.resource},
                          {"requestName", mapping.request}});
  }
  Object status{{"resourceClaimName", claim}, {"requestMappings", std::move(list)}};
  return text({{"metadata", identity(pod.meta)},
               {"status", Object{{"extendedResourceClaimStatus", std::move(status)}}}});
}

std::string encode_binding(const Pod& pod, std::string_view node) {
  Object metadata = identity(pod.meta);
  metadata["name"] = pod.meta.key.name.str();
  metadata["namespace"] = pod.meta.key.namespace_.str();
  return text({{"apiVersion", "v1"},
               {"kind", "Binding"},
               {"metadata", std::move(metadata)},
               {"target", Object{{"apiVersion", "v1"}, {"kind", "Node"}, {"name", node}}}});
}

std::string encode_unschedulable(const Pod& pod, std::string_view reason, std::string_view why,
                                 runtime::WallTime now) {
  const ConditionContent content{false, std::string(reason), std::string(why)};
  Object condition = encode_condition(pod, "PodScheduled", content, now);
  return text({{"metadata", identity(pod.meta)},
               {"status", Object{{"conditions", Array{std::move(condition)}}}}});
}

}  // namespace dcm::playground
