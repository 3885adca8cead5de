#include "runtime/base64.hpp"

#include <gtest/gtest.h>

namespace dcm::runtime {
namespace {

struct Vector {
  std::string bytes;
  std::string text;
};

TEST(Base64, matches_rfc_4648_vectors) {
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

TEST(Base64, restores_every_byte) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
  EXPECT_EQ(decode_base64(encode_base64(bytes)), bytes);
}

TEST(Base64, skips_line_breaks) {
  EXPECT_EQ(decode_base64("Zm9v\r\nYmFy\n"), "foobar");
}

TEST(Base64, rejects_invalid_input) {
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

TEST(Base64Url, omits_padding_and_special_characters) {
  EXPECT_EQ(encode_base64_url("\xfb\xff\xfe!"), "-__-IQ");
  EXPECT_EQ(decode_base64_url("-__-IQ"), "\xfb\xff\xfe!");
  EXPECT_EQ(encode_base64_url(""), "");
  EXPECT_EQ(decode_base64_url(""), "");
  EXPECT_EQ(decode_base64_url("Z"), std::nullopt);
}

}  // namespace
}  // namespace dcm::runtime
