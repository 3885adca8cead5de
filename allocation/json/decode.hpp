// Decodes the fields that allocation reads from the API's JSON (v1), each kind in one place.
#pragma once

#include <memory>

#include "allocation/claim.hpp"
#include "allocation/node_selector.hpp"
#include "allocation/slice.hpp"
#include "client/api/decoder.hpp"
#include "client/api/json/source.hpp"

// For the kit's rows (client/api/fields.hpp): in Quantity's namespace, where the function is found.
namespace dcm::cel {
// A quantity is a string, or a plain number.
[[nodiscard]] bool read_json(const api::json::Source& from, Quantity& out);
}  // namespace dcm::cel

namespace dcm::allocation {

// Readers of parts, for the rows of kinds that contain them. `out` must be new.
[[nodiscard]] bool read_json(const api::json::Source& from, ClaimSpec& out);
// Reads the field `devices` of a claim's spec.
[[nodiscard]] bool read_devices(const api::json::Source& from, ClaimSpec& out);
[[nodiscard]] bool read_json(const api::json::Source& from, AllocationResult& out);
[[nodiscard]] bool read_json(const api::json::Source& from, DeviceResult& out);
[[nodiscard]] bool read_json(const api::json::Source& from, NodeSelector& out);
[[nodiscard]] bool read_json(const api::json::Source& from, RawJson& out);
// For pods as well: core/v1 has the same fields.
[[nodiscard]] bool read_json(const api::json::Source& from, Toleration& out);

// For decoders (client/api/json/decoder.hpp): top-level fields.
template <class T>
struct JsonFields {
  bool read_field(std::string_view version, std::string_view key, const api::json::Source& from,
                  T& out) const;
  bool is_kept(const T&) const { return true; }
};
template <>
bool JsonFields<Slice>::read_field(std::string_view version, std::string_view key,
                                   const api::json::Source& from, Slice& out) const;
template <>
bool JsonFields<DeviceClass>::read_field(std::string_view version, std::string_view key,
                                         const api::json::Source& from, DeviceClass& out) const;
template <>
bool JsonFields<Claim>::read_field(std::string_view version, std::string_view key,
                                   const api::json::Source& from, Claim& out) const;
template <>
bool JsonFields<Node>::read_field(std::string_view version, std::string_view key,
                                  const api::json::Source& from, Node& out) const;
using SliceFields = JsonFields<Slice>;
using DeviceClassFields = JsonFields<DeviceClass>;
using ClaimFields = JsonFields<Claim>;
using NodeFields = JsonFields<Node>;
// Leaves out claims that are not allocated, and the requests of all claims.
struct AllocatedClaimFields {
  bool read_field(std::string_view version, std::string_view key, const api::json::Source& from,
                  Claim& out) const {
    return key == "spec" || ClaimFields().read_field(version, key, from, out);
  }
  bool is_kept(const Claim& claim) const { return claim.allocation.has_value(); }
};
// For decoders that read more of the status.
[[nodiscard]] bool read_status_field(std::string_view key, const api::json::Source& from,
                                     Node& out);

std::unique_ptr<api::Decoder<Slice>> make_slice_decoder();
std::unique_ptr<api::Decoder<DeviceClass>> make_device_class_decoder();
std::unique_ptr<api::Decoder<Claim>> make_claim_decoder();
std::unique_ptr<api::Decoder<Claim>> make_allocated_claim_decoder();
std::unique_ptr<api::Decoder<Node>> make_node_decoder();

}  // namespace dcm::allocation
