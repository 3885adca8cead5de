#include "explain/devices/asking_pod.hpp"

#include <algorithm>
#include <string_view>

#include "allocation/json/decode.hpp"
#include "allocation/json/rows.hpp"
#include "client/api/json/decoder.hpp"

namespace dcm::manager {
namespace {

using allocation::read_rows;
using allocation::Row;
using api::json::Reader;
using api::json::value;

AskingPod::PodClaim& claim_named(AskingPod& pod, const std::string& name) {
  const auto found = std::ranges::find(pod.claims, name, &AskingPod::PodClaim::name);
  return found == pod.claims.end() ? pod.claims.emplace_back(AskingPod::PodClaim{name}) : *found;
}

// From the spec, or the status.
struct ClaimEntry {
  std::string name = {};
  std::optional<std::string> claim = {};
};

bool read_entry(Reader& reader, value from, AskingPod& pod, bool is_status) {
  ClaimEntry entry;
  if (!read_rows(reader, from, entry, Row("name", &ClaimEntry::name),
                 Row("resourceClaimName", &ClaimEntry::claim)))
    return false;
  AskingPod::PodClaim& claim = claim_named(pod, entry.name);
  // A status without a claim name means that no claim is needed.
  if (is_status) claim.needs_none = !entry.claim;
  if (entry.claim) claim.claim = std::move(entry.claim);
  return true;
}

auto entries_of(AskingPod& pod, Reader& reader, bool is_status) {
  return
      [&pod, &reader, is_status](value item) { return read_entry(reader, item, pod, is_status); };
}

bool read_affinity(Reader& reader, value from, AskingPod& pod) {
  const auto node_affinity = [](Reader& r, value part, AskingPod& out) {
    return read_rows(r, part, out.node_affinity,
                     Row("requiredDuringSchedulingIgnoredDuringExecution",
                         &allocation::RequiredNodeAffinity::affinity));
  };
  return read_rows(reader, from, pod, Row("nodeAffinity", node_affinity));
}

bool read_requests(Reader& reader, value from, allocation::ContainerResources& out) {
  bool has_extended = false;
  const bool is_read = reader.each_field(from, [&](std::string_view name, value field) {
    allocation::Quantity amount;
    if (!allocation::read(reader, field, amount)) return false;
    has_extended |= allocation::is_extended_resource(name);
    out.requests.push_back({std::string(name), amount.as_integer().value_or(0)});
    return true;
  });
  if (!has_extended) out.requests.clear();
  std::ranges::sort(out.requests, {}, &allocation::ResourceRequest::name);
  return is_read;
}

bool read_container(Reader& reader, value from, allocation::ContainerResources& out) {
  using Container = allocation::ContainerResources;
  const auto resources = [](Reader& r, value part, Container& container) {
    return read_rows(r, part, container, Row("requests", read_requests));
  };
  const auto restart_policy = [](Reader& r, value part, Container& container) {
    std::string_view policy;
    if (!r.view(part, policy)) return false;
    container.is_sidecar = policy == "Always";
    return true;
  };
  return read_rows(reader, from, out, Row("name", &Container::name), Row("resources", resources),
                   Row("restartPolicy", restart_policy));
}

auto containers(std::vector<allocation::ContainerResources> AskingPod::* member) {
  return [member](Reader& reader, value from, AskingPod& pod) {
    return reader.each_item(from, [&](value item) {
      return read_container(reader, item, (pod.*member).emplace_back());
    });
  };
}

bool read_spec(Reader& reader, value from, AskingPod& pod) {
  return reader.each_field(from, [&](std::string_view key, value field) {
    if (key == "affinity") return read_affinity(reader, field, pod);
    if (key == "nodeSelector") {
      return allocation::read(reader, field, pod.node_affinity.node_selector);
    }
    if (key == "resourceClaims") return reader.each_item(field, entries_of(pod, reader, false));
    return read_row(reader, key, field, pod, Row("tolerations", &AskingPod::tolerations),
                    Row("initContainers", containers(&AskingPod::init_containers)),
                    Row("containers", containers(&AskingPod::containers)));
  });
}

}  // namespace

bool AskingPodFields::read_field(Reader& reader, std::string_view key, value field,
                                 AskingPod& pod) const {
  if (key == "metadata") return api::json::read_metadata(reader, field, pod.meta);
  if (key == "spec") return read_spec(reader, field, pod);
  if (key != "status") return true;
  return reader.each_field(field, [&](std::string_view name, value part) {
    if (name == "resourceClaimStatuses") {
      return reader.each_item(part, entries_of(pod, reader, true));
    }
    return name != "extendedResourceClaimStatus" ||
           read_rows(reader, part, pod, Row("resourceClaimName", &AskingPod::extended_claim));
  });
}

std::unique_ptr<api::Decoder<AskingPod>> make_asking_pod_decoder() {
  return std::make_unique<api::json::JsonDecoder<AskingPod, AskingPodFields>>();
}

}  // namespace dcm::manager
