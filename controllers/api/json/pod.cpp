#include "client/api/json/decoder.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/api/json/parts.hpp"

namespace dcm::api {
namespace {

using json::Reader;
using json::value;

bool read_phase(Reader& reader, value field, PodPhase& phase) {
  std::string_view text;
  if (!reader.view(field, text)) return false;
  phase = phase_of(text);
  return true;
}

bool read_spec(Reader& reader, value spec, Pod& pod) {
  return reader.each_field(spec, [&](std::string_view key, value field) {
    if (key == "nodeName") return reader.text(field, pod.node_name);
    if (key == "resourceClaims") return json::read_claims(reader, field, pod);
    if (key == "schedulingGroup") {
      return reader.each_field(field, [&](std::string_view name, value part) {
        return name != "podGroupName" || reader.text(part, pod.scheduling_group);
      });
    }
    return true;
  });
}

bool read_condition(Reader& reader, value item, Pod& pod) {
  PodConditionView condition;
  const bool is_read = reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "type") return reader.view(field, condition.type);
    if (key == "status") return reader.view(field, condition.status);
    if (key == "reason") return reader.view(field, condition.reason);
    if (key == "message") return reader.view(field, condition.message);
    return true;
  });
  if (is_read) apply(condition, pod);
  return is_read;
}

bool read_status(Reader& reader, value status, Pod& pod) {
  return reader.each_field(status, [&](std::string_view key, value field) {
    if (key == "phase") return read_phase(reader, field, pod.phase);
    if (key == "conditions") {
      return reader.each_item(field, [&](value item) { return read_condition(reader, item, pod); });
    }
    if (key == "resourceClaimStatuses") return json::read_claim_statuses(reader, field, pod);
    if (key == "extendedResourceClaimStatus") {
      return reader.each_field(field, [&](std::string_view name, value part) {
        return name != "resourceClaimName" || reader.text(part, pod.extended_resource_claim);
      });
    }
    return true;
  });
}

struct PodFields {
  static constexpr std::string_view kKind = "Pod";

  bool read_field(Reader& reader, std::string_view key, value field, Pod& pod) const {
    if (key == "metadata") return json::read_metadata(reader, field, pod);
    if (key == "spec") return read_spec(reader, field, pod);
    if (key == "status") return read_status(reader, field, pod);
    return true;
  }
  bool is_kept(const Pod& pod) const {
    return selection == PodSelection::all || pod.is_of_interest();
  }

  PodSelection selection;
};

}  // namespace

std::unique_ptr<Decoder<Pod>> make_json_pod_decoder(PodSelection selection) {
  return std::make_unique<json::JsonDecoder<Pod, PodFields>>(PodFields{selection});
}

namespace {

struct GroupFields {
  static constexpr std::string_view kKind = "PodGroup";

  bool read_field(Reader& reader, std::string_view key, value field, PodGroup& group) const {
    if (key == "metadata") return json::read_metadata(reader, field, group);
    if (key == "spec") {
      return reader.each_field(field, [&](std::string_view name, value part) {
        return name != "resourceClaims" || json::read_claims(reader, part, group);
      });
    }
    if (key != "status") return true;
    return reader.each_field(field, [&](std::string_view name, value part) {
      return name != "resourceClaimStatuses" || json::read_claim_statuses(reader, part, group);
    });
  }
  // Kept even without claims: its pods need to know whether the group exists.
  bool is_kept(const PodGroup&) const { return true; }
};

}  // namespace

std::unique_ptr<Decoder<PodGroup>> make_json_group_decoder() {
  return std::make_unique<json::JsonDecoder<PodGroup, GroupFields>>();
}

}  // namespace dcm::api
