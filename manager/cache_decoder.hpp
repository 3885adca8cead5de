// Filters what a cache keeps.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>

#include "client/api/decoder.hpp"

namespace dcm::manager {

// An object for which `keep` is false has only its identity, so a cache drops it.
template <class T>
class KeepingDecoder final : public api::Decoder<T> {
 public:
  KeepingDecoder(std::unique_ptr<api::Decoder<T>> decoder, std::function<bool(const T&)> keep)
      : decoder_(std::move(decoder)), keep_(std::move(keep)) {}

  std::string_view accept() const override { return decoder_->accept(); }
  api::Result<api::Decoded<T>> decode_object(std::string_view body) const override {
    auto read = decoder_->decode_object(body);
    if (read) filter(*read);
    return read;
  }
  api::Result<api::ListMeta> decode_list(
      std::string_view body, const std::function<void(api::Decoded<T>)>& sink) const override {
    return decoder_->decode_list(body, [&](api::Decoded<T> one) {
      filter(one);
      sink(std::move(one));
    });
  }
  api::Result<api::WatchEvent<T>> decode_watch_event(std::string_view frame) const override {
    auto event = decoder_->decode_watch_event(frame);
    if (!event) return event;
    if (auto* change = std::get_if<api::ChangeEvent<T>>(&*event)) filter(change->subject);
    return event;
  }

 private:
  void filter(api::Decoded<T>& one) const {
    if (one.object && !keep_(*one.object)) one.object = nullptr;
  }

  std::unique_ptr<api::Decoder<T>> decoder_;
  std::function<bool(const T&)> keep_;
};

}  // namespace dcm::manager
