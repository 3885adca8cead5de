// The body of each write about claims, exactly as it goes over the wire: JSON, except for claims
// created from a template that arrived as protobuf.
//
// Every write is a create, or a patch with its preconditions (`metadata.uid`, and
// `metadata.resourceVersion` where a conflict must be noticed). A projected object is never sent
// back, so fields that we do not know stay as they are.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "client/api/meta.hpp"
#include "client/api/resource.hpp"
#include "controllers/api/resource_claim.hpp"
#include "controllers/api/resource_claim_template.hpp"

namespace dcm::api {

// The future owner of a new claim.
struct ClaimOwner {
  std::string api_version;  // "v1"
  std::string kind;         // "Pod"
  std::string name;
  Uid uid;

  bool is_group() const { return kind == "PodGroup"; }
};

// Creates a claim from a template. The server keeps `generate_name` beside `name`. The annotation
// that names the pod claim overrides the template's annotation; the template's spec is copied byte
// for byte, so the body has its format. Requires a template with its content.
Encoded encode_claim(const Resource& claims, const ResourceClaimTemplate& claim_template,
                     std::string_view name, std::string_view generate_name,
                     std::string_view pod_claim_name, const ClaimOwner& owner);

// A pod claim and the claim created for it.
struct ClaimNameEntry {
  std::string_view pod_claim;
  std::string_view claim;
};
// All claim names of a pod (or pod group) at once: server-side apply on `/status`. An omitted entry
// would be removed. Written in the given order; the caller sorts.
std::string encode_claim_names(std::string_view api_version, std::string_view kind,
                               const NamespacedName& key, const Uid& uid,
                               std::span<const ClaimNameEntry> entries);

// Adds one reservation: strategic merge on the claim's `/status`.
std::string encode_reserve(const ObjectMeta& claim, const ConsumerReference& consumer);

enum class Allocation : std::uint8_t { keep, clear };
// Removes these reservations and no others, and the allocation if it is to be cleared: strategic
// merge on `/status`.
std::string encode_release(const ObjectMeta& claim, std::span<const Uid> released,
                           Allocation allocation);

// Removes only that finalizer: strategic merge on the main path. `resource_version` is from the
// previous write.
std::string encode_remove_finalizer(const Uid& uid, const ResourceVersion& resource_version,
                                    std::string_view finalizer);

// encode_claim() for a template that arrived as protobuf.
namespace protobuf {
std::string encode_claim(const Resource& claims, const ResourceClaimTemplate& claim_template,
                         std::string_view name, std::string_view generate_name,
                         std::string_view pod_claim_name, const ClaimOwner& owner);
}  // namespace protobuf

}  // namespace dcm::api
