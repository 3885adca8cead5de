#include "node/checkpoint/crc32.hpp"

#include <zlib.h>

namespace dcm::node {

std::uint32_t crc32(std::string_view bytes) noexcept {
  const auto* const data = reinterpret_cast<const Bytef*>(bytes.data());
  return static_cast<std::uint32_t>(::crc32_z(0, data, bytes.size()));
}

}  // namespace dcm::node
