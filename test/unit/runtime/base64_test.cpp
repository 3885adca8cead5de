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

TEST(Base64, ignores_bits_after_last_byte) {
  EXPECT_EQ(decode_base64("Zh=="), "f");
  EXPECT_EQ(decode_base64("Zm9="), "fo");
}

struct Invalid {
  std::string text;
  std::size_t at;  // where Go's decoder gives up
};

TEST(Base64, rejects_invalid_input) {
  for (const auto& [text, at] : std::vector<Invalid>{
           {"Zg", 0},        // no padding
           {"Zm9vZg", 4},    //
           {"Zg=", 3},       // half a padding
           {"Zg\n=\n", 5},   //
           {"Zg=Z", 2},      //
           {"Z===", 1},      // a single character encodes no byte
           {"====", 0},      // padding alone
           {"Zg==Zg==", 4},  // padding in the middle
           {"Zm8=\nZ", 5},   //
           {"Zm9 ", 3},      // a blank
           {"Zm-_", 2},      // the URL-safe alphabet
           {"Zm9\x80", 3},   // not ASCII
       }) {
    const auto bytes = decode_base64(text);
    ASSERT_FALSE(bytes) << text;
    EXPECT_EQ(bytes.error(), at) << text;
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
