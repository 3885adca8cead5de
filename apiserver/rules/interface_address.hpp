// Addresses of network interfaces with their masks, "10.9.8.7/24" (apimachinery's
// IsValidInterfaceAddress).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dcm::apiserver {

// The address as Go writes it, with its mask: RFC 5952 for IPv6, IPv4-mapped IPv6 as IPv4. Leading
// zeros of an IPv4 part are ignored. nullopt if it is no address with a mask.
std::optional<std::string> canonical_interface_address(std::string_view text);

}  // namespace dcm::apiserver
