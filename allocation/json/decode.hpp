// Decodes the fields that allocation reads from the API's JSON (v1), each kind in one place.
#pragma once

#include <memory>
#include <string_view>

#include "allocation/claim.hpp"
#include "allocation/node_selector.hpp"
#include "allocation/slice.hpp"
#include "client/api/decoder.hpp"
#include "client/api/json/reader.hpp"

namespace dcm::allocation {

// Parts, for decoders of kinds that contain them. `out` must be new.
[[nodiscard]] bool read(api::json::Reader& reader, api::json::value from, ClaimSpec& out);
// Its `devices` field.
[[nodiscard]] bool read_devices(api::json::Reader& reader, api::json::value from, ClaimSpec& out);
[[nodiscard]] bool read(api::json::Reader& reader, api::json::value from, AllocationResult& out);
[[nodiscard]] bool read(api::json::Reader& reader, api::json::value from, NodeSelector& out);
[[nodiscard]] bool read(api::json::Reader& reader, api::json::value from, Quantity& out);
// For pods as well: core/v1 has the same fields.
[[nodiscard]] bool read(api::json::Reader& reader, api::json::value from, Toleration& out);
[[nodiscard]] bool read(api::json::Reader& reader, api::json::value from, DeviceResult& out);

// For JsonDecoder (client/api/json/decoder.hpp): top-level fields.
struct SliceFields {
  bool read_field(api::json::Reader& reader, std::string_view key, api::json::value field,
                  Slice& out) const;
  bool is_kept(const Slice&) const { return true; }
};
struct DeviceClassFields {
  bool read_field(api::json::Reader& reader, std::string_view key, api::json::value field,
                  DeviceClass& out) const;
  bool is_kept(const DeviceClass&) const { return true; }
};

struct ClaimFields {
  bool read_field(api::json::Reader& reader, std::string_view key, api::json::value field,
                  Claim& out) const;
  bool is_kept(const Claim&) const { return true; }
};
// Claims that are not allocated are left out, and so is what a claim asks for.
struct AllocatedClaimFields {
  bool read_field(api::json::Reader& reader, std::string_view key, api::json::value field,
                  Claim& out) const;
  bool is_kept(const Claim& claim) const { return claim.allocation.has_value(); }
};
struct NodeFields {
  bool read_field(api::json::Reader& reader, std::string_view key, api::json::value field,
                  Node& out) const;
  // For decoders that read more fields of the status.
  bool read_status_field(api::json::Reader& reader, std::string_view key, api::json::value field,
                         Node& out) const;
  bool is_kept(const Node&) const { return true; }
};

std::unique_ptr<api::Decoder<Slice>> make_slice_decoder();
std::unique_ptr<api::Decoder<DeviceClass>> make_device_class_decoder();
std::unique_ptr<api::Decoder<Claim>> make_claim_decoder();
std::unique_ptr<api::Decoder<Claim>> make_allocated_claim_decoder();
std::unique_ptr<api::Decoder<Node>> make_node_decoder();

}  // namespace dcm::allocation
