// Validates devices, their taints and requests (k8s.io/kubernetes pkg/apis/resource/validation):
// texts and fields match the real server. Expressions are not compiled; counters, request policies
// and binding conditions are not checked.
#pragma once

#include <string>

#include "apiserver/rules/strategy.hpp"

namespace dcm::apiserver {

void validate_driver_name(std::string_view name, const std::string& path, Causes& causes);
// Names separated by slashes.
void validate_pool_name(std::string_view name, const std::string& path, Causes& causes);
// The same two in allocations, and drivers in configuration: the texts differ, as in the real
// server.
void validate_caseless_driver_name(std::string_view name, const std::string& path, Causes& causes);
void validate_allocated_pool_name(std::string_view name, const std::string& path, Causes& causes);
// Of a slice, `spec.devices`.
void validate_devices(const JsonObject& slice_spec, const std::string& path, Causes& causes);

void validate_device_taint(const JsonObject& taint, const std::string& path, Causes& causes);
void validate_device_toleration(const JsonObject& toleration, const std::string& path,
                                Causes& causes);
// As offered by a device class.
void validate_extended_resource_name(std::string_view name, const std::string& path,
                                     Causes& causes);
void validate_device_selectors(const JsonArray& selectors, const std::string& path, Causes& causes);
// "domain/name", as constraints name an attribute.
void validate_full_attribute_name(std::string_view name, const std::string& path, Causes& causes);

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
