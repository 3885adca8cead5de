// Calls for one kind, with answers as objects: get, list, create, update, apply, patch, delete.
//
// Thin: request.hpp builds the requests, RestClient sends them; here the answers are decoded.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/api/decoder.hpp"
#include "client/request/paging.hpp"
#include "client/request/rest_client.hpp"

namespace dcm::client {

// `rest` and `decoder` must outlive it and its calls. Created again when discovery finds another
// version.
template <class T>
class TypedClient {
 public:
  using Object = api::Decoded<T>;

  TypedClient(RestClient& rest, api::Resource resource, const api::Decoder<T>& decoder)
      : rest_(rest), resource_(std::move(resource)), decoder_(decoder) {}

  const api::Resource& resource() const { return resource_; }

  runtime::Task<runtime::Result<Object>> get(api::NamespacedName key, CallOptions options = {}) {
    return call(get_request(resource_, key, options));
  }

  // All objects of a namespace (empty: of all), or of a selection, as of one point in time not
  // before this call, so every write that was answered before is seen. Starts over if pages expire.
  // Error body_too_large: all pages together have more than `bytes_max` bytes.
  runtime::Task<runtime::Result<std::vector<Object>>> list_all(std::string namespace_,
                                                               CallOptions options = {},
                                                               std::size_t bytes_max = kNoLimit) {
    return list_all(Selection{.namespace_ = std::move(namespace_)}, options, bytes_max);
  }
  runtime::Task<runtime::Result<std::vector<Object>>> list_all(Selection selection,
                                                               CallOptions options = {},
                                                               std::size_t bytes_max = kNoLimit) {
    for (int restarts = 0;; ++restarts) {
      runtime::Result<std::vector<Object>> objects =
          co_await list_pages(selection, options, bytes_max);
      if (objects || !runtime::is_expired(objects.error()) || restarts == kRestartsMax) {
        co_return objects;
      }
    }
  }

  runtime::Task<runtime::Result<Object>> create(std::string namespace_, api::Encoded body,
                                                CallOptions options = {}) {
    return call(create_request(resource_, namespace_, std::move(body), options));
  }

  // Replaces the whole object: `body` has the resourceVersion that it is based on. For the caller's
  // own kinds; on other kinds it drops fields that the caller does not know.
  runtime::Task<runtime::Result<Object>> update(api::NamespacedName key, std::string body,
                                                CallOptions options = {}) {
    return call(update_request(resource_, key, std::move(body), options));
  }

  runtime::Task<runtime::Result<Object>> apply(api::NamespacedName key, std::string subresource,
                                               std::string field_manager, std::string body,
                                               CallOptions options = {}) {
    return call(
        apply_request(resource_, key, subresource, field_manager, std::move(body), options));
  }

  runtime::Task<runtime::Result<Object>> strategic_merge_patch(api::NamespacedName key,
                                                               std::string subresource,
                                                               std::string body,
                                                               CallOptions options = {}) {
    return call(
        strategic_merge_patch_request(resource_, key, subresource, std::move(body), options));
  }

  // For every kind; custom resources do not support strategic merge patches.
  runtime::Task<runtime::Result<Object>> merge_patch(api::NamespacedName key,
                                                     std::string subresource, std::string body,
                                                     CallOptions options = {}) {
    return call(merge_patch_request(resource_, key, subresource, std::move(body), options));
  }

  runtime::Task<runtime::Result<Object>> json_patch(api::NamespacedName key,
                                                    std::string subresource, std::string body,
                                                    CallOptions options = {}) {
    return call(json_patch_request(resource_, key, subresource, std::move(body), options));
  }

  // `body`: DeleteOptions with the UID as precondition. Returns the object if it remains for a
  // while (finalizers, a grace period); nullopt if it is gone.
  runtime::Task<runtime::Result<std::optional<Object>>> remove(api::NamespacedName key,
                                                               std::string body,
                                                               CallOptions options = {}) {
    ApiRequest request = delete_request(resource_, key, std::move(body), options);
    request.accept = decoder_.accept();
    const runtime::Result<http::Response> answer = co_await rest_.send(std::move(request));
    if (!answer) co_return runtime::fail(answer.error());
    // Other answers are a Status with `Success`, or the last state of the deleted object.
    runtime::Result<Object> object = decoder_.decode_object(answer->body);
    if (!object || !object->meta.is_being_deleted) co_return std::optional<Object>();
    co_return std::optional<Object>(*std::move(object));
  }

 private:
  static constexpr int kRestartsMax = 3;
  static constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

  runtime::Task<runtime::Result<Object>> call(ApiRequest request) {
    request.accept = decoder_.accept();
    const runtime::Result<http::Response> answer = co_await rest_.send(request);
    if (!answer) co_return runtime::fail(answer.error());
    runtime::Result<Object> object = decoder_.decode_object(answer->body);
    if (!object) co_return runtime::fail(rest_.explain(request, object.error()));
    co_return object;
  }

  struct Pages {
    std::vector<Object> objects = {};
    std::size_t bytes = 0;
  };

  runtime::Task<runtime::Result<std::vector<Object>>> list_pages(Selection selection,
                                                                 CallOptions options,
                                                                 std::size_t bytes_max) {
    Pages pages;
    Paging paging;
    while (true) {
      const std::size_t before = pages.objects.size();
      runtime::Result<api::ListMeta> page =
          co_await list_page({selection, paging.limit, paging.continue_token}, options, pages);
      if (!page && page.error().reason == runtime::Reason::body_too_large) {
        if (auto smaller = smaller_page(paging)) {
          paging = std::move(*smaller);
          continue;
        }
      }
      if (!page) co_return runtime::fail(std::move(page.error()));
      if (pages.bytes > bytes_max) co_return runtime::fail(list_too_large(bytes_max));
      if (page->continue_token.empty()) co_return std::move(pages.objects);
      auto next = next_page(std::move(paging), pages.objects.size() - before,
                            std::move(page->continue_token));
      if (!next) co_return runtime::fail(std::move(next.error()));
      paging = std::move(*next);
    }
  }

  runtime::Task<runtime::Result<api::ListMeta>> list_page(ListOptions list, CallOptions options,
                                                          Pages& pages) {
    ApiRequest request = list_request(resource_, list, options);
    request.accept = decoder_.accept();
    const runtime::Result<http::Response> answer = co_await rest_.send(request);
    if (!answer) co_return runtime::fail(answer.error());
    pages.bytes += answer->body.size();
    const auto keep = [&pages](Object object) { pages.objects.push_back(std::move(object)); };
    runtime::Result<api::ListMeta> page = decoder_.decode_list(answer->body, keep);
    if (!page) co_return runtime::fail(rest_.explain(request, page.error()));
    co_return page;
  }

  RestClient& rest_;
  api::Resource resource_;
  const api::Decoder<T>& decoder_;
};

}  // namespace dcm::client
