#include "runtime/grpc/framing.hpp"

#include <gtest/gtest.h>

#include "runtime/virtual_time.hpp"

namespace dcm::grpc {
namespace {

using namespace std::chrono_literals;

TEST(GrpcFraming, messages_come_out_as_they_went_in_however_the_bytes_are_cut) {
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

TEST(GrpcFraming, a_message_that_is_too_large_is_refused_by_its_length_alone) {
  MessageReader reader(4);
  reader.put(encode_message("five!").substr(0, 5));
  EXPECT_EQ(reader.take().error().code, Code::resource_exhausted);
}

TEST(GrpcFraming, a_compressed_message_is_refused) {
  MessageReader reader(4);
  reader.put(std::string_view("\1\0\0\0\0", 5));
  EXPECT_EQ(reader.take().error().code, Code::unimplemented);
}

TEST(GrpcFraming, a_timeout_takes_the_finest_unit_that_fits_in_eight_digits) {
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

TEST(GrpcFraming, timeouts_are_read_and_others_refused) {
  EXPECT_EQ(decode_timeout("45000000u"), 45s);
  EXPECT_EQ(decode_timeout("1H"), 1h);
  EXPECT_EQ(decode_timeout("99999999H"), runtime::Duration::max());
  for (const char* const bad : {"", "1", "S", "-1S", "1 S", "1s", "123456789S", "1.5S", "1SS"}) {
    EXPECT_FALSE(decode_timeout(bad)) << bad;
  }
}

TEST(GrpcFraming, a_message_of_any_bytes_survives_a_header) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
  EXPECT_EQ(percent_decode(percent_encode(all)), all);
  for (const char c : percent_encode(all)) EXPECT_TRUE(c >= ' ' && c <= '~');
  EXPECT_EQ(percent_decode("100%"), "100%");
  EXPECT_EQ(percent_decode("%zz%4"), "%zz%4");
}

TEST(GrpcFraming, a_status_that_gRPC_does_not_have_is_unknown) {
  for (const char* const text : {"17", "-1", "", "x", "99999999999999999999"}) {
    EXPECT_EQ(code_from_number(text), Code::unknown) << text;
  }
  EXPECT_EQ(code_from_number("14"), Code::unavailable);
}

TEST(GrpcFraming, a_status_of_HTTP_has_its_code) {
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

TEST(GrpcFraming, content_types_of_gRPC) {
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
