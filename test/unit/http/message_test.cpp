#include "runtime/http/message.hpp"

#include <gtest/gtest.h>

#include "runtime/http/http1_encode.hpp"
#include "runtime/http/stream.hpp"

namespace dcm::http {
namespace {

TEST(Headers, names_compare_without_case) {
  const Headers headers{{"Content-Type", "application/json"}};
  EXPECT_EQ(headers.find("content-type"), "application/json");
  EXPECT_EQ(headers.find("content-typ"), std::nullopt);
}

TEST(Headers, find_gives_the_first_and_set_replaces_all) {
  Headers headers{{"Warning", "a"}, {"Accept", "x"}, {"warning", "b"}};
  EXPECT_EQ(headers.find("Warning"), "a");
  headers.set("WARNING", "c");
  EXPECT_EQ(headers.find("Warning"), "c");
  EXPECT_EQ(headers.size(), 2U);
}

TEST(Method, each_is_found_by_its_name_and_nothing_else_is) {
  EXPECT_EQ(method_from("DELETE"), Method::delete_);
  EXPECT_EQ(method_from("HEAD"), Method::head);
  EXPECT_EQ(method_from("get"), std::nullopt);
  EXPECT_EQ(method_from("OPTIONS"), std::nullopt);
}

TEST(Response, its_status_is_named_for_clients_that_show_the_name) {
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

TEST(Endpoint, an_ipv6_address_is_bracketed) {
  EXPECT_EQ((Endpoint{Security::tls, "::1", 6443}).url(), "https://[::1]:6443");
  EXPECT_EQ((Endpoint{Security::plain, "localhost", 80}).url(), "http://localhost:80");
}

}  // namespace
}  // namespace dcm::http
