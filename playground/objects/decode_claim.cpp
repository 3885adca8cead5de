// Claims with their requests (resource.k8s.io/v1 ResourceClaim, KEP-4381).
#include "allocation/json/decode.hpp"
#include "client/api/json/decoder.hpp"
#include "controllers/api/fields/parts.hpp"
#include "playground/objects/decode.hpp"

namespace dcm::playground {

using api::at;
using api::row;
using api::rows;
using api::Word;
using api::json::Source;

constexpr auto fields_of(const DeviceCondition*) {
  constexpr auto set_true = [](Word status, DeviceCondition& condition) {
    condition.is_true = status == "True";
  };
  return rows(row<"type">(&DeviceCondition::type), row<"status">(api::one<Word>(set_true)),
              row<"reason">(&DeviceCondition::reason), row<"message">(&DeviceCondition::message));
}

constexpr auto fields_of(const DeviceStatus*) {
  return rows(row<"driver">(at(&DeviceStatus::id, &api::DeviceId::driver)),
              row<"pool">(at(&DeviceStatus::id, &api::DeviceId::pool)),
              row<"device">(at(&DeviceStatus::id, &api::DeviceId::device)),
              row<"conditions">(&DeviceStatus::conditions));
}

namespace {

bool read_allocation(const Source& from, Claim& claim) {
  if (from.is_null()) return true;
  claim.is_allocated = true;
  if (!read_json(from, claim.allocation.emplace())) return false;
  for (const allocation::DeviceResult& result : claim.allocation->devices) {
    if (!result.has_admin_access) claim.devices.push_back({result.id, nullptr});
  }
  return true;
}

}  // namespace

constexpr auto fields_of(const Claim*) {
  constexpr auto keep_text = [](std::string_view text, api::Format, Claim& claim) {
    claim.spec_text = text;
  };
  constexpr auto devices = row<"devices">(at(&Claim::spec, &allocation::read_devices));
  return rows(row<"metadata">(api::claim_metadata<Claim>()),
              row<"spec">(api::raw(rows(devices), keep_text)),
              row<"status">(rows(row<"allocation">(&read_allocation),
                                 row<"devices">(&Claim::device_statuses),
                                 row<"reservedFor">(&Claim::reserved_for))));
}

std::unique_ptr<api::Decoder<Claim>> make_claim_decoder() {
  return api::json::make_decoder<Claim>(api::TableFields<Claim>());
}

}  // namespace dcm::playground
