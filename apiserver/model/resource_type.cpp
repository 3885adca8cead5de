#include "apiserver/model/resource_type.hpp"

#include <algorithm>

namespace dcm::apiserver {

std::string ResourceType::api_version(std::string_view version) const {
  return group.empty() ? std::string(version) : group + "/" + std::string(version);
}

UnconditionalUpdate ResourceType::unconditional_update(std::string_view version) const {
  const bool has_old_rule = kind == "DeviceTaintRule" && version != "v1";
  return has_old_rule ? UnconditionalUpdate::allowed : put_without_version;
}

DeleteAnswer ResourceType::delete_answer(std::string_view version) const {
  const bool has_old_rule = kind == "DeviceTaintRule" && version != "v1";
  return has_old_rule ? DeleteAnswer::object : answer_to_delete;
}

bool ResourceType::is_struct() const {
  return defined == nullptr && kind != "CustomResourceDefinition";
}

const std::string& ResourceType::storage() const {
  return defined == nullptr ? plural : defined->storage;
}

const Unconverted* ResourceType::unconverted() const {
  return defined == nullptr || !defined->unconverted ? nullptr : &*defined->unconverted;
}

std::vector<std::string> ResourceType::categories() const {
  if (defined != nullptr) return defined->categories;
  if (is("CustomResourceDefinition")) return {"api-extensions"};
  const bool is_in_all = kind == "Pod" || kind == "Service" || kind == "ReplicationController" ||
                         (group == "apps" && kind != "ControllerRevision") || group == "batch";
  return is_in_all ? std::vector<std::string>{"all"} : std::vector<std::string>();
}

std::string ResourceType::list_kind() const {
  return defined == nullptr ? kind + "List" : defined->list_kind;
}

const Schema& ResourceType::schema() const {
  return defined == nullptr ? schema_of(group, kind) : defined->merge;
}

const FieldType& ResourceType::fields(std::string_view version) const {
  static const FieldType kAny;
  return defined == nullptr ? field_type(api_version(version), kind) : kAny;
}

bool ResourceType::serves(std::string_view version) const {
  return std::ranges::find(versions, version) != versions.end();
}

}  // namespace dcm::apiserver
