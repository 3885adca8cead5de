// Names: the problems of each rule, and where the API reports them.
#include "apiserver/rules/names.hpp"

#include <fmt/format.h>

#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

const std::string kLong(64, 'a');

constexpr auto* kNameText =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr auto* kSubdomain =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr auto* kLabel =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

TEST(QualifiedName, has_all_problems_of_both_parts) {
  EXPECT_EQ(problems_with_qualified_name("example.com/A_b.c"), Problems());
  EXPECT_EQ(problems_with_qualified_name("/x"), Problems{"prefix part must be non-empty"});
  EXPECT_EQ(problems_with_qualified_name("x/"),
            (Problems{"name part must be non-empty", kNameText}));
  EXPECT_EQ(problems_with_qualified_name("X/" + kLong + "-"),
            (Problems{std::string("prefix part ") + kSubdomain,
                      "name part must be no more than 63 bytes", kNameText}));
  EXPECT_EQ(problems_with_qualified_name(std::string(254, 'a') + "/x"),
            Problems{"prefix part must be no more than 253 bytes"});
  const Problems more = problems_with_qualified_name("a/b/c");
  ASSERT_EQ(more.size(), 1U);
  EXPECT_TRUE(more.front().starts_with("a valid label key must consist of "));
  EXPECT_TRUE(more.front().ends_with("and '/' (e.g. 'example.com/MyName')"));
}

TEST(Name, has_all_problems_of_its_rule) {
  struct Row {
    NameRule rule;
    std::string name;
    Problems problems;
  };
  const Row rows[] = {
      {NameRule::dns_subdomain, "a.b", {}},
      {NameRule::dns_subdomain,
       std::string(254, 'A'),
       {"must be no more than 253 characters", kSubdomain}},
      {NameRule::dns_label, kLong + "-", {"must be no more than 63 characters", kLabel}},
      {NameRule::dns_label, "a.b", {"must not contain dots"}},
      {NameRule::short_name, kLong, {"must be no more than 63 bytes"}},
      {NameRule::long_name, std::string(254, 'a'), {"must be no more than 253 bytes"}},
      {NameRule::caseless_long_name, "Example.com", {}},
      {NameRule::dns_1035_label, kLong, {"must be no more than 63 characters"}},
      {NameRule::path_segment, "..", {"may not be '..'"}},
      {NameRule::path_segment, "a/%", {"may not contain '/'", "may not contain '%'"}},
      {NameRule::config_map_key, ".", {"must not be '.'"}},
      {NameRule::config_map_key, "..a", {"must not start with '..'"}},
      {NameRule::port_name,
       "-1--",
       {"must contain at least one letter (a-z)", "must not contain consecutive hyphens",
        "must not begin or end with a hyphen"}},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(problems_with_name(row.rule, row.name), row.problems) << row.name;
  }
  EXPECT_EQ(problems_with_name(NameRule::dns_1035_label, "1a").size(), 1U);
  EXPECT_EQ(problems_with_label_value(""), Problems());
  EXPECT_EQ(problems_with_label_value(kLong + "-").size(), 2U);
}

class NamesInApi : public Api {
 protected:
  // "FIELD: MESSAGE" of each cause.
  std::vector<std::string> causes(std::string_view path, const std::string& body) {
    return api.post(path, body).causes();
  }
  std::vector<std::string> causes_with(const std::string& metadata) {
    return causes("/api/v1/namespaces/default/configmaps", R"({"metadata":{)" + metadata + "}}");
  }
};

TEST_F(NamesInApi, reports_each_problem_as_cause) {
  EXPECT_EQ(causes_with(R"("name":"c","labels":{"x/":"y"})"),
            (std::vector<std::string>{
                R"(metadata.labels: Invalid value: "x/": name part must be non-empty)",
                std::string(R"(metadata.labels: Invalid value: "x/": )") + kNameText}));
  EXPECT_EQ(causes_with(R"("name":"c","finalizers":["/x"])"),
            std::vector<std::string>{
                R"(metadata.finalizers: Invalid value: "/x": prefix part must be non-empty)"});
  EXPECT_EQ(causes("/apis/policy/v1/namespaces/default/poddisruptionbudgets",
                   R"({"metadata":{"name":"A"},"spec":{"minAvailable":1,"selector":{}}})"),
            std::vector<std::string>());
}

