#include "controllers/api/encode_device_taint.hpp"

#include <boost/json.hpp>

#include "client/api/encode_conditions.hpp"
#include "client/api/encode_text.hpp"
#include "controllers/api/pod.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::api {
namespace {

using boost::json::array;
using boost::json::object;

}  // namespace

std::string encode_disruption_target(const Uid& pod, runtime::WallTime now,
                                     TransitionTime transition) {
  object condition{{"type", view(kDisruptionTarget)},
                   {"status", "True"},
                   {"reason", view(kDeviceTaintDisruptionReason)},
                   {"message", view(kDeviceTaintDisruptionMessage)}};
  if (transition == TransitionTime::now) condition["lastTransitionTime"] = runtime::timestamp(now);
  return boost::json::serialize(
      object{{"metadata", object{{"uid", pod.str()}}},
             {"status", object{{"conditions", array{std::move(condition)}}}}});
}

std::string encode_eviction(const NamespacedName& pod, const Uid& uid) {
  return boost::json::serialize(
      object{{"apiVersion", "policy/v1"},
             {"kind", "Eviction"},
             {"metadata", object{{"name", pod.name}, {"namespace", pod.namespace_.str()}}},
             {"deleteOptions", object{{"preconditions", object{{"uid", uid.str()}}}}}});
}

std::string encode_rule_condition(const Resource& rules, const ObjectMeta& rule,
                                  const Condition& condition) {
  return boost::json::serialize(
      object{{"apiVersion", rules.api_version()},
             {"kind", view(rules.kind->kind)},
             {"metadata", object{{"name", rule.key.name}, {"uid", rule.uid.str()}}},
             {"status", object{{"conditions", encode_conditions({condition})}}}});
}

}  // namespace dcm::api
