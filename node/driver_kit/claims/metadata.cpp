#include "node/driver_kit/claims/metadata.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/stream_parser.hpp>
#include <fmt/format.h>

#include "node/driver_kit/json.hpp"

namespace dcm::driver_kit {
namespace {

namespace json = boost::json;

constexpr std::array<const char*, 2> kVersions = {"v1beta1", "v1alpha1"};  // newest first
constexpr const char* kFolder = "/var/run/kubernetes.io/dra-device-attributes";

std::string in_all_versions(json::object document) {
  std::string file;
  for (const char* version : kVersions) {
    document["apiVersion"] = fmt::format("metadata.resource.k8s.io/{}", version);
    file += json::serialize(document) + "\n";
  }
  return file;
}

void set_metadata(json::object& device, const DeviceMetadata& metadata) {
  if (!metadata.attributes.empty()) device["attributes"] = metadata.attributes;
  if (!metadata.network_data.empty()) device["networkData"] = metadata.network_data;
}

const PreparedDevice* find_prepared(const PreparedClaim& claim, const AllocatedDevice& device) {
  const auto found = std::ranges::find_if(claim.devices, [&](const PreparedDevice& each) {
    return each.pool == device.pool && each.device == device.device &&
           each.share_id == device.share_id;
  });
  return found == claim.devices.end() ? nullptr : &*found;
}

// "gpu", or "gpu/large" if one of several was chosen.
std::string full_name(const AllocatedClaim& claim, const std::string& request) {
  const auto found = std::ranges::find(claim.devices, request, &AllocatedDevice::request);
  const bool has_subrequest = found != claim.devices.end() && !found->subrequest.empty();
  return has_subrequest ? request + "/" + found->subrequest : request;
}

json::value first_document(std::string_view file) {
  json::stream_parser parser;
  boost::system::error_code problem;
  parser.write_some(file, problem);
  return problem || !parser.done() ? json::value() : parser.release();
}

}  // namespace

std::map<std::string, std::vector<RequestDevice>> devices_by_request(
    const AllocatedClaim& claim, const PreparedClaim& prepared) {
  std::map<std::string, std::vector<RequestDevice>> found;
  for (const AllocatedDevice& each : claim.devices) {
    const PreparedDevice* const device = find_prepared(prepared, each);
    found[each.request].push_back(
        {each.pool, each.device, device != nullptr ? device->metadata : DeviceMetadata()});
  }
  return found;
}

std::string metadata_file(const AllocatedClaim& claim, const std::string& driver,
                          const std::string& request, const std::vector<RequestDevice>& devices) {
  json::array list;
  for (const RequestDevice& each : devices) {
    json::object device{{"driver", driver}, {"pool", each.pool}, {"name", each.device}};
    set_metadata(device, each.metadata);
    list.push_back(std::move(device));
  }
  json::object document{{"kind", "DeviceMetadata"},
                        {"apiVersion", ""},
                        {"metadata", json::object{{"name", claim.ref.name},
                                                  {"namespace", claim.ref.namespace_},
                                                  {"uid", claim.ref.uid},
                                                  {"generation", 1}}}};
  if (!claim.pod_claim_name.empty()) document["podClaimName"] = claim.pod_claim_name;
  document["requests"] =
      json::array{json::object{{"name", full_name(claim, request)}, {"devices", std::move(list)}}};
  return in_all_versions(std::move(document));
}

std::expected<std::string, std::string> updated_metadata(
    std::string_view file, const std::string& uid, const std::vector<RequestDevice>& devices) {
  json::value document = first_document(file);
  boost::system::error_code none;
  json::value* const list = document.find_pointer("/requests/0/devices", none);
  json::value* const generation = document.find_pointer("/metadata/generation", none);
  if (list == nullptr || !list->is_array() || generation == nullptr || !generation->is_int64() ||
      generation->get_int64() == std::numeric_limits<std::int64_t>::max()) {
    return std::unexpected("is not a file of device metadata");
  }
  if (text_at(document, "/metadata/uid") != uid) {
    return std::unexpected("is of another claim of that name");
  }
  for (const RequestDevice& each : devices) {
    const auto found = std::ranges::find_if(list->get_array(), [&](const json::value& device) {
      return device.is_object() && text_at(device, "/pool") == each.pool &&
             text_at(device, "/name") == each.device;
    });
    if (found == list->get_array().end()) {
      return std::unexpected(fmt::format("has no device {}/{}", each.pool, each.device));
    }
    set_metadata(found->as_object(), each.metadata);
  }
  ++generation->get_int64();
  return in_all_versions(std::move(document.as_object()));
}

std::string metadata_path_in_container(const AllocatedClaim& claim, const std::string& driver,
                                       const std::string& request) {
  const bool is_from_template = !claim.pod_claim_name.empty();
  return fmt::format("{}/{}/{}/{}/{}-metadata.json", kFolder,
                     is_from_template ? "resourceclaimtemplates" : "resourceclaims",
                     is_from_template ? claim.pod_claim_name : claim.ref.name, request, driver);
}

}  // namespace dcm::driver_kit
