#include "apiserver/text/protobuf_reader.hpp"

namespace dcm::apiserver {

std::optional<std::uint64_t> WireReader::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if ((byte & 0x80U) == 0) return value;
  }
  return std::nullopt;
}

std::optional<std::string_view> WireReader::take(std::uint64_t size) {
  if (size > rest_.size()) return std::nullopt;
  const std::string_view taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

std::optional<WireField> WireReader::fail() {
  broken_ = true;
  rest_ = {};
  return std::nullopt;
}

std::optional<WireField> WireReader::next() {
  while (!rest_.empty()) {
    const auto tag = varint();
    if (!tag) return fail();
    WireField field{.number = *tag >> 3U};
    switch (*tag & 7U) {
      case 0: {
        const auto value = varint();
        if (!value) return fail();
        field.value = *value;
        return field;
      }
      case 2: {
        const auto size = varint();
        const auto bytes = size ? take(*size) : std::nullopt;
        if (!bytes) return fail();
        field.bytes = *bytes;
        return field;
      }
      case 1:
        if (!take(8)) return fail();
        break;
      case 5:
        if (!take(4)) return fail();
        break;
      default:
        return fail();
    }
  }
  return std::nullopt;
}

}  // namespace dcm::apiserver
