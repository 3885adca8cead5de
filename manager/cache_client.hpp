// Calls for the objects of a cache, which shows the answer to each write at once: the next decision
// sees it before the watch delivers it. So a lagging watch causes no second write.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "client/api/encode.hpp"
#include "manager/bodies.hpp"
#include "manager/cache.hpp"
#include "manager/missing.hpp"

namespace dcm::manager {

// A small value; what it refers to must outlive its calls. Errors of all calls are those of
// RestClient::send; runtime::is_object_gone() means that the object no longer exists, or was
// replaced under its name. If its namespace or its subresource is missing instead, that is
// not_served. `fields` are the object's own: kind and name are added.
//
// A write whose connection broke may have been executed (runtime::is_outcome_unknown). Repeat any
// but create(), and json_patch() with operations that add list items.
template <class T>
class CacheClient {
 public:
  using Object = api::Decoded<T>;
  template <class Value>
  using Answer = runtime::Task<runtime::Result<Value>>;

  // `field_manager` may be empty if nothing is applied.
  CacheClient(client::RestClient& rest, Cache<T>& cache,
              std::shared_ptr<const std::string> field_manager)
      : rest_(&rest), cache_(&cache), field_manager_(std::move(field_manager)) {}

  // The same client, whose calls have these options.
  CacheClient with(client::CallOptions options) const {
    CacheClient client = *this;
    client.options_ = options;
    return client;
  }

  // The object as it is on the server now.
  Answer<Object> get(const api::NamespacedName& name) const {
    return send(*this, client::get_request(cache_->resource(), name, options_));
  }

  // Empty name: `metadata.generateName` generates one.
  Answer<Object> create(const api::NamespacedName& name, const boost::json::object& fields) const {
    return send_new(
        *this, name.namespace_,
        client::create_request(cache_->resource(), name.namespace_.str(),
                               {encode_body(cache_->resource(), name, {}, fields)}, options_));
  }

  // Server-side apply, with force: takes over these fields, and removes those that this field
  // manager applied before and omits now. Creates the object if missing.
  Answer<Object> apply(const api::NamespacedName& name, const boost::json::object& fields) const {
    return send_new(*this, name.namespace_, apply_request(name, {}, {}, fields));
  }
  // The same, but does not recreate a deleted object.
  Answer<Object> apply_existing(const api::ObjectMeta& object,
                                const boost::json::object& fields) const {
    return send(*this, apply_request(object.key, object.uid, {}, fields));
  }
  // The same for `{"status": …}`; throws std::logic_error for other fields, which the API server
  // would refuse or drop. A kind with the member `conditions` reads them from "status.conditions";
  // otherwise a write of conditions throws.
  Answer<Object> apply_status(const api::ObjectMeta& object,
                              const boost::json::object& fields) const {
    require_status(fields);
    return send_to(*this, object, "status",
                   apply_request(object.key, object.uid, "status", fields));
  }

  // A null removes a field, a list replaces the whole list.
  Answer<Object> merge_patch(const api::ObjectMeta& object, const boost::json::object& patch,
                             std::string_view subresource = {}) const {
    check_conditions(patch);
    return send_to(*this, object, std::string(subresource),
                   client::merge_patch_request(cache_->resource(), object.key, subresource,
                                               encode_merge_patch(object.uid, patch), options_));
  }
  Answer<Object> json_patch(const api::ObjectMeta& object, const boost::json::array& operations,
                            std::string_view subresource = {}) const {
    return send_json_patch(
        *this, object, std::string(subresource),
        client::json_patch_request(cache_->resource(), object.key, subresource,
                                   encode_json_patch(object.uid, operations), options_));
  }

  // Deletes exactly that object. Succeeds if it is already gone.
  Answer<void> remove(const api::ObjectMeta& object) const { return send_remove(*this, object); }

  // `object` has a member `std::vector<std::string> finalizers`, read from "metadata.finalizers";
  // without that row, these throw std::logic_error rather than delete the finalizers of others.
  // Succeeds if there is nothing to change. Conflict: the object has changed, wait for the watch.
  Answer<void> add_finalizer(const T& object, const std::string& finalizer) const {
    std::vector<std::string> finalizers = finalizers_of(object);
    const bool is_there = std::ranges::find(finalizers, finalizer) != finalizers.end();
    if (!is_there) finalizers.push_back(finalizer);
    return send_finalizers(*this, object.meta, is_there ? std::nullopt : std::optional(finalizers));
  }
  Answer<void> remove_finalizer(const T& object, const std::string& finalizer) const {
    std::vector<std::string> finalizers = finalizers_of(object);
    const bool is_there = std::erase(finalizers, finalizer) > 0;
    return send_finalizers(*this, object.meta, is_there ? std::optional(finalizers) : std::nullopt);
  }

 private:
  const std::vector<std::string>& finalizers_of(const T& object) const {
    static_assert(
        requires { static_cast<const std::vector<std::string>&>(object.finalizers); },
        "finalizers are read from a member `std::vector<std::string> finalizers`: declare it, with "
        "the field {\"metadata.finalizers\", &T::finalizers}");
    cache_->require({"metadata.finalizers", "finalizers"});
    return object.finalizers;
  }

