#include "runtime/http/url.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dcm::http {
namespace {

struct GoodUrl {
  std::string text;
  Endpoint endpoint;
  std::string path_prefix;
};

TEST(ParseUrl, good_urls) {
  const GoodUrl rows[] = {
      {"https://10.0.0.1:6443", {Security::tls, "10.0.0.1", 6443}, ""},
      {"https://api.example", {Security::tls, "api.example", 443}, ""},
      {"http://localhost/", {Security::plain, "localhost", 80}, ""},
      {"https://[::1]:6443/", {Security::tls, "::1", 6443}, ""},
      {"https://rancher.example/k8s/clusters/c%2D1/",
       {Security::tls, "rancher.example", 443},
       "/k8s/clusters/c%2D1"},
      {"HTTPS://Api.Example:1", {Security::tls, "Api.Example", 1}, ""},
  };
  for (const auto& row : rows) {
    const auto url = parse_url(row.text);
    ASSERT_TRUE(url) << row.text << ": " << url.error().message;
    EXPECT_EQ(url->endpoint, row.endpoint) << row.text;
    EXPECT_EQ(url->path_prefix, row.path_prefix) << row.text;
  }
}

TEST(ParseUrl, bad_urls_say_what_is_wrong) {
  const std::pair<std::string, std::string> rows[] = {
      {"", "http[s]://host"},          {"10.0.0.1:6443", "http[s]://host"},
      {"ftp://host", "scheme"},        {"https://", "host is missing"},
      {"https://host:0", "port"},      {"https://host:65536", "port"},
      {"https://host:six", "port"},    {"https://host/?watch=1", "query"},
      {"https://host/#x", "fragment"}, {"https://ho st/", "http[s]://host"},
  };
  for (const auto& [text, part] : rows) {
    const auto url = parse_url(text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().reason, runtime::Reason::configuration) << text;
    EXPECT_THAT(url.error().message, testing::HasSubstr(part)) << text;
  }
}

TEST(ParseUrl, a_secret_is_refused_and_not_repeated) {
  for (const std::string text :
       {"https://admin:hunter2@host", "https://admin:hunter2@ho st", "https://admin:hunter2@host:x",
        "https://host/?token=hunter2", "https://ho st/?token=hunter2", "https://host#hunter2"}) {
    const auto url = parse_url(text);
    ASSERT_FALSE(url) << text;
    EXPECT_THAT(url.error().message, testing::Not(testing::HasSubstr("hunter2"))) << text;
  }
}

}  // namespace
}  // namespace dcm::http
