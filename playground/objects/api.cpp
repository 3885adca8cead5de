#include "playground/objects/api.hpp"

#include "controllers/api/resources.hpp"
#include "playground/objects/objects.hpp"

namespace dcm::playground {
namespace {

// Setup is sequential: there is no queue that would retry a step.
constexpr client::CallOptions kPatient{.retries = client::Retries::allowed};

}  // namespace

Task<Result<http::Response>> Api::get(api::Resource resource, api::NamespacedName key) {
  return rest_.send(client::get_request(resource, key, kPatient));
}

Task<Result<http::Response>> Api::get(std::string path) {
  return rest_.send(
      {.verb = client::Verb::get, .target = std::move(path), .retries = client::Retries::allowed});
}

Task<Result<http::Response>> Api::replace(api::Resource resource, api::NamespacedName key,
                                          std::string subresource, std::string body) {
  return send(client::Verb::update, resource.path(key, subresource), {}, std::move(body));
}

Task<Result<http::Response>> Api::create(api::Resource resource, api::NamespacedName key,
                                         std::string subresource, std::string body) {
  const std::string path =
      key.name.empty() ? resource.path(key.namespace_.str()) : resource.path(key, subresource);
  return send(client::Verb::create, path, {}, std::move(body));
}

Task<Result<http::Response>> Api::apply(api::Resource resource, api::NamespacedName key,
                                        std::string subresource, std::string body) {
  return send(client::Verb::apply, resource.path(key, subresource), "true", std::move(body));
}

Task<Result<http::Response>> Api::strategic_merge_patch(api::Resource resource,
                                                        api::NamespacedName key,
                                                        std::string subresource, std::string body) {
  return send(client::Verb::strategic_merge_patch, resource.path(key, subresource), {},
              std::move(body));
}

Task<Result<http::Response>> Api::merge_patch(api::Resource resource, api::NamespacedName key,
                                              std::string body) {
  return send(client::Verb::merge_patch, resource.path(key), {}, std::move(body));
}

Task<Result<http::Response>> Api::list(api::Resource resource, std::string continue_token,
                                       std::string namespace_) {
  return rest_.send(client::list_request(resource,
                                         {.selection = {.namespace_ = std::move(namespace_)},
                                          .continue_token = std::move(continue_token)},
                                         kPatient));
}

Task<Result<http::Response>> Api::remove(api::Resource resource, api::NamespacedName key,
                                         std::string body) {
  return rest_.send(client::delete_request(resource, key, std::move(body), kPatient));
}

Task<Result<http::Response>> Api::remove_all(std::string path) {
  return rest_.send({.verb = client::Verb::delete_,
                     .target = std::move(path),
                     .retries = client::Retries::allowed});
}

Task<Result<http::Response>> Api::send(client::Verb verb, std::string path, std::string force,
                                       std::string body) {
  return rest_.send(
      {.verb = verb,
       .target = client::make_target(path, {{"fieldManager", kFieldManager}, {"force", force}}),
       .body = std::move(body),
       .retries = client::Retries::allowed});
}

api::Resource pods() {
  return {&api::kPods, "v1"};
}
api::Resource nodes() {
  return {&api::kNodes, "v1"};
}
api::Resource claims() {
  return {&api::kResourceClaims, "v1"};
}
api::Resource device_classes() {
  return {&api::kDeviceClasses, "v1"};
}
api::Resource slices() {
  return {&api::kResourceSlices, "v1"};
}
api::Resource namespaces() {
  return {&kNamespaces, "v1"};
}
api::Resource taint_rules() {
  return {&api::kDeviceTaintRules, "v1"};
}
api::Resource leases() {
  return {&api::kLeases, "v1"};
}

}  // namespace dcm::playground
