#include "node/driver_kit/driver.hpp"

#include <fmt/format.h>

#include "node/driver_kit/json.hpp"
#include "runtime/dns_names.hpp"
#include "runtime/file_name.hpp"

namespace dcm::driver_kit {
namespace {

using boost::json::value;

AllocatedDevice read_device(const value& result) {
  const std::string request = text_at(result, "/request");
  const std::string share = text_at(result, "/shareID");
  const auto slash = request.find('/');
  return {.request = request.substr(0, slash),
          .pool = text_at(result, "/pool"),
          .device = text_at(result, "/device"),
          .share_id = share.empty() ? std::nullopt : std::optional(share),
          .subrequest = slash == std::string::npos ? "" : request.substr(slash + 1)};
}

}  // namespace

bool is_claim(const node::ClaimRef& ref) {
  return runtime::can_be_name(ref.namespace_) && runtime::can_be_name(ref.name) &&
         runtime::FileName::parse("UID", ref.uid);
}

std::expected<AllocatedClaim, std::string> read_claim(const node::ClaimRef& meant,
                                                      const std::string& driver, std::string json) {
  const auto refuse = [&](std::string_view why) {
    return std::unexpected(fmt::format("claim {}/{} {}", meant.namespace_, meant.name, why));
  };
  const auto whole = parse_json(json);
  if (!whole) return refuse("is " + whole.error().message);
  const value* const allocation = find_at(*whole, "/status/allocation");
  if (allocation == nullptr || allocation->is_null()) return refuse("not allocated");
  if (text_at(*whole, "/metadata/uid") != meant.uid) return refuse("got replaced");
  AllocatedClaim claim{.ref = meant, .devices = {}, .json = std::move(json)};
  // Written by anyone who makes a claim, and part of a path in containers.
  std::string pod_claim_name =
      text_at(*whole, "/metadata/annotations/resource.kubernetes.io~1pod-claim-name");
  if (runtime::can_be_label(pod_claim_name)) claim.pod_claim_name = std::move(pod_claim_name);
  for (const value& result : array_at(*allocation, "/devices/results")) {
    if (text_at(result, "/driver") == driver) claim.devices.push_back(read_device(result));
  }
  return claim;
}

}  // namespace dcm::driver_kit
