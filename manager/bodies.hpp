// JSON of the parts that every controller writes. The fields of your kinds are passed as a
// boost::json::object, to which these add the common parts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/json/fwd.hpp>

#include "client/api/encode_conditions.hpp"
#include "client/api/meta.hpp"
#include "client/api/resource.hpp"

namespace dcm::manager {

// An item of `metadata.ownerReferences` that makes `owner` the object's controller: the object is
// deleted with it, and before it in a foreground deletion.
boost::json::object controller_reference(const api::Resource& resource,
                                         const api::ObjectMeta& owner);
// Whether `owner` is the object's controller, and not another object, or an earlier one of the same
// name. `object` has a member `owner` as for owns().
template <class T>
bool is_controlled_by(const T& object, const api::ObjectMeta& owner) {
  const std::optional<api::ControllerRef>& controller = object.owner;
  return controller && controller->uid == owner.uid;
}
// `status.conditions`.
using api::encode_conditions;
// Whether these fields set them.
bool writes_conditions(const boost::json::object& fields);
// Throws std::logic_error if there is another field than `status`.
void require_status(const boost::json::object& fields);

// A whole body: `fields` with kind and name. With a UID it applies only to the object with that
// UID: if that is gone, nothing is created. Throws std::logic_error if `metadata` is no object.
std::string encode_body(const api::Resource& resource, const api::NamespacedName& name,
                        const api::Uid& uid, const boost::json::object& fields);
// A merge patch for exactly that object.
std::string encode_merge_patch(const api::Uid& uid, const boost::json::object& patch);
// A JSON patch that tests the UID first.
std::string encode_json_patch(const api::Uid& uid, const boost::json::array& operations);
// A merge patch of the finalizers, for exactly the version from which they were read.
std::string encode_finalizers(const api::ObjectMeta& object,
                              const std::vector<std::string>& finalizers);

}  // namespace dcm::manager