  // Conditions derived from a member that is never read would replace the object's.
  void check_conditions(const boost::json::object& fields) const {
    if constexpr (requires(const T& object) {
                    static_cast<const std::vector<api::Condition>&>(object.conditions);
                  }) {
      if (writes_conditions(fields)) cache_->require({"status.conditions", "conditions"});
    }
  }

  client::ApiRequest apply_request(const api::NamespacedName& name, const api::Uid& uid,
                                   std::string_view subresource,
                                   const boost::json::object& fields) const {
    check_conditions(fields);
    if (field_manager_->empty()) {
      throw std::logic_error(
          "the program has several controllers, which would remove each other's fields: name the "
          "field manager of this one, as in client(cache, \"NAME\")");
    }
    return client::apply_request(cache_->resource(), name, subresource, *field_manager_,
                                 encode_body(cache_->resource(), name, uid, fields), options_);
  }

  // Coroutines with a copy of the client: a task may outlive the client that created it.
  static Answer<Object> send(CacheClient self, client::ApiRequest request) {
    const api::Decoder<T>& decoder = self.cache_->decoder();
    request.accept = decoder.accept();
    const runtime::Result<http::Response> answer = co_await self.rest_->send(request);
    if (!answer) co_return runtime::fail(answer.error());
    runtime::Result<Object> object = decoder.decode_object(answer->body);
    if (!object) co_return runtime::fail(self.rest_->explain(request, object.error()));
    if (client::is_write(request.verb)) self.own_writes().record(*object);
    co_return object;
  }

  // A write that makes the object if it is missing.
  static Answer<Object> send_new(CacheClient self, api::InternedString namespace_,
                                 client::ApiRequest request) {
    const runtime::Result<Object> written = co_await send(self, std::move(request));
    if (written || !runtime::is_not_found(written.error())) co_return written;
    co_return runtime::fail(without_namespace(written.error(), namespace_.str()));
  }

  // A write to the object, or to a subresource of it.
  static Answer<Object> send_to(CacheClient self, api::ObjectMeta object, std::string subresource,
                                client::ApiRequest request) {
    const runtime::Result<Object> written = co_await send(self, std::move(request));
    if (written || subresource.empty() || !runtime::is_not_found(written.error())) {
      co_return written;
    }
    const bool is_there = co_await exists(self, object);
    if (!is_there) co_return written;
    co_return runtime::fail(
        without_subresource(written.error(), self.cache_->resource(), subresource));
  }

  // By a list, which the cache's controller is permitted. False if there is no answer.
  static runtime::Task<bool> exists(CacheClient self, api::ObjectMeta object) {
    client::TypedClient<T> typed(*self.rest_, self.cache_->resource(), self.cache_->decoder());
    const client::Selection selection{.namespace_ = object.key.namespace_.str(),
                                      .field_selector = "metadata.name=" + object.key.name.str()};
    const auto found = co_await typed.list_all(selection, self.options_);
    if (!found) co_return false;
    co_return std::ranges::any_of(
        *found, [&object](const Object& each) { return each.meta.uid == object.uid; });
  }

  static Answer<Object> send_json_patch(CacheClient self, api::ObjectMeta object,
                                        std::string subresource, client::ApiRequest request) {
    const runtime::Result<Object> written =
        co_await send_to(self, object, std::move(subresource), std::move(request));
    if (written || written.error().reason != runtime::Reason::invalid) co_return written;
    // The server does not say which operation failed: ours, which tests the UID, or another.
    const runtime::Result<Object> now = co_await self.get(object.key);
    const bool is_gone = now ? now->meta.uid != object.uid : runtime::is_object_gone(now.error());
    if (!is_gone) co_return written;
    co_return runtime::fail(runtime::Reason::another_object, written.error().message);
  }

  static Answer<void> send_remove(CacheClient self, api::ObjectMeta object) {
    client::TypedClient<T> typed(*self.rest_, self.cache_->resource(), self.cache_->decoder());
    const auto left =
        co_await typed.remove(object.key, api::encode_delete_options(object.uid), self.options_);
    if (!left && !runtime::is_object_gone(left.error())) co_return runtime::fail(left.error());
    if (left && *left) {
      self.own_writes().record(**left);
    } else {
      self.own_writes().record_gone(object);
    }
    co_return runtime::Result<>();
  }

  // nullopt: nothing to change.
  static Answer<void> send_finalizers(CacheClient self, api::ObjectMeta object,
                                      std::optional<std::vector<std::string>> finalizers) {
    if (!finalizers) co_return runtime::Result<>();
    const auto written = co_await send(
        self, client::merge_patch_request(self.cache_->resource(), object.key, {},
                                          encode_finalizers(object, *finalizers), self.options_));
    if (!written) co_return runtime::fail(written.error());
    // A deleted object that loses its last finalizer disappears with this write.
    if (finalizers->empty() && written->meta.is_being_deleted)
      self.own_writes().record_gone(object);
    co_return runtime::Result<>();
  }

  informers::OwnWrites<T> own_writes() const { return cache_->informer().own_writes(); }

  client::RestClient* rest_;
  Cache<T>* cache_;
  std::shared_ptr<const std::string> field_manager_;
  client::CallOptions options_ = {};
};

}  // namespace dcm::manager
