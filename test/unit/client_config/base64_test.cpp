#include "client/config/base64.hpp"

#include <gtest/gtest.h>

#include "client/config/pem.hpp"

namespace dcm::client {
namespace {

struct Vector {
  std::string bytes;
  std::string text;
};

TEST(Base64, test_vectors_of_rfc_4648_go_both_ways) {
  for (const auto& [bytes, text] : std::vector<Vector>{{"", ""},
                                                       {"f", "Zg=="},
                                                       {"fo", "Zm8="},
                                                       {"foo", "Zm9v"},
                                                       {"foob", "Zm9vYg=="},
                                                       {"fooba", "Zm9vYmE="},
                                                       {"foobar", "Zm9vYmFy"}}) {
    EXPECT_EQ(encode_base64(bytes), text);
    EXPECT_EQ(decode_base64(text), bytes) << text;
  }
}

TEST(Base64, every_byte_comes_back) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
  EXPECT_EQ(decode_base64(encode_base64(bytes)), bytes);
}

TEST(Base64, line_breaks_are_skipped) {
  EXPECT_EQ(decode_base64("Zm9v\r\nYmFy\n"), "foobar");
}

TEST(Base64, refuses_what_is_not_base64) {
  for (const char* text : {
           "Zg",        // no padding
           "Zg=",       // half a padding
           "Z===",      // a single character encodes no byte
           "====",      // padding alone
           "Zg==Zg==",  // padding in the middle
           "Zh==",      // bits after the last byte
           "Zm9 ",      // a blank
           "Zm-_",      // the URL-safe alphabet
           "Zm9\x80",   // not ASCII
       }) {
    EXPECT_EQ(decode_base64(text), std::nullopt) << text;
  }
}

TEST(Pem, a_whole_block_of_the_wanted_kind_is_needed) {
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
