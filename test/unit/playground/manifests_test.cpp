#include "playground/demo/manifests.hpp"

#include <gmock/gmock.h>

namespace dcm::playground {
namespace {

using testing::HasSubstr;

std::vector<Manifest> parse(const std::string& text) {
  auto manifests = parse_manifests(text, "file.yaml");
  EXPECT_TRUE(manifests) << manifests.error().message;
  return manifests.value_or(std::vector<Manifest>());
}

TEST(Manifests, read_each_document_as_object) {
  const auto manifests =
      parse("kind: Pod\nmetadata: {name: a}\n---\n---\nkind: ResourceClaim\nmetadata: {name: b}\n");
  ASSERT_EQ(manifests.size(), 2U);
  EXPECT_EQ(manifests[0].kind, "Pod");
  EXPECT_EQ(manifests[0].name, "a");
  EXPECT_EQ(manifests[1].json, R"({"kind":"ResourceClaim","metadata":{"name":"b"}})");
}

TEST(Manifests, expand_list_into_items) {
  const auto manifests = parse(
      "kind: List\nitems:\n- kind: Pod\n  metadata: {name: a}\n- {kind: Pod, metadata: {name: b}}");
  ASSERT_EQ(manifests.size(), 2U);
  EXPECT_EQ(manifests[1].name, "b");
}

TEST(Manifests, resolve_aliases) {
  const auto manifests = parse(
      "kind: List\nitems:\n- {kind: P, metadata: {name: a}, spec: &spec {n: 1}}\n"
      "- {kind: P, metadata: {name: b}, spec: *spec}");
  ASSERT_EQ(manifests.size(), 2U);
  EXPECT_THAT(manifests[1].json, HasSubstr(R"("spec":{"n":1})"));
}

TEST(Manifests, type_scalars_like_yaml) {
  const auto manifests = parse(
      "kind: P\nmetadata: {name: a}\n"
      "spec: [1, -2, 1.5, '1', \"true\", true, false, null, ~, text, 2s, 1.2.3, inf]");
  ASSERT_EQ(manifests.size(), 1U);
  EXPECT_THAT(
      manifests[0].json,
      HasSubstr(R"([1,-2,1.5E0,"1","true",true,false,null,null,"text","2s","1.2.3","inf"])"));
}

struct Row {
  std::string text;
  std::string why;
};

class BadManifests : public ::testing::TestWithParam<Row> {};

TEST_P(BadManifests, are_rejected_with_file_and_line) {
  const auto manifests = parse_manifests(GetParam().text, "file.yaml");
  ASSERT_FALSE(manifests);
  EXPECT_EQ(manifests.error().message.substr(0, GetParam().why.size()), GetParam().why);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BadManifests,
    ::testing::Values(Row{"kind: Pod", "file.yaml:1: an object without a name"},
                      Row{"metadata: {name: a}", "file.yaml:1: an object without a kind"},
                      Row{"\n- a", "file.yaml:2: not an object"},
                      Row{"kind: List\nitems:\n- kind: Pod",
                          "file.yaml:3: an object without a name"},
                      Row{"kind: [", "file.yaml:1: "}));

TEST(Manifests, name_missing_file) {
  const auto manifests = read_manifests("/no/such/file.yaml");
  ASSERT_FALSE(manifests);
  EXPECT_EQ(manifests.error().message, "cannot read /no/such/file.yaml");
}

TEST(Manifests, match_expectations_of_demo) {
  const std::string folder = DCM_EXAMPLES "/";
  const auto workers = read_manifests(folder + "sixty-four-pods.yaml");
  ASSERT_TRUE(workers) << workers.error().message;
  ASSERT_EQ(workers->size(), 65U);
  EXPECT_EQ(workers->back().name, "worker-63");
  EXPECT_THAT(workers->back().json, HasSubstr(R"("resourceClaimTemplateName":"one-gpu")"));
  EXPECT_THAT(workers->back().json,
              HasSubstr(R"("playground.dra-controller-manager.dev/run-for":"2s")"));
  for (const auto* file : {"shared-claim.yaml", "two-templates.yaml", "late-template.yaml",
                           "pod-before-its-template.yaml", "pods-and-taints.yaml",
                           "retire-node-1-preview.yaml", "retire-node-1.yaml"}) {
    const auto manifests = read_manifests(folder + file);
    EXPECT_TRUE(manifests) << manifests.error().message;
  }
}

}  // namespace
}  // namespace dcm::playground
