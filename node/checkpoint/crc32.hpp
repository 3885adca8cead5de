// CRC-32 as in zlib and Go's crc32.ChecksumIEEE.
#pragma once

#include <cstdint>
#include <string_view>

namespace dcm::node {

std::uint32_t crc32(std::string_view bytes) noexcept;

}  // namespace dcm::node
