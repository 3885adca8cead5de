// Claims with what they ask for (resource.k8s.io/v1 ResourceClaim, KEP-4381).
#include "client/api/json/decoder.hpp"
#include "cmd/dra-playground/objects/decode.hpp"
#include "cmd/dra-playground/objects/unknown.hpp"
#include "controllers/api/json/parts.hpp"

namespace dcm::playground {
namespace {

using api::json::Reader;
using api::json::value;

bool read_mode(Reader& reader, value field, DeviceRequest& request, Claim& claim) {
  std::string_view mode;
  if (!reader.view(field, mode)) return false;
  if (mode == "All") {
    request.mode = AllocationMode::all;
  } else if (!mode.empty() && mode != "ExactCount") {
    note_unknown(claim.unsupported, "allocationMode " + std::string(mode));
  }
  return true;
}

bool read_effect(Reader& reader, value field, std::optional<api::TaintEffect>& out) {
  std::string_view effect;
  if (!reader.view(field, effect)) return false;
  if (effect == "NoSchedule") {
    out = api::TaintEffect::no_schedule;
  } else if (effect == "NoExecute") {
    out = api::TaintEffect::no_execute;
  } else if (!effect.empty()) {
    out = api::TaintEffect::other;
  }
  return true;
}

bool read_operator(Reader& reader, value field, api::TolerationOperator& out) {
  std::string_view name;
  if (!reader.view(field, name)) return false;
  if (name == "Exists") out = api::TolerationOperator::exists;
  return true;
}

bool read_toleration(Reader& reader, value item, DeviceRequest& request) {
  Toleration& read = request.tolerated.emplace_back();
  std::string_view text;
  const bool is_read = reader.raw_object(item, text, [&](std::string_view key, value field) {
    if (key == "key") return reader.text(field, read.key);
    if (key == "value") return reader.text(field, read.value);
    if (key == "effect") return read_effect(reader, field, read.effect);
    return key != "operator" || read_operator(reader, field, read.operator_);
  });
  request.tolerations.emplace_back(text);
  return is_read;
}

bool read_exactly(Reader& reader, value exactly, DeviceRequest& request, Claim& claim) {
  return reader.each_field(exactly, [&](std::string_view key, value field) {
    if (key == "deviceClassName") return reader.text(field, request.device_class);
    if (key == "count") return reader.integer(field, request.count);
    if (key == "allocationMode") return read_mode(reader, field, request, claim);
    if (key == "tolerations") {
      return reader.each_item(field,
                              [&](value item) { return read_toleration(reader, item, request); });
    }
    return note_if_asked(claim.unsupported, key, field);
  });
}

bool read_request(Reader& reader, value item, Claim& claim) {
  DeviceRequest& request = claim.requests.emplace_back();
  return reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "name") return reader.text(field, request.name);
    if (key == "exactly") return read_exactly(reader, field, request, claim);
    return note_if_asked(claim.unsupported, key, field);
  });
}

bool read_config(Reader& reader, value item, Claim& claim) {
  DeviceConfig& config = claim.config.emplace_back();
  std::string_view text;
  const bool is_read = reader.raw_object(item, text, [&](std::string_view key, value field) {
    if (key != "requests") return true;
    return reader.each_item(
        field, [&](value name) { return reader.text(name, config.requests.emplace_back()); });
  });
  config.text = text;
  return is_read;
}

bool read_claim_spec(Reader& reader, value spec, Claim& claim) {
  return reader.each_field(spec, [&](std::string_view key, value field) {
    if (key != "devices") return note_if_asked(claim.unsupported, key, field);
    return reader.each_field(field, [&](std::string_view name, value part) {
      if (name == "requests") {
        return reader.each_item(part,
                                [&](value item) { return read_request(reader, item, claim); });
      }
      if (name != "config") return note_if_asked(claim.unsupported, name, part);
      return reader.each_item(part, [&](value item) { return read_config(reader, item, claim); });
    });
  });
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
            return name != api::kPodClaimNameAnnotation || reader.text(part, claim.pod_claim_name);
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

bool read_result(Reader& reader, value item, Claim& claim) {
  api::DeviceId id;
  bool has_admin_access = false;
  const bool is_read = reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "driver") return reader.text(field, id.driver);
    if (key == "pool") return reader.text(field, id.pool);
    if (key == "device") return reader.text(field, id.device);
    return key != "adminAccess" || reader.flag(field, has_admin_access);
  });
  if (has_admin_access) {
    claim.admin_devices.push_back(std::move(id));
  } else {
    claim.devices.push_back({std::move(id), nullptr});
  }
  return is_read;
}

bool read_allocation(Reader& reader, value allocation, Claim& claim) {
  if (api::json::is_null(allocation)) return true;
  claim.is_allocated = true;
  return reader.each_field(allocation, [&](std::string_view key, value field) {
    if (key != "devices") return true;
    return reader.each_field(field, [&](std::string_view name, value part) {
      if (name != "results") return true;
      return reader.each_item(part, [&](value item) { return read_result(reader, item, claim); });
    });
  });
}

bool read_claim_status(Reader& reader, value status, Claim& claim) {
  return reader.each_field(status, [&](std::string_view key, value field) {
    if (key == "allocation") return read_allocation(reader, field, claim);
    if (key != "reservedFor") return true;
    return reader.each_item(field, [&](value item) {
      return api::json::read_consumer(reader, item, claim.reserved_for.emplace_back());
    });
  });
}

struct ClaimFields {
  bool read_field(Reader& reader, std::string_view key, value field, Claim& claim) const {
    if (key == "metadata") return read_claim_metadata(reader, field, claim);
    if (key == "spec") return read_claim_spec(reader, field, claim);
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
