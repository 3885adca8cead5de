#include "runtime/base64.hpp"

#include <algorithm>

#include <openssl/evp.h>

namespace dcm::runtime {
namespace {

unsigned char* bytes_of(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

std::string encode_base64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // OpenSSL adds a NUL
  EVP_EncodeBlock(bytes_of(text), bytes_of(bytes), static_cast<int>(bytes.size()));
  text.pop_back();
  return text;
}

std::optional<std::string> decode_base64(std::string_view text) {
  std::string kept(text);
  std::erase_if(kept, [](char c) { return c == '\n' || c == '\r'; });
  std::string bytes(kept.size(), '\0');
  const int size = EVP_DecodeBlock(bytes_of(bytes), bytes_of(std::string_view(kept)),
                                   static_cast<int>(kept.size()));
  const auto padding = std::ranges::count(kept, '=');
  if (size < padding) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(size - padding));
  // OpenSSL accepts surrounding blanks, padding in the middle, and stray bits.
  if (encode_base64(bytes) != kept) return std::nullopt;
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
  return decode_base64(standard);
}

}  // namespace dcm::runtime
