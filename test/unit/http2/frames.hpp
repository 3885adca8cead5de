// Handmade HTTP/2 frames, for peers that no library implements.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dcm::http2 {

inline constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
inline constexpr std::uint8_t kEndStream = 0x1, kAck = 0x1, kEndHeaders = 0x4;

inline std::string big_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text.push_back(static_cast<char>(value >> (8 * i)));
  return text;
}

inline std::string frame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream,
                         std::string_view payload) {
  return big_endian(payload.size(), 3) + big_endian(type, 1) + big_endian(flags, 1) +
         big_endian(stream, 4) + std::string(payload);
}

inline std::string data(std::uint32_t stream, std::string_view bytes, std::uint8_t flags = 0) {
  return frame(0x0, flags, stream, bytes);
}
inline std::string headers(std::uint32_t stream, std::string_view block,
                           std::uint8_t flags = kEndHeaders) {
  return frame(0x1, flags, stream, block);
}
inline std::string reset(std::uint32_t stream, std::uint32_t code) {
  return frame(0x3, 0, stream, big_endian(code, 4));
}
inline std::string settings(std::string_view payload = "") {
  return frame(0x4, 0, 0, payload);
}
inline std::string setting(std::uint16_t name, std::uint32_t value) {
  return big_endian(name, 2) + big_endian(value, 4);
}
inline std::string ping() {
  return frame(0x6, 0, 0, "12345678");
}
inline std::string go_away(std::uint32_t last_stream, std::uint32_t code = 0) {
  return frame(0x7, 0, 0, big_endian(last_stream, 4) + big_endian(code, 4));
}
inline std::string window(std::uint32_t stream, std::uint32_t by) {
  return frame(0x8, 0, stream, big_endian(by, 4));
}
inline std::string continuation(std::uint32_t stream, std::string_view block,
                                std::uint8_t flags = 0) {
  return frame(0x9, flags, stream, block);
}

// A field that enters no table (RFC 7541, 6.2.2), with parts of less than 127 bytes.
inline std::string literal(std::string_view name, std::string_view value) {
  return big_endian(0, 1) + big_endian(name.size(), 1) + std::string(name) +
         big_endian(value.size(), 1) + std::string(value);
}
// ":status: 200", and ":method: GET", ":scheme: http", ":path: /" (RFC 7541, Appendix A), and the
// authority.
inline const std::string kStatus200 = "\x88";
inline const std::string kGetRoot = "\x82\x86\x84" + literal(":authority", "h");

}  // namespace dcm::http2
