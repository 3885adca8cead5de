// Claims with their requests (resource.k8s.io/v1 ResourceClaim, KEP-4381).
#include "allocation/json/decode.hpp"
#include "client/api/json/decoder.hpp"
#include "controllers/api/json/parts.hpp"
#include "playground/objects/decode.hpp"

namespace dcm::playground {
namespace {

using api::json::Reader;
using api::json::value;

bool read_spec(Reader& reader, value spec, Claim& claim) {
  std::string_view text;
  const bool is_read = reader.raw_object(spec, text, [&](std::string_view key, value field) {
    return key != "devices" || allocation::read_devices(reader, field, claim.spec);
  });
  claim.spec_text = text;
  return is_read;
}

struct OwnerView {
  std::string_view api_version;
  std::string_view kind;
  std::string_view name;
  std::string_view uid;
  bool is_controller = false;
};

bool read_owner(Reader& reader, value item, Claim& claim) {
  OwnerView owner;
  const bool is_read = reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "apiVersion") return reader.view(field, owner.api_version);
    if (key == "kind") return reader.view(field, owner.kind);
    if (key == "name") return reader.view(field, owner.name);
    if (key == "uid") return reader.view(field, owner.uid);
    if (key == "controller") return reader.flag(field, owner.is_controller);
    return true;
  });
  if (!is_read || !owner.is_controller) return is_read;
  const auto slash = owner.api_version.find('/');
  const auto group =
      slash == std::string_view::npos ? std::string_view() : owner.api_version.substr(0, slash);
  claim.controller = std::make_unique<const api::ControllerRef>(
      group, owner.kind, std::string(owner.name), api::Uid(owner.uid));
  return true;
}

bool read_claim_metadata(Reader& reader, value metadata, Claim& claim) {
  return api::json::read_metadata(
      reader, metadata, claim.meta, [&](std::string_view key, value field) {
        if (key == "ownerReferences") {
          return reader.each_item(field,
                                  [&](value item) { return read_owner(reader, item, claim); });
        }
        if (key == "annotations") {
          return reader.each_field(field, [&](std::string_view name, value part) {
            if (name == api::kPodClaimNameAnnotation)
              return reader.text(part, claim.pod_claim_name);
            if (name != api::kExtendedResourceClaimAnnotation) return true;
            std::string_view text;
            if (!reader.view(part, text)) return false;
            claim.is_extended_resource_claim = text == "true";
            return true;
          });
        }
        if (key != "finalizers") return true;
        return reader.each_item(field, [&](value item) {
          std::string_view text;
          if (!reader.view(item, text)) return false;
          claim.has_delete_protection |= text == api::kDeleteProtectionFinalizer;
          return true;
        });
      });
}

bool read_allocation(Reader& reader, value from, Claim& claim) {
  if (api::json::is_null(from)) return true;
  claim.is_allocated = true;
  if (!allocation::read(reader, from, claim.allocation.emplace())) return false;
  for (const allocation::DeviceResult& result : claim.allocation->devices) {
    if (!result.has_admin_access) claim.devices.push_back({result.id, nullptr});
  }
  return true;
}

bool read_condition(Reader& reader, value item, DeviceCondition& condition) {
  return reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "type") return reader.text(field, condition.type);
    if (key == "reason") return reader.text(field, condition.reason);
    if (key == "message") return reader.text(field, condition.message);
    if (key != "status") return true;
    std::string_view status;
    if (!reader.view(field, status)) return false;
    condition.is_true = status == "True";
    return true;
  });
}

bool read_device_status(Reader& reader, value item, DeviceStatus& device) {
  return reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "driver") return reader.text(field, device.id.driver);
    if (key == "pool") return reader.text(field, device.id.pool);
    if (key == "device") return reader.text(field, device.id.device);
    if (key != "conditions") return true;
    return reader.each_item(field, [&](value part) {
      return read_condition(reader, part, device.conditions.emplace_back());
    });
  });
}

bool read_claim_status(Reader& reader, value status, Claim& claim) {
  return reader.each_field(status, [&](std::string_view key, value field) {
    if (key == "allocation") return read_allocation(reader, field, claim);
    if (key == "devices") {
      return reader.each_item(field, [&](value item) {
        return read_device_status(reader, item, claim.device_statuses.emplace_back());
      });
    }
    if (key != "reservedFor") return true;
    return reader.each_item(field, [&](value item) {
      return api::json::read_consumer(reader, item, claim.reserved_for.emplace_back());
    });
  });
}

struct ClaimFields {
  bool read_field(Reader& reader, std::string_view key, value field, Claim& claim) const {
    if (key == "metadata") return read_claim_metadata(reader, field, claim);
    if (key == "spec") return read_spec(reader, field, claim);
    if (key == "status") return read_claim_status(reader, field, claim);
    return true;
  }
  bool is_kept(const Claim&) const { return true; }
};

}  // namespace

std::unique_ptr<api::Decoder<Claim>> make_claim_decoder() {
  return std::make_unique<api::json::JsonDecoder<Claim, ClaimFields>>();
}

}  // namespace dcm::playground
