#include "runtime/one_line.hpp"

#include <gtest/gtest.h>

namespace dcm::runtime {
namespace {

TEST(OneLine, escapes_control_characters_only) {
  EXPECT_EQ(one_line("a\r\nb\tc\x1b[2J\x7f"), "a  b c [2J ");
  EXPECT_EQ(one_line("größer \"als\" 5 日本 😀"), "größer \"als\" 5 日本 😀");
  EXPECT_EQ(one_line(""), "");
}

TEST(PlainLines, keeps_line_breaks_but_no_terminal_commands) {
  EXPECT_EQ(plain_lines("a\nb\n"), "a\nb\n");
  EXPECT_EQ(plain_lines("a\x1b[2J\r\nb\u202e\tc"), "a [2J \nb  c");
}

TEST(OneLine, escapes_terminal_commands_and_bidirectional_text) {
  EXPECT_EQ(one_line("a\xc2\x9b"
                     "31mb"),
            "a 31mb")
      << "CSI as one character of C1";
  EXPECT_EQ(one_line("a\x9b"
                     "b\xff"
                     "c\xe2\x80"),
            "a b c  ")
      << "bytes that are no UTF-8";
  EXPECT_EQ(one_line("pod\u202egnp.exe\u2066x\u2069\u061c\u200f\u2028"), "pod gnp.exe x    ");
  EXPECT_EQ(one_line("\xc0\x8a\xed\xa0\x80\xf4\x90\x80\x80"), std::string(9, ' '))
      << "too long, a surrogate, beyond Unicode";
}

TEST(CutUtf8, ends_between_characters) {
  EXPECT_EQ(cut_utf8("abc", 3), "abc");
  EXPECT_EQ(cut_utf8("abcd", 3), "abc");
  EXPECT_EQ(cut_utf8("", 0), "");
  constexpr std::string_view kMixed = "a\u00e4\u20ac\U0001f680z";  // 1, 2, 3, 4 and 1 bytes
  constexpr std::size_t kEnds[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11};
  for (std::size_t most = 0; most < std::size(kEnds); ++most) {
    EXPECT_EQ(cut_utf8(kMixed, most), kMixed.substr(0, kEnds[most])) << most;
  }
}

TEST(CutUtf8, stays_within_invalid_text) {
  EXPECT_EQ(cut_utf8("ab\x80\x80\x80", 4), "a");
  EXPECT_EQ(cut_utf8("\x80\x80\x80\x80", 2), "");
  EXPECT_EQ(cut_utf8("ab\xe2", 3), "ab\xe2") << "short enough: nothing is checked";
}

TEST(ValidUtf8, keeps_or_replaces_each_byte) {
  EXPECT_EQ(valid_utf8("plain, \xC3\xA4, \xE2\x82\xAC, \xF0\x9F\x9A\x80"),
            "plain, \xC3\xA4, \xE2\x82\xAC, \xF0\x9F\x9A\x80");
  constexpr std::string_view kBad[] = {
      "\xFF", "\xC3", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82"};
  for (const auto bad : kBad) {
    std::string replaced;
    for (std::size_t i = 0; i < bad.size(); ++i) replaced += "\xEF\xBF\xBD";
    EXPECT_EQ(valid_utf8(bad), replaced);
  }
}

}  // namespace
}  // namespace dcm::runtime
