#include "runtime/base64.hpp"

#include <algorithm>
#include <utility>

#include <openssl/evp.h>

namespace dcm::runtime {
namespace {

unsigned char* bytes_of(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

bool is_break(char c) {
  return c == '\n' || c == '\r';
}

std::size_t skip_breaks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_break(text[at])) ++at;
  return at;
}

}  // namespace

std::string encode_base64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // OpenSSL adds a NUL
  EVP_EncodeBlock(bytes_of(text), bytes_of(bytes), static_cast<int>(bytes.size()));
  text.pop_back();
  return text;
}

std::expected<std::string, std::size_t> decode_base64(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  unsigned bits = 0;
  std::size_t digits = 0;  // of four that make three bytes
  std::size_t at = 0;
  for (; at < text.size() && text[at] != '='; ++at) {
    if (is_break(text[at])) continue;
    const auto value = kAlphabet.find(text[at]);
    if (value == kAlphabet.npos) return std::unexpected(at);
    bits = bits << 6U | static_cast<unsigned>(value);
    if (++digits == 4) {
      for (const unsigned shift : {16U, 8U, 0U}) bytes += static_cast<char>(bits >> shift);
      bits = 0;
      digits = 0;
    }
  }
  if (at == text.size()) {
    if (digits != 0) return std::unexpected(at - digits);
    return bytes;
  }
  if (digits < 2) return std::unexpected(at);
  at = skip_breaks(text, at + 1);
  if (digits == 2) {
    if (at == text.size()) return std::unexpected(at);
    if (text[at] != '=') return std::unexpected(at - 1);
    at = skip_breaks(text, at + 1);
  }
  if (at < text.size()) return std::unexpected(at);
  bits <<= 6U * (4U - static_cast<unsigned>(digits));
  bytes += static_cast<char>(bits >> 16U);
  if (digits == 3) bytes += static_cast<char>(bits >> 8U);
  return bytes;
}

std::string encode_base64_url(std::string_view bytes) {
  std::string text = encode_base64(bytes);
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  text.resize(std::min(text.find('='), text.size()));
  return text;
}

std::optional<std::string> decode_base64_url(std::string_view text) {
  std::string standard(text);
  std::ranges::replace(standard, '-', '+');
  std::ranges::replace(standard, '_', '/');
  standard.append((4 - standard.size() % 4) % 4, '=');
  auto bytes = decode_base64(standard);
  if (!bytes) return std::nullopt;
  return std::move(*bytes);
}

}  // namespace dcm::runtime
