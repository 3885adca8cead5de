#include "runtime/uuid.hpp"

#include <cstdint>

#include <fmt/format.h>

namespace dcm::runtime {

std::string make_uuid(Rng& rng) {
  const std::uint64_t high = (rng.next() & 0xffff'ffff'ffff'0fff) | 0x4000;
  const std::uint64_t low = (rng.next() & 0x3fff'ffff'ffff'ffff) | 0x8000'0000'0000'0000;
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, high >> 16 & 0xffff,
                     high & 0xffff, low >> 48, low & 0xffff'ffff'ffff);
}

}  // namespace dcm::runtime
