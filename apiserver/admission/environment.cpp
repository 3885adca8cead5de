#include "apiserver/admission/environment.hpp"

#include "apiserver/model/resource_type.hpp"
#include "cel/kubernetes/libraries.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::string_view kVariablesType = "kubernetes.variables";

// Whether expressions may ask what a user may do.
enum class Authorizer { none, present };

struct FieldRow {
  std::string_view object;
  std::string_view field;
  std::string_view type;
};

constexpr FieldRow kFields[] = {
    {"kubernetes.GroupVersionKind", "group", "string"},
    {"kubernetes.GroupVersionKind", "version", "string"},
    {"kubernetes.GroupVersionKind", "kind", "string"},
    {"kubernetes.GroupVersionResource", "group", "string"},
    {"kubernetes.GroupVersionResource", "version", "string"},
    {"kubernetes.GroupVersionResource", "resource", "string"},
    {"kubernetes.UserInfo", "username", "string"},
    {"kubernetes.UserInfo", "uid", "string"},
    {"kubernetes.UserInfo", "groups", "list(string)"},
    {"kubernetes.UserInfo", "extra", "map(string, list(string))"},
    {"kubernetes.AdmissionRequest", "kind", "kubernetes.GroupVersionKind"},
    {"kubernetes.AdmissionRequest", "resource", "kubernetes.GroupVersionResource"},
    {"kubernetes.AdmissionRequest", "subResource", "string"},
    {"kubernetes.AdmissionRequest", "requestKind", "kubernetes.GroupVersionKind"},
    {"kubernetes.AdmissionRequest", "requestResource", "kubernetes.GroupVersionResource"},
    {"kubernetes.AdmissionRequest", "requestSubResource", "string"},
    {"kubernetes.AdmissionRequest", "name", "string"},
    {"kubernetes.AdmissionRequest", "namespace", "string"},
    {"kubernetes.AdmissionRequest", "operation", "string"},
    {"kubernetes.AdmissionRequest", "userInfo", "kubernetes.UserInfo"},
    {"kubernetes.AdmissionRequest", "dryRun", "bool"},
    {"kubernetes.AdmissionRequest", "options", "dyn"},
    {"kubernetes.NamespaceSpec", "finalizers", "list(string)"},
    {"kubernetes.NamespaceCondition", "status", "string"},
    {"kubernetes.NamespaceCondition", "type", "string"},
    {"kubernetes.NamespaceCondition", "lastTransitionTime", "timestamp"},
    {"kubernetes.NamespaceCondition", "message", "string"},
    {"kubernetes.NamespaceCondition", "reason", "string"},
    {"kubernetes.NamespaceStatus", "conditions", "list(kubernetes.NamespaceCondition)"},
    {"kubernetes.NamespaceStatus", "phase", "string"},
    {"kubernetes.NamespaceMetadata", "name", "string"},
    {"kubernetes.NamespaceMetadata", "generateName", "string"},
    {"kubernetes.NamespaceMetadata", "namespace", "string"},
    {"kubernetes.NamespaceMetadata", "labels", "map(string, string)"},
    {"kubernetes.NamespaceMetadata", "annotations", "map(string, string)"},
    {"kubernetes.NamespaceMetadata", "UID", "string"},
    {"kubernetes.NamespaceMetadata", "creationTimestamp", "timestamp"},
    {"kubernetes.NamespaceMetadata", "deletionGracePeriodSeconds", "int"},
    {"kubernetes.NamespaceMetadata", "deletionTimestamp", "timestamp"},
    {"kubernetes.NamespaceMetadata", "generation", "int"},
    {"kubernetes.NamespaceMetadata", "resourceVersion", "string"},
    {"kubernetes.NamespaceMetadata", "finalizers", "list(string)"},
    {"kubernetes.Namespace", "metadata", "kubernetes.NamespaceMetadata"},
    {"kubernetes.Namespace", "spec", "kubernetes.NamespaceSpec"},
    {"kubernetes.Namespace", "status", "kubernetes.NamespaceStatus"},
};

void add_objects(cel::Library& library) {
  for (const FieldRow& row : kFields) {
    if (library.find_object(row.object) == nullptr) library.add_object(std::string(row.object));
    library.set_field(row.object, std::string(row.field), library.type(row.type));
  }
}

