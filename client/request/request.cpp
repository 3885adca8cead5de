#include "client/request/request.hpp"

#include <array>

#include "client/api/percent_encoding.hpp"

namespace dcm::client {
namespace {

struct VerbTraits {
  Verb verb;
  http::Method method;
  std::string_view content_type;
  bool write;
  bool idempotent;
};

constexpr std::array<VerbTraits, 10> kVerbs = {{
    {Verb::get, http::Method::get, "", false, true},
    {Verb::list, http::Method::get, "", false, true},
    {Verb::watch, http::Method::get, "", false, true},
    {Verb::create, http::Method::post, "application/json", true, false},
    {Verb::update, http::Method::put, "application/json", true, true},
    {Verb::apply, http::Method::patch, "application/apply-patch+yaml", true, true},
    {Verb::strategic_merge_patch, http::Method::patch, "application/strategic-merge-patch+json",
     true, true},
    {Verb::merge_patch, http::Method::patch, "application/merge-patch+json", true, true},
    {Verb::delete_, http::Method::delete_, "application/json", true, true},
    {Verb::json_patch, http::Method::patch, "application/json-patch+json", true, false},
}};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kVerbs.size(); ++i) {
    if (static_cast<std::size_t>(kVerbs[i].verb) != i) return false;
  }
  return true;
}
static_assert(is_in_order(), "kVerbs has one row for each Verb, in its order");

const VerbTraits& traits(Verb verb) {
  return kVerbs[static_cast<std::size_t>(verb)];
}

// 500 pods of 30 KB. A larger page is requested again with a smaller limit (paging.hpp). A single
// object is accepted even where etcd's limit was raised to 10 MB (six times that, with escapes).
constexpr std::size_t kPageBytesMax = std::size_t{16} * 1024 * 1024;
constexpr std::size_t kOneObjectBytesMax = std::size_t{64} * 1024 * 1024;

std::string path_of(const api::Resource& resource, const Selection& selection) {
  return selection.namespace_.empty() ? resource.path() : resource.path(selection.namespace_);
}

ApiRequest make_request(Verb verb, std::string target, std::string body, CallOptions options) {
  return {.verb = verb,
          .target = std::move(target),
          .body = std::move(body),
          .priority = options.priority,
          .retries = options.retries,
          .deadline = options.deadline};
}

}  // namespace

http::Method method_of(Verb verb) {
  return traits(verb).method;
}

std::string_view content_type_of(Verb verb) {
  return traits(verb).content_type;
}

bool is_write(Verb verb) {
  return traits(verb).write;
}

bool is_idempotent(Verb verb) {
  return traits(verb).idempotent;
}

std::string make_target(std::string_view path, const QueryParameters& parameters) {
  std::string target(path);
  char separator = '?';
  for (const auto& [name, value] : parameters) {
    if (value.empty()) continue;
    target += separator;
    api::append_percent_encoded(target, name);
    target += '=';
    api::append_percent_encoded(target, value);
    separator = '&';
  }
  return target;
}

ApiRequest get_request(const api::Resource& resource, const api::NamespacedName& key,
                       CallOptions options) {
  return make_request(Verb::get, resource.path(key), {}, options);
}

ApiRequest create_request(const api::Resource& resource, std::string_view namespace_,
                          api::Encoded body, CallOptions options) {
  const std::string path = namespace_.empty() ? resource.path() : resource.path(namespace_);
  ApiRequest request = make_request(Verb::create, path, std::move(body.bytes), options);
  request.body_format = body.format;
  return request;
}

ApiRequest update_request(const api::Resource& resource, const api::NamespacedName& key,
                          std::string body, CallOptions options) {
  return make_request(Verb::update, resource.path(key), std::move(body), options);
}

ApiRequest create_subresource_request(const api::Resource& resource, const api::NamespacedName& key,
                                      std::string_view subresource, std::string body,
                                      CallOptions options) {
  return make_request(Verb::create, resource.path(key, subresource), std::move(body), options);
}

ApiRequest apply_request(const api::Resource& resource, const api::NamespacedName& key,
                         std::string_view subresource, std::string_view field_manager,
                         std::string body, CallOptions options) {
  return make_request(Verb::apply,
                      make_target(resource.path(key, subresource),
                                  {{"fieldManager", field_manager}, {"force", "true"}}),
                      std::move(body), options);
}

ApiRequest strategic_merge_patch_request(const api::Resource& resource,
                                         const api::NamespacedName& key,
                                         std::string_view subresource, std::string body,
                                         CallOptions options) {
  return make_request(Verb::strategic_merge_patch, resource.path(key, subresource), std::move(body),
                      options);
}

ApiRequest merge_patch_request(const api::Resource& resource, const api::NamespacedName& key,
                               std::string_view subresource, std::string body,
                               CallOptions options) {
  return make_request(Verb::merge_patch, resource.path(key, subresource), std::move(body), options);
}

ApiRequest json_patch_request(const api::Resource& resource, const api::NamespacedName& key,
                              std::string_view subresource, std::string body, CallOptions options) {
  return make_request(Verb::json_patch, resource.path(key, subresource), std::move(body), options);
}

ApiRequest delete_request(const api::Resource& resource, const api::NamespacedName& key,
                          std::string body, CallOptions options) {
  return make_request(Verb::delete_, resource.path(key), std::move(body), options);
}

ApiRequest list_request(const api::Resource& resource, const ListOptions& list,
                        CallOptions options) {
  const std::string limit = list.limit == 0 ? std::string() : std::to_string(list.limit);
  ApiRequest request = make_request(Verb::list,
                                    make_target(path_of(resource, list.selection),
                                                {{"limit", limit},
                                                 {"continue", list.continue_token},
                                                 {"labelSelector", list.selection.label_selector},
                                                 {"fieldSelector", list.selection.field_selector}}),
                                    {}, options);
  request.compression = Compression::gzip;
  request.answer_bytes_max = list.limit == 1 ? kOneObjectBytesMax : kPageBytesMax;
  return request;
}

ApiRequest watch_request(const api::Resource& resource, const WatchOptions& watch,
                         CallOptions options) {
  const bool is_watch_list = watch.initial_events == InitialEvents::send;
  const std::string version = watch.resource_version.str();
  const std::string timeout =
      std::to_string(std::chrono::ceil<std::chrono::seconds>(watch.server_timeout).count());
  ApiRequest request =
      make_request(Verb::watch,
                   make_target(path_of(resource, watch.selection),
                               {{"watch", "true"},
                                {"allowWatchBookmarks", "true"},
                                {"resourceVersion", version},
                                {"sendInitialEvents", is_watch_list ? "true" : ""},
                                {"resourceVersionMatch", is_watch_list ? "NotOlderThan" : ""},
                                {"timeoutSeconds", timeout},
                                {"labelSelector", watch.selection.label_selector},
                                {"fieldSelector", watch.selection.field_selector}}),
                   {}, options);
  if (is_watch_list) request.compression = Compression::gzip;
  return request;
}

}  // namespace dcm::client
