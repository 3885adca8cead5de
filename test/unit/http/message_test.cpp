#include "runtime/http/message.hpp"

#include <gtest/gtest.h>

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

TEST(Endpoint, an_ipv6_address_is_bracketed) {
  EXPECT_EQ((Endpoint{Security::tls, "::1", 6443}).url(), "https://[::1]:6443");
  EXPECT_EQ((Endpoint{Security::plain, "localhost", 80}).url(), "http://localhost:80");
}

}  // namespace
}  // namespace dcm::http
