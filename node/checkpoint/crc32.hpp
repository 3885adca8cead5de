// CRC-32 like Go's crc32.ChecksumIEEE; computed by zlib.
#pragma once

#include <cstdint>
#include <string_view>

namespace dcm::node {

std::uint32_t crc32(std::string_view bytes) noexcept;

}  // namespace dcm::node
