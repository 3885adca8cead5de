// Metadata files for containers about a claim's devices (KEP-5304): one for each request, with the
// same content in each version of the API, newest first. Paths and names are the Go
// helper's, so that each can clean up the other's files.
#pragma once

#include <expected>
#include <map>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "node/driver_kit/driver.hpp"

namespace dcm::driver_kit {

// Details of a device in one request.
struct RequestDevice {
  std::string pool;
  std::string device;
  DeviceMetadata metadata = {};
};

// The devices of each request, in the order of the allocation, with the driver's details.
std::map<std::string, std::vector<RequestDevice>> devices_by_request(const AllocatedClaim& claim,
                                                                     const PreparedClaim& prepared);

// The file's content: a stream of JSON documents.
std::string metadata_file(const AllocatedClaim& claim, const std::string& driver,
                          const std::string& request, const std::vector<RequestDevice>& devices);

// The same file, one generation later, with updated details of these devices. Errors: `file` is not
// a metadata file, is of another claim than `uid`, or has no such device.
std::expected<std::string, std::string> updated_metadata(std::string_view file,
                                                         const std::string& uid,
                                                         const std::vector<RequestDevice>& devices);

// The file's path in the container.
std::string metadata_path_in_container(const AllocatedClaim& claim, const std::string& driver,
                                       const std::string& request);

}  // namespace dcm::driver_kit
