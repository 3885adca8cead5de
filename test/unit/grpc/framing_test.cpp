#include "runtime/grpc/framing.hpp"

#include <gtest/gtest.h>

#include "runtime/virtual_time.hpp"

namespace dcm::grpc {
namespace {

using namespace std::chrono_literals;

TEST(GrpcFraming, restores_messages_however_split) {
  const std::string bytes = encode_message("first") + encode_message("") + encode_message("third");
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    MessageReader reader(100);
    std::string all;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      reader.put(std::string_view(bytes).substr(at, piece));
      while (const auto message = reader.take().value()) all += "[" + *message + "]";
    }
    EXPECT_EQ(all, "[first][][third]");
    EXPECT_TRUE(reader.is_between_messages());
  }
}

// If each message moved the others, this would take hours.
TEST(GrpcFraming, takes_many_small_messages_at_once) {
  constexpr std::size_t kMessages = 4'000'000;
  MessageReader reader(100);
  reader.put(std::string(kMessages * encode_message("").size(), '\0'));
  std::size_t taken = 0;
  while (reader.take().value()) ++taken;
  EXPECT_EQ(taken, kMessages);
  EXPECT_TRUE(reader.is_between_messages());
}

TEST(GrpcFraming, rejects_large_message_by_length_alone) {
  MessageReader reader(4);
  reader.put(encode_message("five!").substr(0, 5));
  EXPECT_EQ(reader.take().error().code, Code::resource_exhausted);
}

TEST(GrpcFraming, rejects_compressed_message) {
  MessageReader reader(4);
  reader.put(std::string_view("\1\0\0\0\0", 5));
  EXPECT_EQ(reader.take().error().code, Code::unimplemented);
}

TEST(GrpcFraming, writes_timeout_in_finest_unit_of_eight_digits) {
  runtime::VirtualTime time;
  const struct {
    runtime::Duration left;
    const char* text;
  } rows[] = {{0ns, "0n"},
              {1ns, "1n"},
              {99'999'999ns, "99999999n"},
              {100ms, "100000u"},
              {45s, "45000000u"},
              {100s, "100000m"},
              {28h, "100800S"},
              {100ms + 1ns, "100001u"}};
  for (const auto& row : rows) {
    EXPECT_EQ(encode_timeout(runtime::Deadline::after(time, row.left), time), row.text);
  }
  EXPECT_EQ(encode_timeout({}, time), std::nullopt);
}

TEST(GrpcFraming, reads_valid_timeouts_only) {
  EXPECT_EQ(decode_timeout("45000000u"), 45s);
  EXPECT_EQ(decode_timeout("1H"), 1h);
  EXPECT_EQ(decode_timeout("99999999H"), runtime::Duration::max());
  for (const char* const bad : {"", "1", "S", "-1S", "1 S", "1s", "123456789S", "1.5S", "1SS"}) {
    EXPECT_FALSE(decode_timeout(bad)) << bad;
  }
}

TEST(GrpcFraming, escapes_any_bytes_in_status_message) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
  EXPECT_EQ(percent_decode(percent_encode(all)), all);
  for (const char c : percent_encode(all)) EXPECT_TRUE(c >= ' ' && c <= '~');
  EXPECT_EQ(percent_decode("100%"), "100%");
  EXPECT_EQ(percent_decode("%zz%4"), "%zz%4");
}

TEST(GrpcFraming, repairs_status_message_that_is_not_utf8) {
  http::Headers fields;
  add_status(fields, {Code::internal, "caf\xc3\xa9 \xff\xc3"});
  const auto status = read_status(fields);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->message, "caf\u00e9 \ufffd\ufffd");
}

TEST(GrpcFraming, maps_unknown_status_to_unknown) {
  for (const char* const text : {"17", "-1", "", "x", "99999999999999999999"}) {
    EXPECT_EQ(code_from_number(text), Code::unknown) << text;
  }
  EXPECT_EQ(code_from_number("14"), Code::unavailable);
}

TEST(GrpcFraming, maps_http_status_to_code) {
  const struct {
    int status;
    Code code;
  } rows[] = {{400, Code::internal},          {401, Code::unauthenticated},
              {403, Code::permission_denied}, {404, Code::unimplemented},
              {429, Code::unavailable},       {502, Code::unavailable},
              {503, Code::unavailable},       {504, Code::unavailable},
              {500, Code::unknown},           {302, Code::unknown}};
  for (const auto& row : rows) EXPECT_EQ(code_from_http(row.status), row.code) << row.status;
}

TEST(GrpcFraming, recognizes_content_types) {
  for (const char* const good :
       {"application/grpc", "application/grpc+proto", "application/grpc;x=y"}) {
    EXPECT_TRUE(is_grpc(good)) << good;
  }
  for (const char* const bad : {"", "application/grpcweb", "application/grpc-web", "text/plain"}) {
    EXPECT_FALSE(is_grpc(bad)) << bad;
  }
}

}  // namespace
}  // namespace dcm::grpc
