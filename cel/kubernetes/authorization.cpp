#include "cel/kubernetes/libraries.hpp"

namespace dcm::cel {
namespace {

using Args = std::span<const Value>;

// The reference compares none of these types.
Value equal(const Object&, const Value&) {
  return Value::error(kNoSuchOverload);
}

constexpr ObjectClass kAuthorizerClass{"kubernetes.authorization.Authorizer", equal};
constexpr ObjectClass kPathCheckClass{"kubernetes.authorization.PathCheck", equal};
constexpr ObjectClass kGroupCheckClass{"kubernetes.authorization.GroupCheck", equal};
constexpr ObjectClass kResourceCheckClass{"kubernetes.authorization.ResourceCheck", equal};
constexpr ObjectClass kDecisionClass{"kubernetes.authorization.Decision", equal};

// All questions have the same answer, so each step is one value.
constexpr Object kAuthorizer{&kAuthorizerClass}, kPathCheck{&kPathCheckClass},
    kGroupCheck{&kGroupCheckClass}, kResourceCheck{&kResourceCheckClass}, kAllowed{&kDecisionClass};

bool is_blank(const Value& text) {
  return text.as_text().find_first_not_of(" \t\r\n\v\f") == std::string_view::npos;
}

template <const Object& Next>
Value step(Args, Frame&) {
  return Value::object(&Next);
}
Value path(Args args, Frame&) {
  return is_blank(args[1]) ? Value::error("path must not be empty") : Value::object(&kPathCheck);
}
Value resource(Args args, Frame&) {
  return is_blank(args[1]) ? Value::error("resource must not be empty")
                           : Value::object(&kResourceCheck);
}
template <bool Answer>
Value answer(Args, Frame&) {
  return Value::boolean(Answer);
}
Value no_text(Args, Frame&) {
  return Value::string("");
}

constexpr FunctionRow kRows[] = {
    {"path(kubernetes.authorization.Authorizer; string) kubernetes.authorization.PathCheck", path},
    {"group(kubernetes.authorization.Authorizer; string) kubernetes.authorization.GroupCheck",
     step<kGroupCheck>},
    {"serviceAccount(kubernetes.authorization.Authorizer; string, string) "
     "kubernetes.authorization.Authorizer",
     step<kAuthorizer>},
    {"resource(kubernetes.authorization.GroupCheck; string) kubernetes.authorization.ResourceCheck",
     resource},
    {"subresource(kubernetes.authorization.ResourceCheck; string) "
     "kubernetes.authorization.ResourceCheck",
     step<kResourceCheck>},
    {"namespace(kubernetes.authorization.ResourceCheck; string) "
     "kubernetes.authorization.ResourceCheck",
     step<kResourceCheck>},
    {"name(kubernetes.authorization.ResourceCheck; string) kubernetes.authorization.ResourceCheck",
     step<kResourceCheck>},
    {"fieldSelector(kubernetes.authorization.ResourceCheck; string) "
     "kubernetes.authorization.ResourceCheck",
     step<kResourceCheck>},
    {"labelSelector(kubernetes.authorization.ResourceCheck; string) "
     "kubernetes.authorization.ResourceCheck",
     step<kResourceCheck>},
    {"check(kubernetes.authorization.PathCheck; string) kubernetes.authorization.Decision",
     step<kAllowed>, CostRule::authorize},
    {"check(kubernetes.authorization.ResourceCheck; string) kubernetes.authorization.Decision",
     step<kAllowed>, CostRule::authorize},
    {"errored(kubernetes.authorization.Decision;) bool", answer<false>},
    {"error(kubernetes.authorization.Decision;) string", no_text},
    {"allowed(kubernetes.authorization.Decision;) bool", answer<true>},
    {"reason(kubernetes.authorization.Decision;) string", no_text},
};

}  // namespace

std::span<const FunctionRow> authorization_functions() {
  return kRows;
}

Value permissive_authorizer() {
  return Value::object(&kAuthorizer);
}

Value permissive_resource_check() {
  return Value::object(&kResourceCheck);
}

}  // namespace dcm::cel
