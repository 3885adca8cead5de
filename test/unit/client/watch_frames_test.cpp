#include "client/request/watch_frames.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace dcm::client {
namespace {

using runtime::Reason;
using Frames = std::vector<std::string>;

// All frames of `pieces`, concatenated.
Frames frames_of(WatchFrames& splitter, const std::vector<std::string_view>& pieces) {
  Frames frames;
  for (const std::string_view piece : pieces) {
    splitter.put(piece);
    while (true) {
      const auto frame = splitter.next();
      if (!frame || !*frame) break;
      frames.emplace_back(**frame);
    }
  }
  return frames;
}

constexpr std::string_view kStream = "{\"a\":1}\n\n{\"b\":[2]}\r\n \n{\"c\":\"x\\ny\"}\n{}\n";
const Frames kExpected = {"{\"a\":1}", "{\"b\":[2]}\r", "{\"c\":\"x\\ny\"}", "{}"};

TEST(WatchFrames, reads_one_piece) {
  WatchFrames splitter;
  EXPECT_EQ(frames_of(splitter, {kStream}), kExpected);
  EXPECT_TRUE(splitter.finish());
}

TEST(WatchFrames, reads_same_frames_however_split) {
  for (std::size_t first = 0; first <= kStream.size(); ++first) {
    for (std::size_t second = first; second <= kStream.size(); ++second) {
      WatchFrames splitter;
      const Frames frames =
          frames_of(splitter, {kStream.substr(0, first), kStream.substr(first, second - first),
                               kStream.substr(second)});
      ASSERT_EQ(frames, kExpected) << "cut at " << first << " and " << second;
      ASSERT_TRUE(splitter.finish());
    }
  }
}

TEST(WatchFrames, reads_byte_by_byte) {
  std::vector<std::string_view> pieces;
  for (std::size_t i = 0; i < kStream.size(); ++i) pieces.push_back(kStream.substr(i, 1));
  WatchFrames splitter;
  EXPECT_EQ(frames_of(splitter, pieces), kExpected);
}

TEST(WatchFrames, reports_end_within_frame) {
  WatchFrames splitter;
  EXPECT_EQ(frames_of(splitter, {"{}\n{\"half"}), Frames{"{}"});
  const auto end = splitter.finish();
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().reason, Reason::disconnected);
}

TEST(WatchFrames, accepts_end_after_blanks) {
  WatchFrames splitter;
  EXPECT_EQ(frames_of(splitter, {"{}\n \r"}), Frames{"{}"});
  EXPECT_TRUE(splitter.finish());
}

TEST(WatchFrames, accepts_frame_up_to_limit) {
  const std::string at_bound(8, 'x');
  WatchFrames enough(api::Format::json, 8);
  EXPECT_EQ(frames_of(enough, {"xxxxx", "xxx\n"}), Frames{at_bound});

  const std::vector<std::vector<std::string_view>> rows = {
      {"xxxxxxxxx\n"}, {"xxxxxxxxx"}, {"xxxxx", "xxxx\n"}, {"xxxxx", "xxxx"}};
  for (const auto& pieces : rows) {
    WatchFrames too_small(api::Format::json, 8);
    EXPECT_EQ(frames_of(too_small, {pieces.begin(), pieces.end() - 1}), Frames{});
    too_small.put(pieces.back());
    const auto frame = too_small.next();
    ASSERT_FALSE(frame) << pieces.back();
    EXPECT_EQ(frame.error().reason, Reason::body_too_large);
  }
}

// Two frames, one without bytes between them.
constexpr std::string_view kBinary("\0\0\0\3a\nb\0\0\0\0\0\0\0\1c", 16);

TEST(WatchFrames, reads_same_length_prefixed_frames_however_split) {
  for (std::size_t first = 0; first <= kBinary.size(); ++first) {
    for (std::size_t second = first; second <= kBinary.size(); ++second) {
      WatchFrames splitter(api::Format::protobuf);
      const Frames frames =
          frames_of(splitter, {kBinary.substr(0, first), kBinary.substr(first, second - first),
                               kBinary.substr(second)});
      ASSERT_EQ(frames, (Frames{"a\nb", "c"})) << "cut at " << first << " and " << second;
      ASSERT_TRUE(splitter.finish());
    }
  }
}

TEST(WatchFrames, reports_end_within_length_prefixed_frame) {
  for (std::size_t length = 1; length < 7; ++length) {
    WatchFrames splitter(api::Format::protobuf);
    EXPECT_EQ(frames_of(splitter, {kBinary.substr(0, length)}), Frames{});
    EXPECT_FALSE(splitter.finish()) << length;
  }
}

TEST(WatchFrames, rejects_length_above_limit_before_bytes_arrive) {
  for (const std::vector<std::string_view>& pieces :
       {std::vector<std::string_view>{{"\0\0\0\x09", 4}}, {{"\0\0", 2}, {"\0\x09", 2}}}) {
    WatchFrames too_small(api::Format::protobuf, 8);
    EXPECT_EQ(frames_of(too_small, {pieces.begin(), pieces.end() - 1}), Frames{});
    too_small.put(pieces.back());
    const auto frame = too_small.next();
    ASSERT_FALSE(frame);
    EXPECT_EQ(frame.error().reason, Reason::body_too_large);
  }
}

}  // namespace
}  // namespace dcm::client
