#include "client/leader_election/identity.hpp"

#include <fmt/format.h>

namespace dcm::leader_election {

// A UUID of version 4 (RFC 9562).
std::string make_identity(std::string_view host, runtime::Rng& rng) {
  const std::uint64_t high = (rng.next() & 0xffff'ffff'ffff'0fff) | 0x4000;
  const std::uint64_t low = (rng.next() & 0x3fff'ffff'ffff'ffff) | 0x8000'0000'0000'0000;
  return fmt::format("{}_{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", host, high >> 32,
                     high >> 16 & 0xffff, high & 0xffff, low >> 48, low & 0xffff'ffff'ffff);
}

}  // namespace dcm::leader_election
