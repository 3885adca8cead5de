#include "client/api/protobuf/envelope.hpp"

#include <protozero/pbf_writer.hpp>

namespace dcm::api::protobuf {
namespace {

constexpr std::string_view kMagic("k8s\0", 4);

class NoEnvelope : public protozero::exception {
 public:
  const char* what() const noexcept override { return "no object of Kubernetes"; }
};

void read_type(const Field& type, Envelope& envelope) {
  each_field(type, [&](const Field& field) {
    if (field.number() == 1) envelope.api_version = field.bytes();
    if (field.number() == 2) envelope.kind = field.bytes();
  });
}

}  // namespace

bool has_envelope(std::string_view body) {
  return body.starts_with(kMagic);
}

Envelope open_envelope(std::string_view body, Texts& texts) {
  if (!has_envelope(body)) throw NoEnvelope();
  Envelope envelope;
  each_field(Field(body.substr(kMagic.size()), texts), [&](const Field& field) {
    if (field.number() == 1) read_type(field, envelope);
    if (field.number() == 2) envelope.object = field.bytes();
  });
  return envelope;
}

std::string wrap(std::string_view api_version, std::string_view kind, std::string_view object) {
  std::string body(kMagic);
  body.reserve(kMagic.size() + api_version.size() + kind.size() + object.size() + 32);
  protozero::pbf_writer envelope(body);
  {
    protozero::pbf_writer type(envelope, 1);
    type.add_string(1, api_version.data(), api_version.size());
    type.add_string(2, kind.data(), kind.size());
  }
  envelope.add_bytes(2, object.data(), object.size());
  return body;
}

}  // namespace dcm::api::protobuf