// An unusable variable keeps its place, under a name that no expression can write.
std::string unusable(Variable place) {
  return "@" + std::to_string(place);
}

// In the order of Variable.
void set_up(cel::Library& library, Params params, Composition composition, Authorizer authorizer) {
  library.leave_out_bindings();
  cel::add_kubernetes(library);
  add_objects(library);
  const bool composes = composition == Composition::variables;
  const bool has_params = params == Params::present;
  const bool authorizes = authorizer == Authorizer::present;
  if (composes) library.add_object(std::string(kVariablesType));
  library.add_variable("object", &cel::types::dyn);
  library.add_variable("oldObject", &cel::types::dyn);
  library.add_variable("namespaceObject", library.type("kubernetes.Namespace"));
  library.add_variable("request", library.type("kubernetes.AdmissionRequest"));
  library.add_variable(composes ? "variables" : unusable(kVariables), library.type(kVariablesType));
  library.add_variable(has_params ? "params" : unusable(kParams), &cel::types::dyn);
  library.add_variable(authorizes ? "authorizer" : unusable(kAuthorizer),
                       library.type("kubernetes.authorization.Authorizer"));
  library.add_variable(authorizes ? "authorizer.requestResource" : unusable(kRequestResource),
                       library.type("kubernetes.authorization.ResourceCheck"));
}

// The type of a variable, as far as its users know it.
const cel::Type* declared_type(const cel::Type& type, cel::TypePool& pool) {
  using Kind = cel::Type::Kind;
  switch (type.kind()) {
    case Kind::boolean:
    case Kind::bytes:
    case Kind::real:
    case Kind::duration:
    case Kind::integer:
    case Kind::null:
    case Kind::string:
    case Kind::timestamp:
    case Kind::unsigned_integer:
      return pool.make(type.kind(), type.name(), {});
    case Kind::list:
      return pool.list(declared_type(type.parameter(0), pool));
    case Kind::map:
      return pool.map(declared_type(type.parameter(0), pool),
                      declared_type(type.parameter(1), pool));
    default:
      return &cel::types::dyn;
  }
}

}  // namespace

Environment::Environment(Params params, Composition composition) {
  set_up(with_, params, composition, Authorizer::present);
  set_up(without_, params, composition, Authorizer::none);
}

void Environment::declare(const std::string& name, const cel::Type* type) {
  for (cel::Library* library : {&with_, &without_}) {
    library->set_field(kVariablesType, name,
                       type == nullptr ? &cel::types::dyn : declared_type(*type, library->types()));
  }
}

JsonObject request_of(const Attributes& attributes, const ResourceType& matched,
                      std::string_view version, const GroupVersionKind& kind) {
  const auto encode_kind = [](const GroupVersionKind& gvk) {
    return JsonObject{{"group", gvk.group}, {"version", gvk.version}, {"kind", gvk.kind}};
  };
  const auto encode_resource = [](const ResourceType& type, std::string_view in) {
    return JsonObject{{"group", type.group}, {"version", in}, {"resource", type.plural}};
  };
  JsonObject request{{"uid", ""},
                     {"kind", encode_kind(kind)},
                     {"resource", encode_resource(matched, version)},
                     {"requestKind", encode_kind(attributes.kind)},
                     {"requestResource", encode_resource(*attributes.type, attributes.version)},
                     {"operation", attributes.operation},
                     {"userInfo", encode_user(attributes.user)},
                     {"dryRun", attributes.is_dry_run},
                     {"options", attributes.options}};
  if (!attributes.subresource.empty()) {
    request["subResource"] = attributes.subresource;
    request["requestSubResource"] = attributes.subresource;
  }
  if (!attributes.name.empty()) request["name"] = attributes.name;
  if (!attributes.ns.empty()) request["namespace"] = attributes.ns;
  return request;
}

JsonObject namespace_of(const JsonObject& ns) {
  JsonObject shown = ns;
  JsonObject& metadata = child(shown, "metadata");
  metadata.erase("ownerReferences");
  metadata.erase("managedFields");
  return shown;
}

}  // namespace dcm::apiserver
