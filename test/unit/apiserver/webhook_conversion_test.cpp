// Definitions whose versions a webhook converts: they are served, and what the webhook would have
// to convert fails as on a real server that cannot reach it (1.37).
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
