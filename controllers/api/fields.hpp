// Interprets fields for the controllers: shared by the decoders of JSON and protobuf. A field is
// copied or interned only once it is known to be needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "controllers/api/decoders.hpp"

namespace dcm::api {

PodPhase phase_of(std::string_view text);

struct PodConditionView {
  std::string_view type;
  std::string_view status;
  std::string_view reason;
  std::string_view message;
};
void apply(const PodConditionView& condition, Pod& pod);

// An entry of metadata.ownerReferences.
struct OwnerView {
  std::string_view api_version;
  std::string_view kind;
  std::string_view name;
  std::string_view uid;
  bool is_controller = false;
};
void apply(const OwnerView& owner, ResourceClaim& claim);
void apply_annotation(std::string_view key, std::string_view value, ResourceClaim& claim);
void apply_finalizer(std::string_view finalizer, ResourceClaim& claim);

// Names as in the API.
struct TolerationView {
  std::string_view key;
  std::string_view operator_;
  std::string_view value_;
  std::string_view effect;
  std::optional<std::int64_t> seconds;
};
// Appends it, if it matters to eviction.
void append(const TolerationView& toleration, std::vector<DeviceToleration>& tolerations);

// A claim's requests for devices, as far as the controllers read them.
struct DeviceRequests {
  bool has_admin_access = false;      // any request; those of firstAvailable are not counted
  bool has_prioritized_list = false;  // any request has a firstAvailable (KEP-4816)
};

TaintEffect effect_of(std::string_view text);
ConditionStatus condition_status_of(std::string_view text);

// A list that is nearly always empty.
template <class Element>
std::unique_ptr<const std::vector<Element>> if_any(std::vector<Element> elements) {
  if (elements.empty()) return nullptr;
  return std::make_unique<const std::vector<Element>>(std::move(elements));
}

}  // namespace dcm::api
