#include "cel/kubernetes/libraries.hpp"

namespace dcm::cel {
namespace {

Value never(std::span<const Value>, Frame&) {
  return Value::error(kNoSuchOverload);
}

constexpr FunctionRow kRows[] = {
    {"path(kubernetes.authorization.Authorizer; string) kubernetes.authorization.PathCheck", never},
    {"group(kubernetes.authorization.Authorizer; string) kubernetes.authorization.GroupCheck",
     never},
    {"serviceAccount(kubernetes.authorization.Authorizer; string, string) "
     "kubernetes.authorization.Authorizer",
     never},
    {"resource(kubernetes.authorization.GroupCheck; string) kubernetes.authorization.ResourceCheck",
     never},
    {"subresource(kubernetes.authorization.ResourceCheck; string) "
     "kubernetes.authorization.ResourceCheck",
     never},
    {"namespace(kubernetes.authorization.ResourceCheck; string) "
     "kubernetes.authorization.ResourceCheck",
     never},
    {"name(kubernetes.authorization.ResourceCheck; string) kubernetes.authorization.ResourceCheck",
     never},
    {"fieldSelector(kubernetes.authorization.ResourceCheck; string) "
     "kubernetes.authorization.ResourceCheck",
     never},
    {"labelSelector(kubernetes.authorization.ResourceCheck; string) "
     "kubernetes.authorization.ResourceCheck",
     never},
    {"check(kubernetes.authorization.PathCheck; string) kubernetes.authorization.Decision", never,
     CostRule::authorize},
    {"check(kubernetes.authorization.ResourceCheck; string) kubernetes.authorization.Decision",
     never, CostRule::authorize},
    {"errored(kubernetes.authorization.Decision;) bool", never},
    {"error(kubernetes.authorization.Decision;) string", never},
    {"allowed(kubernetes.authorization.Decision;) bool", never},
    {"reason(kubernetes.authorization.Decision;) string", never},
};

}  // namespace

std::span<const FunctionRow> authorization_functions() {
  return kRows;
}

}  // namespace dcm::cel
