#include "manager/bodies.hpp"

#include <stdexcept>

#include <boost/json.hpp>

namespace dcm::manager {
namespace {

namespace json = boost::json;

// With a pair of braces too few, the author has written a list.
json::object& part(json::object& of, const std::string& name) {
  json::value& value = of[name];
  if (value.is_null()) value = json::object();
  if (!value.is_object()) {
    throw std::logic_error("`" + name + "` is not an object: write {\"" + name +
                           "\", {{NAME, VALUE}}}");
  }
  return value.get_object();
}

}  // namespace

json::object controller_reference(const api::Resource& resource, const api::ObjectMeta& owner) {
  return {{"apiVersion", resource.api_version()},
          {"kind", resource.kind->kind},
          {"name", owner.key.name},
          {"uid", owner.uid.str()},
          {"controller", true},
          {"blockOwnerDeletion", true}};
}

bool writes_conditions(const json::object& fields) {
  const json::value* const status = fields.if_contains("status");
  return status != nullptr && status->is_object() && status->get_object().contains("conditions");
}

void require_status(const json::object& fields) {
  for (const auto& field : fields) {
    if (field.key() == "status") continue;
    throw std::logic_error("apply_status takes {\"status\": …}, and no \"" +
                           std::string(field.key()) + "\" beside it");
  }
}

std::string encode_body(const api::Resource& resource, const api::NamespacedName& name,
                        const api::Uid& uid, const json::object& fields) {
  json::object body = fields;
  body["apiVersion"] = resource.api_version();
  body["kind"] = resource.kind->kind;
  json::object& metadata = part(body, "metadata");
  if (!name.name.empty()) metadata["name"] = name.name.str();
  if (!name.namespace_.empty()) metadata["namespace"] = name.namespace_.str();
  if (!uid.empty()) metadata["uid"] = uid.str();
  return json::serialize(body);
}

std::string encode_merge_patch(const api::Uid& uid, const json::object& patch) {
  json::object body = patch;
  part(body, "metadata")["uid"] = uid.str();
  return json::serialize(body);
}

std::string encode_json_patch(const api::Uid& uid, const json::array& operations) {
  json::array body{json::object{{"op", "test"}, {"path", "/metadata/uid"}, {"value", uid.str()}}};
  for (const json::value& operation : operations) body.push_back(operation);
  return json::serialize(body);
}

std::string encode_finalizers(const api::ObjectMeta& object,
                              const std::vector<std::string>& finalizers) {
  return json::serialize(json::object{{"metadata",
                                       {{"uid", object.uid.str()},
                                        {"resourceVersion", object.resource_version.str()},
                                        {"finalizers", json::value_from(finalizers)}}}});
}

}  // namespace dcm::manager
