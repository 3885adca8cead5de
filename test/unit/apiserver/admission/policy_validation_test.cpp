#include "apiserver/fields/patches.hpp"
#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

constexpr std::string_view kAdmission = "/apis/admissionregistration.k8s.io/v1/";

// A merge patch to a valid object, and the causes of its rejection.
struct Row {
  std::string_view sentence;
  std::string_view change;
  std::vector<std::string> causes;
};

class PolicyValidation : public Api, public ::testing::WithParamInterface<Row> {
 protected:
  Answer make(std::string_view plural, std::string_view good, std::string_view change) {
    JsonObject object = object_of(good);
    apply_merge_patch(object, object_of(change));
    return api.post(std::string(kAdmission) + std::string(plural), serialize(object));
  }
};

TEST_P(PolicyValidation, rejects_invalid_policies) {
  const Answer answer = make(
      "validatingadmissionpolicies",
      R"({"metadata":{"name":"p"},"spec":{"matchConstraints":{"resourceRules":[{"apiGroups":[""],)"
      R"("apiVersions":["v1"],"operations":["*"],"resources":["pods"]}]},)"
      R"("validations":[{"expression":"true"}]}})",
      GetParam().change);
  EXPECT_EQ(answer.causes(), GetParam().causes) << serialize(answer.body);
  EXPECT_EQ(answer.status, GetParam().causes.empty() ? 201 : 422);
}

INSTANTIATE_TEST_SUITE_P(
    Policies, PolicyValidation,
    ::testing::Values(
        Row{"nothing that is wrong", "{}", {}},
        Row{"an expression that does not compile",
            R"({"spec":{"validations":[{"expression":"x"}]}})",
            {"spec.validations[0].expression: Invalid value: \"x\": compilation failed: ERROR: "
             "<input>:1:1: undeclared reference to 'x' (in container '')\n | x\n | ^"}},
        Row{"an expression that is no condition",
            R"({"spec":{"validations":[{"expression":"1"}]}})",
            {"spec.validations[0].expression: Invalid value: \"1\": must evaluate to bool but got "
             "int"}},
        Row{"a message that is no text",
            R"({"spec":{"validations":[{"expression":"true","messageExpression":"null"}]}})",
            {"spec.validations[0].messageExpression: Invalid value: \"null\": must evaluate to "
             "string but got null_type"}},
        Row{"an authorizer in a message",
            R"({"spec":{"validations":[{"expression":"true","messageExpression":)"
            R"j("authorizer.path('/x').check('get').reason()"}]}})j",
            {"spec.validations[0].messageExpression: Invalid value: \"authorizer.path('/x')"
             ".check('get').reason()\": compilation failed: ERROR: <input>:1:1: undeclared "
             "reference to 'authorizer' (in container '')\n | "
             "authorizer.path('/x').check('get').reason()\n | ^"}},
        Row{"parameters without a kind of them",
            R"({"spec":{"validations":[{"expression":"params == null"}]}})",
            {"spec.validations[0].expression: Invalid value: \"params == null\": compilation "
             "failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | "
             "params == null\n | ^"}},
        Row{"a variable before it is declared",
            R"({"spec":{"variables":[{"name":"a","expression":"variables.b"},)"
            R"({"name":"b","expression":"1"}]}})",
            {"spec.variables[0].expression: Invalid value: \"variables.b\": compilation failed: "
             "ERROR: <input>:1:10: undefined field 'b'\n | variables.b\n | .........^"}},
        Row{"a variable of another type",
            R"({"spec":{"variables":[{"name":"a","expression":"[1]"}],)"
            R"("validations":[{"expression":"variables.a == 'x'"}]}})",
            {"spec.validations[0].expression: Invalid value: \"variables.a == 'x'\": compilation "
             "failed: ERROR: <input>:1:13: found no matching overload for '_==_' applied to "
             "'(list(int), string)'\n | variables.a == 'x'\n | ............^"}},
        Row{"a variable that has no name",
            R"({"spec":{"variables":[{"name":"if","expression":"1"}]}})",
            {"spec.variables[0].name: Invalid value: \"if\": must be a valid CEL identifier"}},
        Row{"a macro that policies do not have",
            R"j({"spec":{"validations":[{"expression":"cel.bind(x, 1, x)"}]}})j",
            {"spec.validations[0].expression: Invalid value: \"cel.bind(x, 1, x)\": compilation "
             "failed: ERROR: <input>:1:1: undeclared reference to 'cel' (in container '')\n | "
             "cel.bind(x, 1, x)\n | ^\nERROR: <input>:1:9: undeclared reference to 'bind' (in "
             "container '')\n | cel.bind(x, 1, x)\n | ........^\nERROR: <input>:1:10: undeclared "
             "reference to 'x' (in container '')\n | cel.bind(x, 1, x)\n | .........^\nERROR: "
             "<input>:1:16: undeclared reference to 'x' (in container '')\n | cel.bind(x, 1, x)\n "
             "| ...............^"}},
        Row{"no validations",
            R"({"spec":{"validations":null}})",
            {"spec.validations: Required value: validations or auditAnnotations must contain at "
             "least one item",
             "spec.auditAnnotations: Required value: validations or auditAnnotations must contain "
             "at least one item"}},
        Row{"no constraints",
            R"({"spec":{"matchConstraints":null}})",
            {"spec.matchConstraints: Required value"}},
        Row{"rules that say nothing",
            R"({"spec":{"matchConstraints":{"resourceRules":[{}]}}})",
            {"spec.matchConstraints.resourceRules[0].operations: Required value",
             "spec.matchConstraints.resourceRules[0].apiGroups: Required value",
             "spec.matchConstraints.resourceRules[0].apiVersions: Required value",
             "spec.matchConstraints.resourceRules[0].resources: Required value"}},
        Row{"a policy of failures that there is not",
            R"({"spec":{"failurePolicy":"Maybe"}})",
            {"spec.failurePolicy: Unsupported value: \"Maybe\": supported values: \"Fail\", "
             "\"Ignore\""}},
        Row{"match conditions with variables",
            R"({"spec":{"variables":[{"name":"a","expression":"true"}],"matchConditions":[)"
            R"({"name":"c","expression":"variables.a"},{"name":"c","expression":" "}]}})",
            {"spec.matchConditions[0].expression: Invalid value: \"variables.a\": compilation "
             "failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')\n "
             "| variables.a\n | ^",
             "spec.matchConditions[1].expression: Required value",
             "spec.matchConditions[1].name: Duplicate value: \"c\""}},
        Row{"a reason that no policy may give",
            R"({"spec":{"validations":[{"expression":"true","reason":"NotFound"}]}})",
            {"spec.validations[0].reason: Unsupported value: \"NotFound\": supported values: "
             "\"Forbidden\", \"Invalid\", \"RequestEntityTooLarge\""}},
        Row{"audit annotations that are no text",
            R"({"spec":{"auditAnnotations":[{"key":"k","valueExpression":"1"},)"
            R"({"key":"k","valueExpression":"'x'"}]}})",
            {"spec.auditAnnotations[0].valueExpression: Invalid value: \"1\": must evaluate to one "
             "of [string null_type] but got int",
             "spec.auditAnnotations[1].key: Duplicate value: \"k\""}}),
    kBySentence);

