#include <memory>

#include "test/unit/api/decode_support.hpp"

namespace dcm::api {
namespace {

const std::unique_ptr<Decoder<ResourceClaimTemplate>> kDecoder = make_json_template_decoder("v1");

ObjectPtr<ResourceClaimTemplate> decode(std::string_view spec,
                                        const Decoder<ResourceClaimTemplate>& decoder = *kDecoder) {
  const auto decoded = decode_ok(decoder, object_json(fmt::format(R"("spec":{})", spec)));
  EXPECT_NE(decoded.object, nullptr);
  return decoded.object ? decoded.object : ObjectPtr(ResourceClaimTemplate());
}

TEST(TemplateDecoder, keeps_claim_spec_byte_for_byte) {
  for (const std::string_view spec : {
           std::string_view(R"({"devices":{"requests":[{"name":"a","exactly":{"count":2}}]}})"),
           std::string_view(R"({ "unknown" : [1.50, 1e400, 123456789012345678901234567890] ,
                "ä" : "\u00e4 }" })"),
           std::string_view("{}"),
           std::string_view("{ }"),
       }) {
    EXPECT_EQ(decode(fmt::format(R"({{"spec":{}}})", spec))->claim_spec.bytes, spec);
    EXPECT_EQ(
        decode(fmt::format("{{ \"spec\" : {} \n , \"metadata\":{{}} }}", spec))->claim_spec.bytes,
        spec);
  }
}

TEST(TemplateDecoder, resolves_html_escapes_in_claim_spec) {
  constexpr std::pair<std::string_view, std::string_view> kRows[] = {
      {R"({"a":"\u003cb\u003e \u0026 c"})", R"({"a":"<b> & c"})"},
      {R"({"a":"\\u003c"})", R"({"a":"\\u003c"})"},  // a backslash, and a word
      {R"({"a":"\\\u003c"})", R"({"a":"\\<"})"},     // a backslash, and "<"
      {R"({"a":"\u2028\u2029"})", "{\"a\":\"\xe2\x80\xa8\xe2\x80\xa9\"}"},
      {R"({"a":"\u0001\n\"\u00e4"})", R"({"a":"\u0001\n\"\u00e4"})"},
  };
  for (const auto& [spec, kept] : kRows) {
    EXPECT_EQ(decode(fmt::format(R"({{"spec":{}}})", spec))->claim_spec.bytes, kept);
  }
}

// A user may create as many as etcd accepts, each of the maximum size.
TEST(TemplateDecoder, keeps_only_size_of_large_template) {
  const std::string text(100'000, 'a');
  const std::string large =
      fmt::format(R"({{"metadata":{{"labels":{{"a":"1"}}}},"spec":{{"a":"{}"}}}})", text);
  const auto kept = decode(large);
  EXPECT_EQ(kept->content, ResourceClaimTemplate::Content::left_out);
  EXPECT_EQ(kept->content_bytes, text.size() + 10);
  EXPECT_LT(footprint(*kept), 1000U);
  const auto whole =
      decode(large, *make_json_template_decoder("v1", TemplateBudget(TemplateContent::all)));
  EXPECT_EQ(whole->content, ResourceClaimTemplate::Content::kept);
  EXPECT_THAT(whole->claim_spec.bytes, testing::HasSubstr(text));
  EXPECT_EQ(whole->labels.at("a"), "1");
}

// Of the budget for all templates, one tenant leaves half to others, however many it has.
TEST(TemplateDecoder, shares_32_MiB_among_namespaces) {
  const auto decoder = make_json_template_decoder("v1");
  const std::string text(16'000, 'a');
  std::vector<ObjectPtr<ResourceClaimTemplate>> templates;
  const auto kept_of = [&](const std::string& namespace_) {
    std::size_t kept = 0;
    for (int i = 0; i < 3000; ++i) {
      templates.push_back(
          decode_ok(
              *decoder,
              fmt::format(
                  R"({{"metadata":{{"namespace":"{}","name":"t","uid":"u","resourceVersion":"1"}},)"
                  R"("spec":{{"spec":{{"a":"{}"}}}}}})",
                  namespace_, text))
              .object);
      const bool is_kept = templates.back()->content == ResourceClaimTemplate::Content::kept;
      kept += is_kept ? templates.back()->content_bytes : 0;
    }
    return static_cast<double>(kept) / (1024 * 1024);
  };
  EXPECT_NEAR(kept_of("greedy"), 16, 0.1);
  EXPECT_NEAR(kept_of("late"), 8, 0.1);
  templates.clear();
  EXPECT_NEAR(kept_of("late"), 16, 0.1) << "what templates held is free when they are gone";
}

TEST(TemplateDecoder, treats_missing_spec_as_empty) {
  EXPECT_EQ(decode("{}")->claim_spec.bytes, "{}");
  EXPECT_EQ(decode("null")->claim_spec.bytes, "{}");
  EXPECT_EQ(decode(R"({"spec":null})")->claim_spec.bytes, "{}");
}

TEST(TemplateDecoder, reads_labels_and_annotations_for_claims) {
  const auto decoded = decode_ok(
      *kDecoder, object_json(R"("spec":{"metadata":{"labels":{"team":"vision","n\u0061me":"\u00e4"},
                                         "annotations":{"example.com/a":"1","b":null}}})",
                             R"("labels":{"team":"of the template itself"})"));
  ASSERT_NE(decoded.object, nullptr);
  using Map = std::map<std::string, std::string>;
  EXPECT_EQ(decoded.object->labels, (Map{{"team", "vision"}, {"name", "ä"}}));
  EXPECT_EQ(decoded.object->annotations, (Map{{"example.com/a", "1"}, {"b", ""}}));
}

