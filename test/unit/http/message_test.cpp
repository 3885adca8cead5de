#include "runtime/http/message.hpp"

#include <gtest/gtest.h>

#include "runtime/http/http1_encode.hpp"
#include "runtime/http/stream.hpp"

namespace dcm::http {
namespace {

TEST(Headers, compare_names_case_insensitively) {
  const Headers headers{{"Content-Type", "application/json"}};
  EXPECT_EQ(headers.find("content-type"), "application/json");
  EXPECT_EQ(headers.find("content-typ"), std::nullopt);
}

TEST(Headers, find_first_and_replace_all) {
  Headers headers{{"Warning", "a"}, {"Accept", "x"}, {"warning", "b"}};
  EXPECT_EQ(headers.find("Warning"), "a");
  headers.set("WARNING", "c");
  EXPECT_EQ(headers.find("Warning"), "c");
  EXPECT_EQ(headers.size(), 2U);
}

TEST(Method, is_found_by_name_only) {
  EXPECT_EQ(method_from("DELETE"), Method::delete_);
  EXPECT_EQ(method_from("HEAD"), Method::head);
  EXPECT_EQ(method_from("get"), std::nullopt);
  EXPECT_EQ(method_from("OPTIONS"), std::nullopt);
}

TEST(Response, names_status_for_http1_clients) {
  const auto line = [](std::uint16_t status) {
    const Response response{.status = status, .headers = {}, .body = {}};
    const std::string head =
        encode_response_head(response, Framing::content_length, AfterAnswer::keep_alive, {});
    return head.substr(0, head.find('\r'));
  };
  EXPECT_EQ(line(422), "HTTP/1.1 422 Unprocessable Entity");
  EXPECT_EQ(line(429), "HTTP/1.1 429 Too Many Requests");
  EXPECT_EQ(line(299), "HTTP/1.1 299 ");
}

TEST(Endpoint, brackets_ipv6_address) {
  EXPECT_EQ((Endpoint{Security::tls, "::1", 6443}).url(), "https://[::1]:6443");
  EXPECT_EQ((Endpoint{Security::plain, "localhost", 80}).url(), "http://localhost:80");
}

}  // namespace
}  // namespace dcm::http
