#include "runtime/base64.hpp"

#include <gtest/gtest.h>

namespace dcm::runtime {
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

TEST(Base64Url, has_no_padding_and_no_signs_that_a_path_or_a_query_gives_a_meaning) {
  EXPECT_EQ(encode_base64_url("\xfb\xff\xfe!"), "-__-IQ");
  EXPECT_EQ(decode_base64_url("-__-IQ"), "\xfb\xff\xfe!");
  EXPECT_EQ(encode_base64_url(""), "");
  EXPECT_EQ(decode_base64_url(""), "");
  EXPECT_EQ(decode_base64_url("Z"), std::nullopt);
}

}  // namespace
}  // namespace dcm::runtime
