#include "runtime/http/sha256.hpp"

#include <array>

#include <openssl/sha.h>

namespace dcm::http {

std::string sha256(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> hash{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash.data());
  return {hash.begin(), hash.end()};
}

}  // namespace dcm::http