class BindingValidation : public PolicyValidation {};

TEST_P(BindingValidation, rejects_invalid_bindings) {
  const Answer answer =
      make("validatingadmissionpolicybindings",
           R"({"metadata":{"name":"b"},"spec":{"policyName":"p","validationActions":["Deny"]}})",
           GetParam().change);
  EXPECT_EQ(answer.causes(), GetParam().causes) << serialize(answer.body);
}

INSTANTIATE_TEST_SUITE_P(
    Bindings, BindingValidation,
    ::testing::Values(
        Row{"nothing that is wrong", "{}", {}},
        Row{"no policy", R"({"spec":{"policyName":null}})", {"spec.policyName: Required value"}},
        Row{"no actions",
            R"({"spec":{"validationActions":[]}})",
            {"spec.validationActions: Required value"}},
        Row{"actions that there are not",
            R"({"spec":{"validationActions":["Deny","Deny","Log"]}})",
            {"spec.validationActions[1]: Duplicate value: \"Deny\"",
             "spec.validationActions[2]: Unsupported value: \"Log\": supported values: \"Audit\", "
             "\"Deny\", \"Warn\""}},
        Row{"parameters by nothing",
            R"({"spec":{"paramRef":{"namespace":"x"}}})",
            {"spec.paramRef: Required value: one of name or selector must be specified",
             "spec.paramRef.parameterNotFoundAction: Required value"}},
        Row{"parameters by name and selector",
            R"({"spec":{"paramRef":{"name":"x","selector":{},"parameterNotFoundAction":"Deny"}}})",
            {"spec.paramRef.name: Forbidden: name and selector are mutually exclusive",
             "spec.paramRef.selector: Forbidden: name and selector are mutually exclusive"}}),
    kBySentence);

}  // namespace
}  // namespace dcm::apiserver
