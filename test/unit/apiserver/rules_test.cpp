// Rules of `x-kubernetes-validations`: which a definition may have, and their effect on objects.
// The texts are a real server's (1.37).
#include "test/unit/apiserver/defined.hpp"

namespace dcm::apiserver {
namespace {

constexpr std::string_view kWidget = "/apis/example.com/v1/namespaces/default/widgets/a";

struct Rule {
  std::string_view sentence;
  std::string_view property;  // of the spec, "x"
  std::string_view before;    // "" for a create
  std::string_view value;
  std::string_view text;  // of the refusal; "": it is accepted
};

class RuleOfSchema : public Defined, public ::testing::WithParamInterface<Rule> {};

TEST_P(RuleOfSchema, is_enforced) {
  const Answer defined =
      api.post(kDefinitions, definition(R"(,"x":)" + std::string(GetParam().property)));
  ASSERT_EQ(defined.status, 201) << serialize(defined.body);
  const std::string next = R"({"x":)" + std::string(GetParam().value) + "}";
  Answer answer;
  if (GetParam().before.empty()) {
    answer = api.post(kWidgets, widget("a", next));
  } else {
    const Answer made =
        api.post(kWidgets, widget("a", R"({"x":)" + std::string(GetParam().before) + "}"));
    ASSERT_EQ(made.status, 201) << serialize(made.body);
    answer = api.patch(kWidget, kMerge, R"({"spec":)" + next + "}");
  }
  if (GetParam().text.empty()) {
    EXPECT_TRUE(answer.ok()) << serialize(answer.body);
    return;
  }
  EXPECT_EQ(answer.status, 422) << serialize(answer.body);
  EXPECT_EQ(answer.text({"message"}),
            R"(Widget.example.com "a" is invalid: )" + std::string(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, RuleOfSchema,
    ::testing::Values(
        Rule{"a rule that holds",
             R"({"type":"integer","x-kubernetes-validations":[{"rule":"self > 1"}]})", "", "2", ""},
        Rule{"a rule that does not hold",
             R"({"type":"integer","x-kubernetes-validations":[{"rule":"self > 1"}]})", "", "1",
             "spec.x: Invalid value: 1: failed rule: self > 1"},
        Rule{"a number that may not change",
             R"({"type":"integer","x-kubernetes-validations":[{"rule":"self == oldSelf"}]})", "1",
             "2", "spec.x: Invalid value: 2: failed rule: self == oldSelf"},
        Rule{"a truth that may not change",
             R"({"type":"boolean","x-kubernetes-validations":[{"rule":"self == oldSelf"}]})",
             "true", "true", ""},
        Rule{"an object that must change",
             R"({"type":"object","properties":{"a":{"type":"string"}},)"
             R"("x-kubernetes-validations":[{"rule":"self != oldSelf"}]})",
             R"({"a":"b"})", R"({"a":"c"})", ""},
        Rule{"keys of a map without limit",
             R"({"type":"object","additionalProperties":{"type":"string"},)"
             R"j("x-kubernetes-validations":[{"rule":"self.all(k, k.contains('x'))"}]})j",
             "", R"({"xy":""})", ""},
        Rule{"a message",
             R"({"type":"integer","x-kubernetes-validations":[{"rule":"self > 1",)"
             R"("message":"too few"}]})",
             "", "1", "spec.x: Invalid value: 1: too few"},
        Rule{"a message that is computed",
             R"({"type":"integer","x-kubernetes-validations":[{"rule":"self > 1",)"
             R"("messageExpression":"self > 0 ? 'not one' : 'none'"}]})",
             "", "1", "spec.x: Invalid value: 1: not one"},
        Rule{"a reason and a field",
             R"({"type":"object","properties":{"a":{"type":"string"}},)"
             R"("x-kubernetes-validations":[{"rule":"has(self.a) ","reason":"FieldValueRequired",)"
             R"("fieldPath":".a","message":"say a"}]})",
             "", "{}", "spec.x.a: Required value: say a"},
        Rule{"a rule about an object shows no value",
             R"({"type":"object","properties":{"a":{"type":"string","maxLength":9},"b":{)"
             R"("type":"string","maxLength":9}},)"
             R"("x-kubernetes-validations":[{"rule":"self.a == self.b"}]})",
             "", R"({"a":"1","b":"2"})", "spec.x: Invalid value: failed rule: self.a == self.b"},
        Rule{"a rule of a transition, on a create",
             R"({"type":"string","x-kubernetes-validations":[{"rule":"self == oldSelf"}]})", "",
             R"("a")", ""},
        Rule{"a rule of a transition, on an update",
             R"({"type":"string","x-kubernetes-validations":[{"rule":"self == oldSelf",)"
             R"("message":"it stays"}]})",
             R"("a")", R"("b")", R"(spec.x: Invalid value: "b": it stays)"},
        Rule{"an optional old value that is not there",
             R"({"type":"string","x-kubernetes-validations":[{"rule":)"
             R"("oldSelf.hasValue() || self == 'new'","optionalOldSelf":true}]})",
             "", R"("old")",
             R"(spec.x: Invalid value: "old": failed rule: oldSelf.hasValue() || self == 'new')"},
        Rule{"items of a list that is a map are found again",
             R"({"type":"array","maxItems":3,"x-kubernetes-list-type":"map",)"
             R"("x-kubernetes-list-map-keys":["n"],"items":{"type":"object","required":["n"],)"
             R"("properties":{"n":{"type":"string"},"v":{"type":"integer"}},)"
             R"("x-kubernetes-validations":[{"rule":"self.v >= oldSelf.v"}]}})",
             R"([{"n":"a","v":1},{"n":"b","v":5}])", R"([{"n":"b","v":4},{"n":"a","v":1}])",
             "spec.x[0]: Invalid value: failed rule: self.v >= oldSelf.v"},
        Rule{"a name that no expression can write",
             R"({"type":"object","properties":{"a-b":{"type":"integer"}},)"
             R"("x-kubernetes-validations":[{"rule":"self.a__dash__b == 1"}]})",
             "", R"({"a-b":1})", ""},
        Rule{"an integer or a text",
             R"({"x-kubernetes-int-or-string":true,"x-kubernetes-validations":[{"rule":)"
             R"("type(self) == int ? self > 1 : self.endsWith('%') "}]})",
             "", R"("5%")", ""},
        Rule{"times and durations",
             R"({"type":"object","properties":{"t":{"type":"string","format":"date-time"},"d":{)"
             R"("type":"string","format":"duration"}},"x-kubernetes-validations":[{"rule":)"
             R"("self.t + self.d > timestamp('2026-01-01T00:00:00Z') "}]})",
             "", R"({"t":"2025-12-31T23:00:00Z","d":"2h"})", ""},
        Rule{
            "an error is a refusal",
            R"({"type":"object","additionalProperties":{"type":"string"},)"
            R"("x-kubernetes-validations":[{"rule":"self['k'] == 'v'"}]})",
            "", R"({"a":"b"})",
            R"(spec.x: Invalid value: "object": no such key: k evaluating rule: self['k'] == 'v')"}),
    kBySentence);

TEST_F(Defined, evaluates_no_rules_of_invalid_object) {
  api.post(
      kDefinitions,
      definition(R"(,"x":{"type":"integer","x-kubernetes-validations":[{"rule":"self > 1"}]})"));
  const Answer refused = api.post(kWidgets, widget("a", R"({"x":1,"replicas":"x"})"));
  EXPECT_NE(refused.text({"message"})
                .find("some validation rules were not checked because the "
                      "object was invalid"),
            std::string_view::npos);
  EXPECT_FALSE(refused.blames("spec.x"));
}

TEST_F(Defined, keeps_unchanged_violation) {
  api.post(kDefinitions, definition(R"(,"x":{"type":"integer"})"));
  api.post(kWidgets, widget("a", R"({"x":1})"));
  std::string stricter =
      definition(R"(,"x":{"type":"integer","x-kubernetes-validations":[{"rule":"self > 1"}]})");
  replace_all(stricter, R"("metadata":{)",
              R"("metadata":{"resourceVersion":")" +
                  std::string(api.get(kWidgetsDefinition).resource_version()) + R"(",)");
  ASSERT_EQ(api.put(kWidgetsDefinition, stricter).status, 200);
  EXPECT_EQ(api.patch(kWidget, kMerge, R"({"spec":{"color":"red"}})").status, 200);
  EXPECT_EQ(api.patch(kWidget, kMerge, R"({"spec":{"x":0}})").status, 422);
}

struct Refused {
  std::string_view sentence;
  std::string_view property;
  std::string_view field;  // after that of the property
  std::string_view text;
};

class RefusedRule : public Defined, public ::testing::WithParamInterface<Refused> {};

TEST_P(RefusedRule, is_rejected_with_definition) {
  const Answer refused =
      api.post(kDefinitions, definition(R"(,"x":)" + std::string(GetParam().property)));
  EXPECT_EQ(refused.status, 422) << serialize(refused.body);
  EXPECT_TRUE(refused.blames("spec.validation.openAPIV3Schema.properties[spec].properties[x]" +
                             std::string(GetParam().field)))
      << serialize(refused.body);
  EXPECT_NE(refused.text({"message"}).find(GetParam().text), std::string_view::npos)
      << refused.text({"message"});
}

INSTANTIATE_TEST_SUITE_P(
    Rows, RefusedRule,
    ::testing::Values(
        Refused{"that does not compile",
                R"({"type":"integer","x-kubernetes-validations":[{"rule":"self.foo"}]})",
                ".x-kubernetes-validations[0].rule", "compilation failed: ERROR: <input>:1:5"},
        Refused{"that is no condition",
                R"({"type":"integer","x-kubernetes-validations":[{"rule":"self + 1"}]})",
                ".x-kubernetes-validations[0].rule", "cel expression must evaluate to a bool"},
        Refused{"that could cost too much",
                R"({"type":"array","items":{"type":"string"},"x-kubernetes-validations":[)"
                R"({"rule":"self.all(a, self.all(b, a == b)) "}]})",
                ".x-kubernetes-validations[0].rule",
                "estimated rule cost exceeds budget by factor of more than 100x"},
        Refused{"of a transition of what cannot be found again",
                R"({"type":"array","maxItems":2,"items":{"type":"string","maxLength":2,)"
                R"("x-kubernetes-validations":[{"rule":"self == oldSelf"}]}})",
                ".items.x-kubernetes-validations[0].rule",
                "oldSelf cannot be used on the uncorrelatable portion of the schema within"},
        Refused{"whose message is no text",
                R"({"type":"integer","x-kubernetes-validations":[{"rule":"self > 1",)"
                R"("messageExpression":"self"}]})",
                ".x-kubernetes-validations[0].messageExpression",
                "messageExpression must evaluate to a string"},
        Refused{"with an unknown reason",
                R"({"type":"integer","x-kubernetes-validations":[{"rule":"self > 1",)"
                R"("reason":"Because"}]})",
                ".x-kubernetes-validations[0].reason", R"(Unsupported value: "Because")"},
        Refused{"that blames a field that there is not",
                R"({"type":"object","properties":{"a":{"type":"string"}},)"
                R"("x-kubernetes-validations":[{"rule":"true","fieldPath":".b"}]})",
                ".x-kubernetes-validations[0].fieldPath", "must be a valid path"}),
    kBySentence);

}  // namespace
}  // namespace dcm::apiserver