TEST_F(NamesInApi, accepts_annotation_keys_in_any_case) {
  EXPECT_EQ(causes_with(R"("name":"c","annotations":{"Example.com/x":""})"),
            std::vector<std::string>());
  EXPECT_EQ(causes_with(R"("name":"d","labels":{"Example.com/x":""})").size(), 1U);
  EXPECT_EQ(causes_with(R"("name":"d","annotations":{"Example.com/":""})").size(), 2U);
}

TEST_F(NamesInApi, shows_generated_name_as_sent) {
  const std::string cause =
      R"(metadata.generateName: Invalid value: "A--": )" + std::string(kSubdomain);
  EXPECT_EQ(causes_with(R"("name":"c","generateName":"A--")"), std::vector<std::string>{cause});
  EXPECT_EQ(causes_with(R"("name":"c","generateName":"aA-")"), std::vector<std::string>())
      << "the last two characters are masked";
}

TEST_F(NamesInApi, joins_problems_where_real_server_does) {
  const std::string bad = kLong + "-";
  const auto taint = causes("/api/v1/nodes", R"({"metadata":{"name":"n"},"spec":{"taints":[)"
                                             R"({"key":"k","effect":"NoExecute","value":")" +
                                                 bad + R"("}]}})");
  ASSERT_EQ(taint.size(), 1U);
  EXPECT_TRUE(taint.front().contains("must be no more than 63 bytes;a valid label must be "));
}

struct SelectorRow {
  std::string_view sentence;
  std::string selector;
  std::string message;
};

TEST_F(NamesInApi, refuses_selectors_in_words_of_real_server) {
  const std::string start = "unable to parse requirement: ";
  const std::string no_number = "for 'Gt', 'Lt' operators, the value must be an integer";
  const SelectorRow rows[] = {
      {"key", "x/",
       start + R"(<nil>: Invalid value: "x/": name part must be non-empty; )" + kNameText},
      {"value", "x%3D" + kLong,
       start + R"(values[0][x]: Invalid value: ")" + kLong + R"(": must be no more than 63 bytes)"},
      {"values are sorted", "x%20in%20(b," + kLong + ")",
       start + R"(values[0][x]: Invalid value: ")" + kLong + R"(": must be no more than 63 bytes)"},
      {"no number", "x%3Ca", start + R"(values[0]: Invalid value: "a": )" + no_number},
      {"two problems", "x%3C" + kLong,
       start + R"([values[0]: Invalid value: ")" + kLong + R"(": )" + no_number +
           R"(, values[0][x]: Invalid value: ")" + kLong + R"(": must be no more than 63 bytes])"},
  };
  for (const SelectorRow& row : rows) {
    const Answer answer = api.get(std::string(kPods) + "?labelSelector=" + row.selector);
    EXPECT_EQ(answer.status, 400) << row.sentence;
    EXPECT_EQ(answer.text({"message"}), row.message) << row.sentence;
  }
}

TEST_F(NamesInApi, selects_empty_values) {
  api.post(kPods, R"({"metadata":{"name":"p","labels":{"x":""}},"spec":{"containers":[)"
                  R"({"name":"c","image":"i"}]}})");
  for (const auto* selector : {"x%20in%20()", "x%20in%20(a,)", "x%3D"}) {
    const Answer answer = api.get(std::string(kPods) + "?labelSelector=" + selector);
    EXPECT_EQ(array_at(answer.body, {"items"}).size(), 1U) << selector;
  }
}

}  // namespace
}  // namespace dcm::apiserver
