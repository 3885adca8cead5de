// Bodies with more values than an object may have are rejected before the values are created: a
// client's cost is limited in values, in JSON, YAML and protobuf alike.
#include "apiserver/text/item_budget.hpp"

#include "apiserver/protobuf/protobuf.hpp"
#include "apiserver/text/yaml.hpp"
#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

std::string repeated(std::size_t count, std::string_view text) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

std::string json_list(std::size_t items) {
  return "[0" + repeated(items - 1, ",0") + "]";
}

TEST(CountValues, counts_members_and_items_at_all_depths) {
  const std::pair<std::string_view, std::size_t> rows[] = {
      {"1", 1}, {"[1]", 2}, {"[1,2]", 3}, {R"({"a":{"b":[1,2]}})", 5}, {R"(["[,{\",{"])", 2},
  };
  for (const auto& [text, most] : rows) EXPECT_EQ(count_values(text), most) << text;
}

TEST(ParseBody, rejects_too_many_values) {
  std::string problem;
  EXPECT_TRUE(parse_body(json_list(kValuesMax - 1), problem)) << problem;
  EXPECT_FALSE(parse_body(json_list(kValuesMax), problem));
  EXPECT_EQ(problem, "more than 50000 fields and items");
}

TEST(ParseYaml, rejects_too_many_values) {
  std::string problem;
  EXPECT_TRUE(parse_yaml("a:\n" + repeated(kValuesMax - 10, "- 0\n"), problem)) << problem;
  EXPECT_FALSE(parse_yaml("a:\n" + repeated(kValuesMax, "- 0\n"), problem));
  EXPECT_EQ(problem, "yaml: more than 50000 fields and items");
}

TEST(ParseYaml, counts_values_behind_aliases) {
  std::string problem;
  const std::string thousand = "a: &a [0" + repeated(999, ",0") + "]\n";
  EXPECT_TRUE(parse_yaml(thousand + "b: [*a" + repeated(9, ",*a") + "]\n", problem)) << problem;
  EXPECT_FALSE(parse_yaml(thousand + "b: [*a" + repeated(49, ",*a") + "]\n", problem));
  EXPECT_EQ(problem, "yaml: more than 50000 fields and items");
}

TEST(ParseYaml, rejects_hundreds_of_thousands_of_anchors) {
  std::string text;
  for (std::size_t i = 0; i < 300'000; ++i) text += "- &a" + std::to_string(i) + " x\n";
  std::string problem;
  EXPECT_FALSE(parse_yaml(text, problem));
  EXPECT_EQ(problem, "yaml: more than 50000 fields and items");
}

TEST(ParseYaml, rejects_anchor_that_contains_itself) {
  std::string problem;
  EXPECT_FALSE(parse_yaml("a: &a [*a]\n", problem));
}

TEST(ParseYaml, names_a_hundred_repeated_keys) {
  std::string problem;
  const auto yaml = parse_yaml(repeated(300, "a: 1\n"), problem);
  ASSERT_TRUE(yaml) << problem;
  EXPECT_EQ(yaml->duplicates.size(), 100U);
}

TEST(ParseYaml, copies_aliased_value) {
  std::string problem;
  const auto yaml = parse_yaml("a: &a {b: [1, &c two]}\nd: *a\ne: *c\n*c : 3\n", problem);
  ASSERT_TRUE(yaml) << problem;
  EXPECT_EQ(serialize(yaml->value),
            R"({"a":{"b":[1,"two"]},"d":{"b":[1,"two"]},"e":"two","two":3})");
}

// A pod's claims, each an empty message: two bytes.
std::string pod_of_empty_claims(std::size_t claims) {
  JsonArray list;
  for (std::size_t i = 0; i < claims; ++i) list.emplace_back(JsonObject());
  return encode_protobuf("v1", "Pod",
                         JsonObject{{"spec", JsonObject{{"resourceClaims", std::move(list)}}}});
}

TEST(DecodeProtobuf, rejects_too_many_values) {
  EXPECT_TRUE(decode_protobuf(pod_of_empty_claims(kValuesMax - 10)));
  const auto refused = decode_protobuf(pod_of_empty_claims(kValuesMax + 10));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, 400);
  EXPECT_EQ(refused.error().message,
            "the body of the request has more than 50000 fields and items");
}

class Bodies : public Api {};

// Each path is as long as its parent's name: 20,000 of them would be gigabytes.
TEST_F(Bodies, return_at_most_a_hundred_warnings) {
  const std::string long_name(100'000, 'x');
  const auto told_of = [&](const std::string& member) {
    std::size_t paths = 0;
    const Answer answer = api.post("/api/v1/namespaces/default/configmaps?fieldValidation=Strict",
                                   R"({"metadata":{"name":"c"},")" + long_name + R"(":{"a":1)" +
                                       repeated(20'000, member) + "}}");
    const std::string_view message = answer.text({"message"});
    for (auto at = message.find(long_name); at != message.npos;
         at = message.find(long_name, at + 1)) {
      ++paths;
    }
    EXPECT_EQ(answer.status, 400);
    return paths;
  };
  EXPECT_LE(told_of(R"(,"a":1)"), 101U);
}

TEST_F(Bodies, are_rejected_with_a_million_empty_claims) {
  const std::string claims = "{}" + repeated(1'000'000, ",{}");
  const std::string pod = R"({"metadata":{"name":"p"},"spec":{"resourceClaims":[)" + claims + "]}}";
  EXPECT_EQ(api.post(kPods, pod).status, 400);
  EXPECT_EQ(api.put(kPod, pod).status, 400);
  const std::string yaml = "metadata: {name: p}\nspec: {resourceClaims: [" + claims + "]}\n";
  EXPECT_EQ(api.send("POST", kPods, "application/yaml", yaml).status, 400);
}

}  // namespace
}  // namespace dcm::apiserver
