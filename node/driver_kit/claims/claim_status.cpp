#include "node/driver_kit/claims/claim_status.hpp"

#include <boost/json/serialize.hpp>

#include "client/request/request.hpp"
#include "controllers/api/resources.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::driver_kit {
namespace {

namespace json = boost::json;

const api::Resource kClaimsWithStatus{&api::kResourceClaims, "v1"};

json::object entry_of(const std::string& driver, const DeviceStatus& status) {
  json::object entry{{"driver", driver}, {"pool", status.pool}, {"device", status.device}};
  if (status.share_id) entry["shareID"] = *status.share_id;
  if (!status.conditions.empty()) entry["conditions"] = status.conditions;
  if (!status.data.empty()) entry["data"] = status.data;
  if (!status.network_data.empty()) entry["networkData"] = status.network_data;
  return entry;
}

// With the UID: another claim of that name is left alone.
std::string status_patch(const node::ClaimRef& claim, json::array devices) {
  return json::serialize(json::object{
      {"apiVersion", "resource.k8s.io/v1"},
      {"kind", "ResourceClaim"},
      {"metadata",
       json::object{{"name", claim.name}, {"namespace", claim.namespace_}, {"uid", claim.uid}}},
      {"status", json::object{{"devices", std::move(devices)}}}});
}

}  // namespace

json::object make_condition(std::string_view type, bool is_true, std::string_view reason,
                            std::string_view message, runtime::WallTime since) {
  return {{"type", type},
          {"status", is_true ? "True" : "False"},
          {"reason", reason},
          {"message", message},
          {"lastTransitionTime", runtime::timestamp(since)}};
}

Task<runtime::Result<>> ClaimStatusWriter::apply(node::ClaimRef claim,
                                                 std::vector<DeviceStatus> devices) {
  json::array entries;
  for (const DeviceStatus& each : devices) entries.push_back(entry_of(driver_, each));
  const runtime::Result<http::Response> answer = co_await rest_.send(
      client::apply_request(kClaimsWithStatus, {api::InternedString(claim.namespace_), claim.name},
                            "status", field_manager_, status_patch(claim, std::move(entries))));
  if (!answer) co_return runtime::fail(answer.error());
  co_return runtime::Result<>();
}

}  // namespace dcm::driver_kit
