#include "client/config/pem.hpp"

#include <gtest/gtest.h>

namespace dcm::client {
namespace {

TEST(Pem, requires_whole_block_of_expected_type) {
  const std::string certificate = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n";
  const std::string key = "-----BEGIN EC PRIVATE KEY-----\nAA==\n-----END EC PRIVATE KEY-----\n";
  EXPECT_TRUE(has_pem_block(certificate, PemKind::certificate));
  EXPECT_TRUE(has_pem_block("CN=ca\n" + key + certificate, PemKind::certificate));
  EXPECT_TRUE(has_pem_block(certificate + key, PemKind::private_key));
  EXPECT_FALSE(has_pem_block(key, PemKind::certificate));
  EXPECT_FALSE(has_pem_block(certificate, PemKind::private_key));
  EXPECT_FALSE(has_pem_block(certificate.substr(0, 40), PemKind::certificate));
  EXPECT_FALSE(has_pem_block("-----BEGIN ", PemKind::certificate));
  EXPECT_FALSE(has_pem_block("", PemKind::certificate));
}

}  // namespace
}  // namespace dcm::client
