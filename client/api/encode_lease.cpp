#include "client/api/encode_lease.hpp"

#include <boost/json.hpp>

#include "client/api/resource.hpp"

namespace dcm::api {
namespace {

using boost::json::object;

void set_spec(object& into, const LeaseSpec& spec) {
  into["holderIdentity"] = spec.holder;
  if (spec.duration) into["leaseDurationSeconds"] = spec.duration->count();
  into["acquireTime"] = spec.acquire_time;
  into["renewTime"] = spec.renew_time;
  into["leaseTransitions"] = spec.transitions;
}

// As many levels as are read of a lease. Others' managedFields may have many.
constexpr std::size_t kLevelsMax = 1024;

object* find_object(object& parent, const char* key) {
  boost::json::value* found = parent.if_contains(key);
  return found == nullptr ? nullptr : found->if_object();
}

}  // namespace

std::string encode_lease(const NamespacedName& key, const LeaseSpec& spec) {
  object body{{"apiVersion", "coordination.k8s.io/v1"},
              {"kind", "Lease"},
              {"metadata", object{{"name", key.name}, {"namespace", key.namespace_.str()}}}};
  set_spec(body["spec"].emplace_object(), spec);
  return boost::json::serialize(body);
}

runtime::Result<std::string> encode_lease_update(std::string_view stored, const LeaseSpec& spec) {
  boost::system::error_code error;
  boost::json::value document =
      boost::json::parse({stored.data(), stored.size()}, error, {}, {.max_depth = kLevelsMax});
  object* lease = error ? nullptr : document.if_object();
  object* metadata = lease == nullptr ? nullptr : find_object(*lease, "metadata");
  if (metadata == nullptr) return runtime::fail(runtime::Reason::malformed, "not a lease");
  // The server keeps its own value where the update has none.
  metadata->erase("managedFields");
  object* old_spec = find_object(*lease, "spec");
  set_spec(old_spec != nullptr ? *old_spec : (*lease)["spec"].emplace_object(), spec);
  return boost::json::serialize(document);
}

}  // namespace dcm::api
