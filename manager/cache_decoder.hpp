// Which objects a cache accepts, and which of them it keeps.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "client/api/decoder.hpp"
#include "client/api/resource.hpp"

namespace dcm::manager {

// Every object of a cache comes through its decoder, from lists, watches and writes. An object
// whose namespace does not fit the scope of its kind is malformed: its key would lead to no path.
// An object for which `keep` is false has only its identity, so the cache drops it.
template <class T>
class CacheDecoder final : public api::Decoder<T> {
 public:
  // Without `keep`, all are kept.
  CacheDecoder(std::unique_ptr<api::Decoder<T>> decoder, api::Scope scope,
               std::function<bool(const T&)> keep)
      : decoder_(std::move(decoder)), scope_(scope), keep_(std::move(keep)) {}

  std::string_view accept() const override { return decoder_->accept(); }
  api::Result<api::Decoded<T>> decode_object(std::string_view body) const override {
    auto read = decoder_->decode_object(body);
    if (!read) return read;
    if (auto wrong = filter(*read)) return runtime::fail(*std::move(wrong));
    return read;
  }
  api::Result<api::ListMeta> decode_list(
      std::string_view body, const std::function<void(api::Decoded<T>)>& sink) const override {
    std::optional<runtime::Error> wrong;
    auto list = decoder_->decode_list(body, [&](api::Decoded<T> one) {
      if (!wrong) wrong = filter(one);
      if (!wrong) sink(std::move(one));
    });
    if (list && wrong) return runtime::fail(*std::move(wrong));
    return list;
  }
  api::Result<api::WatchEvent<T>> decode_watch_event(std::string_view frame) const override {
    auto event = decoder_->decode_watch_event(frame);
    auto* const change = event ? std::get_if<api::ChangeEvent<T>>(&*event) : nullptr;
    if (change == nullptr) return event;
    if (auto wrong = filter(change->subject)) return runtime::fail(*std::move(wrong));
    return event;
  }

 private:
  // Returns why the object is not accepted.
  std::optional<runtime::Error> filter(api::Decoded<T>& one) const {
    const bool has_namespace = !one.meta.key.namespace_.empty();
    if (has_namespace != (scope_ == api::Scope::namespaced)) {
      return runtime::Error{
          runtime::Reason::malformed,
          fmt::format("metadata.namespace: {} (in {})",
                      has_namespace ? "its kind has none" : "missing", one.meta.key.str())};
    }
    if (keep_ && one.object && !keep_(*one.object)) one.object = nullptr;
    return std::nullopt;
  }

  std::unique_ptr<api::Decoder<T>> decoder_;
  api::Scope scope_;
  std::function<bool(const T&)> keep_;
};

}  // namespace dcm::manager
