// JSON of the parts that every controller writes. The fields of your kinds come in as a
// boost::json::object, to which these add what is the same for all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

#include "client/api/condition.hpp"
#include "client/api/event.hpp"
#include "client/api/meta.hpp"
#include "client/api/resource.hpp"

namespace dcm::manager {

// An item of `metadata.ownerReferences`: the object's controller, for which its deletion waits.
// With the object goes what it owns.
boost::json::object controller_reference(const api::Resource& resource,
                                         const api::ObjectMeta& owner);
// What an event is about.
api::ObjectReference reference_to(const api::Resource& resource, const api::ObjectMeta& object);
// `status.conditions`.
boost::json::array encode_conditions(const std::vector<api::Condition>& conditions);

// A whole body: `fields` with kind and name. With a UID it is for that very object: if that is
// gone, nothing is made.
std::string encode_body(const api::Resource& resource, const api::NamespacedName& name,
                        const api::Uid& uid, const boost::json::object& fields);
// A merge patch for that very object.
std::string encode_merge_patch(const api::Uid& uid, const boost::json::object& patch);
// A JSON patch that tests the UID first.
std::string encode_json_patch(const api::Uid& uid, const boost::json::array& operations);
// A merge patch of the finalizers, for exactly the version that they were read of.
std::string encode_finalizers(const api::ObjectMeta& object,
                              const std::vector<std::string>& finalizers);

}  // namespace dcm::manager
