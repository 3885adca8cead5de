// Validates the names of drivers, pools and extended resources.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

void validate_driver_name(std::string_view name, const std::string& path, Causes& causes);
// A pool name consists of names separated by slashes.
void validate_pool_name(std::string_view name, const std::string& path, Causes& causes);
// The same checks in allocations, and of drivers in configuration: the texts differ, as in the real
// server.
void validate_caseless_driver_name(std::string_view name, const std::string& path, Causes& causes);
void validate_allocated_pool_name(std::string_view name, const std::string& path, Causes& causes);
// The name of an extended resource that a device class offers.
void validate_extended_resource_name(std::string_view name, const std::string& path,
                                     Causes& causes);

}  // namespace dcm::apiserver
