// Definitions whose versions a webhook converts: they are served, and what the webhook would have
// to convert fails as on a real server that cannot reach it (1.37).
#include "runtime/base64.hpp"
#include "test/unit/apiserver/defined.hpp"

namespace dcm::apiserver {
namespace {

constexpr std::string_view kOlder = "/apis/example.com/v1beta1/namespaces/default/widgets";

class WebhookConversion : public Defined {
 protected:
  WebhookConversion() {
    std::string by_webhook = definition();
    replace_all(
        by_webhook, R"("scope":"Namespaced")",
        R"("scope":"Namespaced","conversion":{"strategy":"Webhook","webhook":{)"
        R"("clientConfig":{"service":{"name":"hook","namespace":"hooks","path":"/convert"}},)"
        R"("conversionReviewVersions":["v1"]}})");
    replace_all(by_webhook, R"("versions":[)",
                R"("versions":[{"name":"v1beta1","served":true,"storage":false,)"
                R"("schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{)"
                R"("type":"object","properties":{"replicas":{"type":"integer"}}}}}}},)");
    defined = api.post(kDefinitions, by_webhook);
  }

  static std::string older(std::string_view name) {
    std::string text = widget(name, R"({"replicas":2})");
    replace_all(text, "example.com/v1\"", "example.com/v1beta1\"");
    return text;
  }

  Answer defined;
};

TEST_F(WebhookConversion, gets_default_port) {
  ASSERT_EQ(defined.status, 201) << serialize(defined.body);
  EXPECT_EQ(integer_at(defined.body,
                       {"spec", "conversion", "webhook", "clientConfig", "service", "port"}),
            443);
}

TEST_F(WebhookConversion, is_warned_of) {
  const auto warnings = defined.header("Warning");
  ASSERT_FALSE(warnings.empty());
  EXPECT_NE(warnings.back().find("objects of Widget are available only in version v1"),
            std::string::npos)
      << warnings.back();
}

// Self-signed; its key is not needed.
constexpr std::string_view kCertificate =
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBdjCCARugAwIBAgIUAMbGGIX/EhdYJ+toC9w+a+hDkG0wCgYIKoZIzj0EAwIw\n"
    "DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMjcxNTM4MzBaGA8yMTI2MTEwMzE1Mzgz\n"
    "MFowDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABFug\n"
    "ek7ymx6eIqWkx2ks18zxDl3K5moomOjDiEqCST4g551jv+3eC/q20SC2LarwxPXh\n"
    "qEyyWVzA0J5wslhHgO6jUzBRMB0GA1UdDgQWBBStuHA0b99qRu+L5L5xUQUO/0Up\n"
    "uDAfBgNVHSMEGDAWgBStuHA0b99qRu+L5L5xUQUO/0UpuDAPBgNVHRMBAf8EBTAD\n"
    "AQH/MAoGCCqGSM49BAMCA0kAMEYCIQCjqMyTWzdrmWKBbgtUBO4fjYzNfRXyNfxK\n"
    "oUzutim/owIhAP0GQYmm+YLUVxa1CdTCmGSRSE9c0s+ewmvOUsKQ28C0\n"
    "-----END CERTIFICATE-----\n";

std::string with_ca_bundle(std::string_view pem) {
  return R"({"spec":{"conversion":{"webhook":{"clientConfig":{"caBundle":")" +
         runtime::encode_base64(pem) + R"("}}}}})";
}

TEST_F(WebhookConversion, has_valid_certificate_once_it_is_established) {
  const std::string after_text = "text\n" + std::string(kCertificate);
  EXPECT_EQ(api.patch(kWidgetsDefinition, kMerge, with_ca_bundle(after_text)).status, 200);
  for (const auto& [pem, why] : std::vector<std::pair<std::string, std::string>>{
           {"text", "unable to parse bytes as PEM block"},
           {"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
            "failed to parse certificate: x509: malformed certificate"},
           {"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
            "no valid certificate authority data seen"}}) {
    const Answer refused = api.patch(kWidgetsDefinition, kMerge, with_ca_bundle(pem));
    EXPECT_EQ(refused.status, 422);
    EXPECT_TRUE(refused.text({"message"}).ends_with("unable to load root certificates: " + why))
        << refused.text({"message"});
  }
}

