// Reads a kind in protobuf if the server supports it, otherwise in JSON: custom resources and many
// aggregated APIs. The server chooses for each answer.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "client/api/decoder.hpp"
#include "client/api/protobuf/envelope.hpp"

namespace dcm::api {

template <class T>
class NegotiatedDecoder final : public Decoder<T> {
 public:
  NegotiatedDecoder(std::unique_ptr<Decoder<T>> protobuf, std::unique_ptr<Decoder<T>> json)
      : protobuf_(std::move(protobuf)), json_(std::move(json)) {}

  std::string_view accept() const override { return kProtobufOrJson; }
  Result<Decoded<T>> decode_object(std::string_view body) const override {
    return reader_of(body).decode_object(body);
  }
  Result<ListMeta> decode_list(std::string_view body,
                               const std::function<void(Decoded<T>)>& sink) const override {
    return reader_of(body).decode_list(body, sink);
  }
  Result<WatchEvent<T>> decode_watch_event(std::string_view frame) const override {
    // In protobuf, this first byte would start a group, which Kubernetes does not use.
    return (frame.starts_with('{') ? json_ : protobuf_)->decode_watch_event(frame);
  }

 private:
  const Decoder<T>& reader_of(std::string_view body) const {
    return protobuf::has_envelope(body) ? *protobuf_ : *json_;
  }

  std::unique_ptr<Decoder<T>> protobuf_;
  std::unique_ptr<Decoder<T>> json_;
};

// The decoder for a kind that is requested in this format.
template <class T>
std::unique_ptr<Decoder<T>> negotiate(Format format, std::unique_ptr<Decoder<T>> protobuf,
                                      std::unique_ptr<Decoder<T>> json) {
  if (format == Format::json) return json;
  return std::make_unique<NegotiatedDecoder<T>>(std::move(protobuf), std::move(json));
}

}  // namespace dcm::api
