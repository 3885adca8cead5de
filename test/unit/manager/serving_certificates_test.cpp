#include "manager/serving/serving_certificates.hpp"

#include <gmock/gmock.h>

#include "client/request/access_review.hpp"
#include "runtime/http/self_signed.hpp"
#include "test/support/certificates.hpp"
#include "test/support/co_test.hpp"
#include "test/unit/client/rest_client_fixture.hpp"
#include "test/unit/client_config/files.hpp"

namespace dcm::manager {
namespace {

using testing::HasSubstr;

TEST(ServingCertificates, are_generated_without_files) {
  const auto one = ServingCertificates::load({});
  const auto two = ServingCertificates::load({});
  ASSERT_TRUE(one && two);
  EXPECT_THAT(one->tls().certificate_pem, HasSubstr("BEGIN CERTIFICATE"));
  EXPECT_THAT(one->tls().key_pem, HasSubstr("PRIVATE KEY"));
  EXPECT_NE(one->tls().key_pem, two->tls().key_pem);
}

TEST(ServingCertificates, name_unusable_file_and_expected_content) {
  client::TempFolder folder;
  const std::string certificate = folder.write("tls.crt", client::kCertificatePem);
  const std::string key = folder.write("tls.key", client::kKeyPem);
  const std::string empty = folder.write("empty", "");
  for (const auto& [sources, message] : std::vector<std::pair<CertificateSources, std::string>>{
           {{folder.path("none"), key, ""},
            folder.path("none") + ": cannot be read: No such file or directory"},
           {{certificate, empty, ""}, empty + ": does not hold a private key in PEM"},
           {{key, certificate, ""}, key + ": does not hold a certificate in PEM"},
           {{"", "", empty}, empty + ": does not hold a certificate in PEM"}}) {
    const auto loaded = ServingCertificates::load(sources);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().reason, runtime::Reason::configuration);
    EXPECT_EQ(loaded.error().message, message);
  }
}

CO_TEST(ServingCertificates, follow_changed_files_and_cluster_client_ca) {
  client::RestClientFixture site(loop);
  client::TempFolder folder;
  auto loaded = ServingCertificates::load({folder.write("tls.crt", client::kCertificatePem),
                                           folder.write("tls.key", client::kKeyPem), ""});
  CO_ASSERT_TRUE(loaded);
  folder.write("tls.crt", "new\n" + client::kCertificatePem);
  site.http.answer({.status = 200, .headers = {}, .body = R"({"data":{"client-ca-file":"CA"}})"});
  const auto refreshed = co_await loaded->refresh(site.client, {});
  CO_ASSERT_TRUE(refreshed);
  EXPECT_EQ(loaded->tls().certificate_pem, "new\n" + client::kCertificatePem);
  EXPECT_EQ(loaded->tls().client_ca_pem, "CA");
  EXPECT_EQ(site.http.seen().back().request.target,
            "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication");
}

CO_TEST(ServingCertificates, are_kept_if_new_ones_are_unreadable) {
  client::RestClientFixture site(loop);
  client::TempFolder folder;
  const std::string key = folder.write("tls.key", client::kKeyPem);
  auto loaded =
      ServingCertificates::load({folder.write("tls.crt", client::kCertificatePem), key, ""});
  CO_ASSERT_TRUE(loaded);
  folder.write("tls.key", "half a ke");
  const auto broken_file = co_await loaded->refresh(site.client, {});
  CO_ASSERT_TRUE(!broken_file);
  EXPECT_EQ(loaded->tls().key_pem, client::kKeyPem);
  folder.write("tls.key", client::kKeyPem);
  site.http.answer({.status = 403, .headers = {}, .body = "{}"});
  const auto forbidden = co_await loaded->refresh(site.client, {});
  CO_ASSERT_TRUE(!forbidden);
  EXPECT_THAT(forbidden.error().message,
              testing::StartsWith("ConfigMap kube-system/extension-apiserver-authentication: "));
  EXPECT_EQ(loaded->tls().client_ca_pem, "");
}

CO_TEST(ServingCertificates, use_ca_file_without_cluster) {
  client::RestClientFixture site(loop);
  client::TempFolder folder;
  auto loaded =
      ServingCertificates::load({"", "", folder.write("ca.crt", client::kCertificatePem)});
  CO_ASSERT_TRUE(loaded);
  const auto refreshed = co_await loaded->refresh(site.client, {});
  EXPECT_TRUE(refreshed);
  EXPECT_EQ(loaded->tls().client_ca_pem, client::kCertificatePem);
  EXPECT_TRUE(site.http.seen().empty());
}

// Of the port's certificate and the clients' CAs, either may be unusable.
CO_TEST(ServingCertificates, are_renewed_part_by_part) {
  const auto certificate = [] { return *http::make_self_signed("test", "host"); };
  const std::string ca = test::CertificateAuthority("clients").pem();
  const std::string garbage = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n";
  http::TlsServerOptions in_use = certificate();
  const auto listener =
      http::make_tcp_listener(loop.executor(), loop.time(), "127.0.0.1:0", in_use);
  CO_ASSERT_TRUE(listener);

  http::TlsServerOptions fresh = certificate();
  fresh.client_ca_pem = garbage;
  EXPECT_FALSE(renew_tls(**listener, in_use, fresh));
  EXPECT_EQ(in_use.certificate_pem, fresh.certificate_pem);
  EXPECT_EQ(in_use.client_ca_pem, "");

  fresh.client_ca_pem = ca;
  fresh.key_pem = certificate().key_pem;
  EXPECT_FALSE(renew_tls(**listener, in_use, fresh));
  EXPECT_NE(in_use.key_pem, fresh.key_pem);
  EXPECT_EQ(in_use.client_ca_pem, ca);

  fresh = certificate();
  EXPECT_TRUE(renew_tls(**listener, in_use, fresh));
  EXPECT_EQ(in_use, fresh);
}

CO_TEST(PublishedClientCa, is_read_from_config_map) {
  for (const auto& [body, text] : std::vector<std::pair<std::string, std::string>>{
           {R"({"data":{"client-ca-file":"x"}})", "x"}, {R"({"data":{}})", ""}, {"{}", ""}}) {
    client::RestClientFixture site(loop);
    site.http.answer({.status = 200, .headers = {}, .body = body});
    const auto ca = co_await client::read_published_client_ca(site.client, {});
    CO_ASSERT_TRUE(ca);
    EXPECT_EQ(*ca, text) << body;
  }
  client::RestClientFixture site(loop);
  site.http.answer({.status = 200, .headers = {}, .body = "no JSON"});
  const auto ca = co_await client::read_published_client_ca(site.client, {});
  CO_ASSERT_TRUE(!ca);
  EXPECT_EQ(ca.error().reason, runtime::Reason::malformed);
}

}  // namespace
}  // namespace dcm::manager
