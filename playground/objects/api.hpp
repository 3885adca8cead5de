// Requests of the playground's parts: as in client/, but with their own field manager, and
// with subresources and options that the manager does not need.
#pragma once

#include <string>
#include <string_view>

#include "client/api/decoder.hpp"
#include "client/request/rest_client.hpp"

namespace dcm::playground {

using runtime::Result;
using runtime::Task;

inline constexpr std::string_view kFieldManager = "dra-playground";

// `rest` must outlive it. Bodies are JSON.
class Api {
 public:
  explicit Api(client::RestClient& rest) : rest_(rest) {}

  client::RestClient& rest() const noexcept { return rest_; }

  Task<Result<http::Response>> get(api::Resource resource, api::NamespacedName key);
  Task<Result<http::Response>> get(std::string path);
  // Without a name in the key, creates in the collection of its namespace.
  Task<Result<http::Response>> create(api::Resource resource, api::NamespacedName key,
                                      std::string subresource, std::string body);
  // Server-side apply with force: creates or updates.
  Task<Result<http::Response>> apply(api::Resource resource, api::NamespacedName key,
                                     std::string subresource, std::string body);
  Task<Result<http::Response>> strategic_merge_patch(api::Resource resource,
                                                     api::NamespacedName key,
                                                     std::string subresource, std::string body);
  // JSON merge patch: lists are replaced whole.
  Task<Result<http::Response>> merge_patch(api::Resource resource, api::NamespacedName key,
                                           std::string body);
  // A page of the kind's objects. Empty token: the first page. Empty namespace: all namespaces.
  Task<Result<http::Response>> list(api::Resource resource, std::string continue_token,
                                    std::string namespace_ = {});
  // Replaces the whole object; `body` has its resourceVersion.
  Task<Result<http::Response>> replace(api::Resource resource, api::NamespacedName key,
                                       std::string subresource, std::string body);
  Task<Result<http::Response>> remove(api::Resource resource, api::NamespacedName key,
                                      std::string body);
  // Deletes all objects of a collection.
  Task<Result<http::Response>> remove_all(std::string path);

 private:
  Task<Result<http::Response>> send(client::Verb verb, std::string path, std::string force,
                                    std::string body);

  client::RestClient& rest_;
};

// The object of an answer.
template <class T>
Result<api::ObjectPtr<T>> decode(const Result<http::Response>& answer,
                                 const api::Decoder<T>& decoder) {
  if (!answer) return runtime::fail(answer.error());
  Result<api::Decoded<T>> decoded = decoder.decode_object(answer->body);
  if (!decoded) return runtime::fail(decoded.error());
  return std::move(decoded->object);
}

// The kinds in the versions that the playground speaks.
api::Resource pods();
api::Resource nodes();
api::Resource claims();
api::Resource device_classes();
api::Resource slices();
api::Resource namespaces();
api::Resource taint_rules();
api::Resource leases();

}  // namespace dcm::playground