TEST_F(WebhookConversion, is_established_when_certificate_is_valid) {
  std::string other = definition();
  api.remove(kWidgetsDefinition);
  replace_all(other, R"("scope":"Namespaced")",
              R"("scope":"Namespaced","conversion":{"strategy":"Webhook","webhook":{)"
              R"("clientConfig":{"url":"https://hook","caBundle":"dGV4dA=="},)"
              R"("conversionReviewVersions":["v1"]}})");
  ASSERT_EQ(api.post(kDefinitions, other).status, 201);
  EXPECT_EQ(condition(api.get(kWidgetsDefinition), "Established"), "False InvalidCABundle");
  EXPECT_EQ(api.get(kWidgets).status, 404);
  api.patch(kWidgetsDefinition, kMerge, with_ca_bundle(kCertificate));
  EXPECT_EQ(condition(api.get(kWidgetsDefinition), "Established"), "True InitialNamesAccepted");
  EXPECT_EQ(api.get(kWidgets).status, 200);
}

TEST_F(WebhookConversion, is_not_needed_in_the_stored_version) {
  EXPECT_EQ(api.post(kWidgets, widget("a", R"({"replicas":2})")).status, 201);
  EXPECT_EQ(api.get(std::string(kWidgets) + "/a").status, 200);
  EXPECT_EQ(array_at(api.get(kWidgets).body, {"items"}).size(), 1U);
}

TEST_F(WebhookConversion, is_not_needed_by_an_empty_list) {
  const Answer none = api.get(kOlder);
  EXPECT_EQ(none.status, 200);
  EXPECT_EQ(api.get(std::string(kOlder) + "/a").status, 404);
}

TEST_F(WebhookConversion, fails_the_create_in_another_version) {
  const Answer refused = api.post(kOlder, older("a"));
  EXPECT_EQ(refused.status, 500);
  EXPECT_EQ(
      refused.text({"message"}),
      "conversion webhook for example.com/v1beta1, Kind=Widget failed: Post "
      "\"https://hook.hooks.svc:443/convert?timeout=30s\": this API server calls no webhooks");
  EXPECT_EQ(api.get(std::string(kWidgets) + "/a").status, 404);
}

TEST_F(WebhookConversion, fails_reads_in_another_version) {
  api.post(kWidgets, widget("a", R"({"replicas":2})"));
  const Answer one = api.get(std::string(kOlder) + "/a");
  EXPECT_EQ(one.status, 500);
  EXPECT_EQ(one.text({"reason"}), "InternalError");
  EXPECT_NE(one.text({"message"})
                .find("Key: /example.com/widgets/default/a, ResourceVersion: 0, "
                      "AdditionalErrorMsg: object not decodable revision="),
            std::string_view::npos)
      << one.text({"message"});
  const Answer all = api.get(kOlder);
  EXPECT_EQ(all.status, 500);
  EXPECT_EQ(all.text({"reason"}), "StorageReadError");
  EXPECT_EQ(all.text({"details", "name"}), "list");
}

TEST_F(WebhookConversion, fails_changes_in_another_version) {
  api.post(kWidgets, widget("a", R"({"replicas":2})"));
  const std::string path = std::string(kOlder) + "/a";
  const Answer put = api.put(path, older("a"));
  EXPECT_EQ(put.status, 500);
  EXPECT_EQ(put.text({"reason"}), "");
  EXPECT_TRUE(put.text({"message"}).starts_with("object not decodable revision="));
  EXPECT_EQ(api.patch(path, kMerge, R"({"spec":{"replicas":3}})").body, put.body);
  EXPECT_EQ(api.patch(path + "?fieldManager=m", kApply, older("a")).body, put.body);
  EXPECT_EQ(api.remove(path).text({"reason"}), "InternalError");
  EXPECT_EQ(api.remove(kOlder).text({"reason"}), "StorageReadError");
  const Answer kept = api.get(std::string(kWidgets) + "/a");
  EXPECT_EQ(integer_at(kept.body, {"spec", "replicas"}), 2);
}

TEST_F(WebhookConversion, ends_watches_of_another_version) {
  auto watch = api.watch(std::string(kOlder) + "?watch=1");
  EXPECT_EQ((*watch)->next(), std::nullopt);
  api.post(kWidgets, widget("a", R"({"replicas":2})"));
  EXPECT_NE((*watch)->next().value_or("").find("storage is (re)initializing"), std::string::npos);
  EXPECT_TRUE((*watch)->ended());
  auto later = api.watch(std::string(kOlder) + "?watch=1");
  EXPECT_NE((*later)->next().value_or("").find("storage is (re)initializing"), std::string::npos);
}

TEST_F(WebhookConversion, does_not_keep_objects_from_deletion_with_definition) {
  api.post(kWidgets, widget("a", R"({"replicas":2})"));
  EXPECT_EQ(api.remove(kWidgetsDefinition).status, 200);
  EXPECT_EQ(api.get(kWidgetsDefinition).status, 404);
}

}  // namespace
}  // namespace dcm::apiserver
