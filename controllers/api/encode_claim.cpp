#include "controllers/api/encode_claim.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "client/api/encode_text.hpp"

namespace dcm::api {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::storage_ptr;

// Memory for building a body, for the writes that each claim needs: a typical body fits into
// `room_`, and so allocates only its text. Nested values in braces use it; a nested `object{…}`
// would allocate elsewhere first.
class Scratch {
 public:
  Scratch() : memory_(room_, sizeof room_) {}
  operator storage_ptr() { return &memory_; }

 private:
  unsigned char room_[4096];
  boost::json::monotonic_resource memory_;
};

std::string to_text(const object& body) {
  return boost::json::serialize(body);
}

object to_json(const std::map<std::string, std::string>& map, storage_ptr memory) {
  object result(std::move(memory));
  for (const auto& [key, text] : map) result[key] = text;
  return result;
}

object claim_metadata(const ResourceClaimTemplate& claim_template, std::string_view name,
                      std::string_view generate_name, std::string_view pod_claim_name,
                      const ClaimOwner& owner, const storage_ptr& memory) {
  object metadata({{"name", view(name)}, {"generateName", view(generate_name)}}, memory);
  if (!claim_template.labels.empty()) metadata["labels"] = to_json(claim_template.labels, memory);
  object annotations = to_json(claim_template.annotations, memory);
  annotations[view(kPodClaimNameAnnotation)] = view(pod_claim_name);
  metadata["annotations"] = std::move(annotations);
  object reference({{"apiVersion", owner.api_version},
                    {"kind", owner.kind},
                    {"name", owner.name},
                    {"uid", owner.uid.str()},
                    {"controller", true}},
                   memory);
  array references(memory);
  references.push_back(std::move(reference));
  metadata["ownerReferences"] = std::move(references);
  return metadata;
}

// The object with one more field, whose value is JSON text copied verbatim.
std::string serialize_with(const object& body, std::string_view key, std::string_view raw_json) {
  const std::string head = to_text(body);
  std::string text;
  text.reserve(head.size() + key.size() + raw_json.size() + 8);
  text.append(head, 0, head.size() - 1);
  return text.append(",\"").append(key).append("\":").append(raw_json).append("}");
}

std::string encode_as_json(const Resource& claims, const ResourceClaimTemplate& claim_template,
                           std::string_view name, std::string_view generate_name,
                           std::string_view pod_claim_name, const ClaimOwner& owner) {
  Scratch memory;
  object metadata =
      claim_metadata(claim_template, name, generate_name, pod_claim_name, owner, memory);
  const object body({{"apiVersion", claims.api_version()},
                     {"kind", view(claims.kind->kind)},
                     {"metadata", std::move(metadata)}},
                    memory);
  return serialize_with(body, "spec", claim_template.claim_spec.bytes);
}

object to_json(const ConsumerReference& consumer) {
  object entry;
  if (!consumer.group.empty()) entry["apiGroup"] = consumer.group.str();
  entry["resource"] = consumer.resource.str();
  entry["name"] = consumer.name.str();
  entry["uid"] = consumer.uid.str();
  return entry;
}

// The preconditions of a patch.
object preconditions(const Uid& uid, const ResourceVersion& resource_version) {
  return {{"uid", uid.str()}, {"resourceVersion", resource_version.str()}};
}

}  // namespace

Encoded encode_claim(const Resource& claims, const ResourceClaimTemplate& claim_template,
                     std::string_view name, std::string_view generate_name,
                     std::string_view pod_claim_name, const ClaimOwner& owner) {
  const Format format = claim_template.claim_spec.format;
  const auto encode = format == Format::protobuf ? &protobuf::encode_claim : &encode_as_json;
  return {encode(claims, claim_template, name, generate_name, pod_claim_name, owner), format};
}

std::string encode_claim_names(std::string_view api_version, std::string_view kind,
                               const NamespacedName& key, const Uid& uid,
                               std::span<const ClaimNameEntry> entries) {
  Scratch memory;
  array statuses(memory);
  for (const auto& entry : entries) {
    statuses.push_back(object(
        {{"name", view(entry.pod_claim)}, {"resourceClaimName", view(entry.claim)}}, memory));
  }
  return to_text(object(
      {{"apiVersion", view(api_version)},
       {"kind", view(kind)},
       {"metadata", {{"name", key.name}, {"namespace", key.namespace_.str()}, {"uid", uid.str()}}},
       {"status", {{"resourceClaimStatuses", std::move(statuses)}}}},
      memory));
}

std::string encode_reserve(const ObjectMeta& claim, const ConsumerReference& consumer) {
  return to_text({{"metadata", preconditions(claim.uid, claim.resource_version)},
                  {"status", object{{"reservedFor", array{to_json(consumer)}}}}});
}

std::string encode_release(const ObjectMeta& claim, std::span<const Uid> released,
                           Allocation allocation) {
  array entries;
  for (const Uid& uid : released) {
    entries.push_back(object{{"$patch", "delete"}, {"uid", uid.str()}});
  }
  object status;
  if (!entries.empty()) status["reservedFor"] = std::move(entries);
  if (allocation == Allocation::clear) status["allocation"] = nullptr;
  return to_text({{"metadata", preconditions(claim.uid, claim.resource_version)},
                  {"status", std::move(status)}});
}

std::string encode_remove_finalizer(const Uid& uid, const ResourceVersion& resource_version,
                                    std::string_view finalizer) {
  object metadata = preconditions(uid, resource_version);
  metadata["$deleteFromPrimitiveList/finalizers"] = array{view(finalizer)};
  return to_text({{"metadata", std::move(metadata)}});
}

}  // namespace dcm::api
