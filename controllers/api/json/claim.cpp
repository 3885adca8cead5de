#include "client/api/json/decoder.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/api/json/parts.hpp"

namespace dcm::api {
namespace {

using json::Reader;
using json::value;

bool read_owner(Reader& reader, value item, ResourceClaim& claim) {
  OwnerView owner;
  const bool is_read = reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "apiVersion") return reader.view(field, owner.api_version);
    if (key == "kind") return reader.view(field, owner.kind);
    if (key == "name") return reader.view(field, owner.name);
    if (key == "uid") return reader.view(field, owner.uid);
    if (key == "controller") return reader.flag(field, owner.is_controller);
    return true;
  });
  if (is_read) apply(owner, claim);
  return is_read;
}

bool read_annotation(Reader& reader, std::string_view key, value field, ResourceClaim& claim) {
  if (key != kPodClaimNameAnnotation && key != kExtendedResourceClaimAnnotation) return true;
  std::string_view text;
  if (!reader.view(field, text)) return false;
  apply_annotation(key, text, claim);
  return true;
}

bool read_finalizer(Reader& reader, value item, ResourceClaim& claim) {
  std::string_view text;
  if (!reader.view(item, text)) return false;
  apply_finalizer(text, claim);
  return true;
}

bool read_claim_metadata(Reader& reader, value metadata, ResourceClaim& claim) {
  return json::read_metadata(reader, metadata, claim.meta, [&](std::string_view key, value field) {
    if (key == "annotations") {
      return reader.each_field(field, [&](std::string_view name, value part) {
        return read_annotation(reader, name, part, claim);
      });
    }
    if (key == "ownerReferences") {
      return reader.each_item(field, [&](value item) { return read_owner(reader, item, claim); });
    }
    if (key == "finalizers") {
      return reader.each_item(field,
                              [&](value item) { return read_finalizer(reader, item, claim); });
    }
    return true;
  });
}

bool read_reserved_for(Reader& reader, value list, ResourceClaim& claim) {
  const bool is_read = reader.each_item(list, [&](value item) {
    return json::read_consumer(reader, item, claim.reserved_for.emplace_back());
  });
  claim.reserved_for.shrink_to_fit();
  return is_read;
}

bool read_tolerations(Reader& reader, value list, AllocatedDevice& device) {
  std::vector<DeviceToleration> tolerations;
  const bool is_read = reader.each_item(
      list, [&](value item) { return json::read_toleration(reader, item, tolerations); });
  device.tolerations = if_any(std::move(tolerations));
  return is_read;
}

bool read_result(Reader& reader, value item, AllocatedDevice& device) {
  return reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "driver") return reader.text(field, device.id.driver);
    if (key == "pool") return reader.text(field, device.id.pool);
    if (key == "device") return reader.text(field, device.id.device);
    if (key == "tolerations") return read_tolerations(reader, field, device);
    return true;
  });
}

bool read_results(Reader& reader, value list, ResourceClaim& claim) {
  const bool is_read = reader.each_item(
      list, [&](value item) { return read_result(reader, item, claim.devices.emplace_back()); });
  claim.devices.shrink_to_fit();
  return is_read;
}

bool read_allocation(Reader& reader, value allocation, ResourceClaim& claim) {
  if (json::is_null(allocation)) return true;
  claim.is_allocated = true;
  return reader.each_field(allocation, [&](std::string_view key, value field) {
    if (key != "devices") return true;
    return reader.each_field(field, [&](std::string_view name, value part) {
      return name != "results" || read_results(reader, part, claim);
    });
  });
}

bool read_status(Reader& reader, value status, ResourceClaim& claim) {
  return reader.each_field(status, [&](std::string_view key, value field) {
    if (key == "allocation") return read_allocation(reader, field, claim);
    if (key == "reservedFor") return read_reserved_for(reader, field, claim);
    return true;
  });
}

class ClaimFields {
 public:
  static constexpr std::string_view kKind = "ResourceClaim";

  explicit ClaimFields(json::AdminAccessPlace place) : place_(place) {}

  bool read_field(Reader& reader, std::string_view key, value field, ResourceClaim& claim) const {
    if (key == "metadata") return read_claim_metadata(reader, field, claim);
    if (key == "spec") return read_spec(reader, field, claim);
    if (key == "status") return read_status(reader, field, claim);
    return true;
  }
  bool is_kept(const ResourceClaim&) const { return true; }

 private:
  bool read_spec(Reader& reader, value spec, ResourceClaim& claim) const {
    return reader.each_field(spec, [&](std::string_view key, value field) {
      if (key != "devices") return true;
      DeviceRequests requests;
      if (!json::read_devices(reader, field, place_, requests)) return false;
      claim.has_admin_access = requests.has_admin_access;
      return true;
    });
  }

  json::AdminAccessPlace place_;
};

}  // namespace

std::unique_ptr<Decoder<ResourceClaim>> make_json_claim_decoder(std::string_view version) {
  return std::make_unique<json::JsonDecoder<ResourceClaim, ClaimFields>>(
      ClaimFields(json::admin_access_place(version)));
}

}  // namespace dcm::api
