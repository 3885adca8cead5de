// Validates how devices are selected and configured, by classes, claims and allocations.
#pragma once

#include <cstddef>
#include <string>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

void validate_device_selectors(const JsonArray& selectors, const std::string& path, Causes& causes);

// JSON that Kubernetes passes on unchanged: an object of limited size.
void validate_raw_object(const Json& value, const std::string& path, std::size_t bytes_max,
                         Causes& causes);
inline constexpr std::size_t kConfigurationsMax = 32;  // of a claim, of a class
// Configuration for drivers, of claims, classes and allocations.
void validate_configuration(const JsonObject& configuration, const std::string& path,
                            Causes& causes);
void validate_configurations(const JsonArray& configurations, const std::string& path,
                             Causes& causes);

}  // namespace dcm::apiserver
