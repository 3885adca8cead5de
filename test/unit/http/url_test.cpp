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

TEST(ParseUrl, accepts_valid_urls) {
  const GoodUrl rows[] = {
      {"https://10.0.0.1:6443", {Security::tls, "10.0.0.1", 6443}, ""},
      {"https://api.example", {Security::tls, "api.example", 443}, ""},
      {"http://localhost/", {Security::plain, "localhost", 80}, ""},
      {"https://[::1]:6443/", {Security::tls, "::1", 6443}, ""},
      {"https://rancher.example/k8s/clusters/c%2D1/",
       {Security::tls, "rancher.example", 443},
       "/k8s/clusters/c%2D1"},
      {"HTTPS://Api.Example:1", {Security::tls, "Api.Example", 1}, ""},
      {"https://host:", {Security::tls, "host", 443}, ""},
      {"https://host/a/?watch=1#x", {Security::tls, "host", 443}, "/a"},
  };
  for (const auto& row : rows) {
    const auto url = parse_url(row.text);
    ASSERT_TRUE(url) << row.text << ": " << url.error().message;
    EXPECT_EQ(url->endpoint, row.endpoint) << row.text;
    EXPECT_EQ(url->path_prefix, row.path_prefix) << row.text;
  }
}

TEST(ParseUrl, shows_bad_url_on_one_line) {
  const std::string text = "10.0.0.1\n\x1b[2Jall is well";
  const std::string shown = "\"10.0.0.1  [2Jall is well\" is not a ";
  EXPECT_THAT(parse_url(text).error().message, testing::StartsWith(shown + "server URL"));
  EXPECT_EQ(parse_proxy_url(text).error().message.find_first_of("\r\n\x1b"), std::string::npos);
}

TEST(ParseUrl, explains_bad_urls) {
  const std::pair<std::string, std::string> rows[] = {
      {"", "http[s]://host"},
      {"10.0.0.1:6443", "http[s]://host"},
      {"ftp://host", "scheme"},
      {"https://", "host is missing"},
      {"https://host:0", "port"},
      {"https://host:65536", "the port is not 1 to 65535"},
      {"https://host:99999", "the port is not 1 to 65535"},
      {"https://host:18446744073709551617", "the port is not 1 to 65535"},
      {"https://host:six", "port"},
      {"https://ho st/", "http[s]://host"},
      {"https://[fd00::1]44:63", "after the host"},
  };
  for (const auto& [text, part] : rows) {
    const auto url = parse_url(text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().reason, runtime::Reason::configuration) << text;
    EXPECT_THAT(url.error().message, testing::HasSubstr(part)) << text;
  }
}

TEST(ParseUrl, decodes_user) {
  const auto url = parse_url("https://ada:p%40ss@host");
  ASSERT_TRUE(url) << url.error().message;
  EXPECT_EQ(url->user, (UrlUser{"ada", "p@ss"}));
  EXPECT_FALSE(parse_url("https://host")->user);
}

TEST(ParseUrl, hides_secrets) {
  for (const std::string text : {"https://admin:hunter2@ho st", "https://admin:hunter2@host:x",
                                 "ftp://admin:hunter2@host", "https://ho st/?token=hunter2"}) {
    const auto url = parse_url(text);
    ASSERT_FALSE(url) << text;
    EXPECT_THAT(url.error().message, testing::Not(testing::HasSubstr("hunter2"))) << text;
  }
}

TEST(ParseProxyUrl, accepts_http_and_https_with_optional_user) {
  const auto plain = parse_proxy_url("http://proxy.example");
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_EQ(plain->endpoint, (Endpoint{Security::plain, "proxy.example", 80}));
  EXPECT_FALSE(plain->user);
  const auto secured = parse_proxy_url("https://ada:p%40ss@[::1]:3128/");
  ASSERT_TRUE(secured) << secured.error().message;
  EXPECT_EQ(secured->endpoint, (Endpoint{Security::tls, "::1", 3128}));
  EXPECT_EQ(secured->user, (UrlUser{"ada", "p@ss"}));
  EXPECT_EQ(secured->protocol, ProxyProtocol::http_connect);
}

TEST(ParseProxyUrl, accepts_socks5_with_default_port_1080) {
  for (const std::string scheme : {"socks5", "socks5h", "SOCKS5"}) {
    const auto url = parse_proxy_url(scheme + "://ada:secret@proxy.example");
    ASSERT_TRUE(url) << url.error().message;
    EXPECT_EQ(url->protocol, ProxyProtocol::socks5);
    EXPECT_EQ(url->endpoint, (Endpoint{Security::plain, "proxy.example", 1080}));
    EXPECT_EQ(url->user, (UrlUser{"ada", "secret"}));
    EXPECT_EQ(parse_proxy_url(scheme + "://[fd00::1]:9")->endpoint,
              (Endpoint{Security::plain, "fd00::1", 9}));
  }
}

TEST(ParseProxyUrl, names_unusable_url_without_secrets) {
  const std::pair<std::string, std::string> rows[] = {
      {"", "http[s]://"},
      {"proxy:3128:1", "scheme"},
      {"socks4://ada:secret@proxy:1080", "scheme"},
      {"socks5://ada:secret@", "host is missing"},
      {"ftp://proxy", "scheme"},
      {"http://ada:secret@", "host is missing"},
      {"http://ada:secret@proxy:0", "port"},
      {"http://ada:secret@proxy:99999", "the port is not 1 to 65535"},
      {"socks5://proxy:66616", "the port is not 1 to 65535"},
      {"http://ada:sec ret@proxy", "http[s]://"},
      {"http://ada:secret", "want a port or path"},
      {"ada:secret:proxy", "scheme"},
      {"http:ada:secret", "host is missing"},
  };
  for (const auto& [text, part] : rows) {
    const auto url = parse_proxy_url(text);
    ASSERT_FALSE(url) << text;
    EXPECT_THAT(url.error().message, testing::HasSubstr(part)) << text;
    EXPECT_THAT(url.error().message, testing::Not(testing::HasSubstr("sec"))) << text;
  }
}

}  // namespace
}  // namespace dcm::http
