// Addresses of network interfaces with their masks, "10.9.8.7/24" (apimachinery's
// IsValidInterfaceAddress).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dcm::apiserver {

// How Go writes the address, with its mask: RFC 5952 for IPv6, IPv4 inside of IPv6 as IPv4. Zeros
// in front of an IPv4 part are passed over. nullopt for what is no address with a mask.
std::optional<std::string> canonical_interface_address(std::string_view text);

}  // namespace dcm::apiserver