struct FeatureRow {
  std::string_view why;
  std::string_view version;
  std::string_view requests;
  bool uses_admin_access;
  bool uses_prioritized_list;
};

TEST(TemplateDecoder, reads_features) {
  constexpr FeatureRow kRows[] = {
      {"neither", "v1", R"([{"name":"a","exactly":{}}])", false, false},
      {"admin access", "v1", R"([{"exactly":{"adminAccess":true}}])", true, false},
      {"admin access in v1beta1", "v1beta1", R"([{"adminAccess":true}])", true, false},
      {"a prioritized list", "v1", R"([{"firstAvailable":[{"name":"x"}]}])", false, true},
      {"a prioritized list in v1beta1", "v1beta1", R"([{"firstAvailable":[{"name":"x"}]}])", false,
       true},
      {"an empty list is none", "v1", R"([{"firstAvailable":[]},{"firstAvailable":null}])", false,
       false},
      {"both, in two requests", "v1",
       R"([{"firstAvailable":[{}]},{"exactly":{"adminAccess":true}}])", true, true},
  };
  for (const FeatureRow& row : kRows) {
    SCOPED_TRACE(row.why);
    const auto decoder = make_json_template_decoder(row.version);
    const std::string spec = fmt::format(R"({{"devices":{{"requests":{}}}}})", row.requests);
    const auto result = decode(fmt::format(R"({{"spec":{}}})", spec), *decoder);
    EXPECT_EQ(result->uses_admin_access, row.uses_admin_access);
    EXPECT_EQ(result->uses_prioritized_list, row.uses_prioritized_list);
    EXPECT_EQ(result->claim_spec.bytes, spec);
  }
}

TEST(TemplateDecoder, reports_path_of_invalid_field) {
  constexpr std::pair<std::string_view, std::string_view> kRows[] = {
      {R"({"spec":"x"})", "spec.spec: expected an object"},
      {R"({"spec":{"devices":1}})", "spec.spec.devices: expected an object"},
      {R"({"metadata":{"labels":{"a":1}}})", "spec.metadata.labels.a: expected a string"},
      {"{\"metadata\":{\"labels\":{\"a b\":1}}}", "spec.metadata.labels.(key): expected a string"},
  };
  for (const auto& [spec, message] : kRows) {
    const std::string json = object_json(fmt::format(R"("spec":{})", spec));
    EXPECT_EQ(malformed(kDecoder->decode_object(json)), fmt::format("JSON: {}", message));
  }
}

}  // namespace
}  // namespace dcm::api
