#include "cmd/dra-controller-manager/explain/devices/decode_nodes.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "allocation/json/decode.hpp"
#include "allocation/json/rows.hpp"
#include "client/api/json/decoder.hpp"

namespace dcm::manager {
namespace {

using allocation::read_rows;
using allocation::Row;
using api::json::Reader;
using api::json::value;

bool read_taint(Reader& reader, value from, ListedNode& node) {
  struct Taint {
    std::string key, value, effect;
  } taint;
  if (!read_rows(reader, from, taint, Row("key", &Taint::key), Row("value", &Taint::value),
                 Row("effect", &Taint::effect)))
    return false;
  if (taint.effect == "PreferNoSchedule") return true;
  node.taints.push_back(fmt::format("{}{}{}:{}", taint.key, taint.value.empty() ? "" : "=",
                                    taint.value, taint.effect));
  return true;
}

struct ListedNodeFields {
  bool read_field(Reader& reader, std::string_view key, value field, ListedNode& node) const {
    if (key != "spec") return allocation::NodeFields().read_field(reader, key, field, node);
    const auto taints = [](Reader& r, value list, ListedNode& out) {
      return r.each_item(list, [&](value item) { return read_taint(r, item, out); });
    };
    return read_rows(reader, field, node, Row("unschedulable", &ListedNode::is_cordoned),
                     Row("taints", taints));
  }
  bool is_kept(const ListedNode&) const { return true; }
};

AskingPod::PodClaim& claim_named(AskingPod& pod, const std::string& name) {
  const auto found = std::ranges::find(pod.claims, name, &AskingPod::PodClaim::name);
  return found == pod.claims.end() ? pod.claims.emplace_back(AskingPod::PodClaim{name}) : *found;
}

// Of the spec, or of the status.
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
  // A status without a claim's name says that none is needed.
  if (is_status) claim.needs_none = !entry.claim;
  if (entry.claim) claim.claim = std::move(entry.claim);
  return true;
}

auto entries_of(AskingPod& pod, Reader& reader, bool is_status) {
  return
      [&pod, &reader, is_status](value item) { return read_entry(reader, item, pod, is_status); };
}

bool read_affinity(Reader& reader, value from, AskingPod& pod) {
  constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  if (api::json::is_null(from)) return true;
  return reader.each_field(from, [&](std::string_view key, value field) {
    if (key != "nodeAffinity" || api::json::is_null(field)) return true;
    return reader.each_field(field, [&](std::string_view name, value part) {
      if (name != kRequired || api::json::is_null(part)) return true;
      return allocation::read(reader, part, pod.affinity.emplace());
    });
  });
}

bool read_spec(Reader& reader, value from, AskingPod& pod) {
  return reader.each_field(from, [&](std::string_view key, value field) {
    if (key == "affinity") return read_affinity(reader, field, pod);
    if (key == "nodeSelector") {
      return reader.each_field(field, [&](std::string_view label, value text) {
        return reader.text(text, pod.node_selector.emplace_back(label, "").second);
      });
    }
    if (key != "resourceClaims") return true;
    return reader.each_item(field, entries_of(pod, reader, false));
  });
}

struct AskingPodFields {
  bool read_field(Reader& reader, std::string_view key, value field, AskingPod& pod) const {
    if (key == "metadata") return api::json::read_metadata(reader, field, pod.meta);
    if (key == "spec") return read_spec(reader, field, pod);
    if (key != "status") return true;
    return reader.each_field(field, [&](std::string_view name, value part) {
      if (name != "resourceClaimStatuses") return true;
      return reader.each_item(part, entries_of(pod, reader, true));
    });
  }
  bool is_kept(const AskingPod&) const { return true; }
};

}  // namespace

std::unique_ptr<api::Decoder<ListedNode>> make_listed_node_decoder() {
  return std::make_unique<api::json::JsonDecoder<ListedNode, ListedNodeFields>>();
}

std::unique_ptr<api::Decoder<AskingPod>> make_asking_pod_decoder() {
  return std::make_unique<api::json::JsonDecoder<AskingPod, AskingPodFields>>();
}

}  // namespace dcm::manager
