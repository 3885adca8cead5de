// Kubernetes' protobuf as each kind: an object alone and in a watch event is the same object, lists
// and events are read or rejected, and our writes about an object are valid JSON or protobuf.
//
// Bytes without an envelope get one, so that libFuzzer need not find it.
#include <boost/json/parse.hpp>
#include <protozero/pbf_writer.hpp>

#include "client/api/protobuf/envelope.hpp"
#include "client/api/status.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/api/encode_claim.hpp"
#include "controllers/api/resources.hpp"
#include "test/fuzz/describe.hpp"
#include "test/fuzz/fuzz.hpp"

namespace dcm::fuzz {
namespace {

template <class Visit>
void for_each_protobuf_decoder(const Visit& visit) {
  static const auto pods = api::make_protobuf_pod_decoder(api::PodSelection::all);
  static const auto claims = api::make_protobuf_claim_decoder();
  static const auto templates = api::make_protobuf_template_decoder();
  static const auto slices = api::make_protobuf_slice_decoder();
  static const auto rules = api::make_protobuf_rule_decoder();
  static const auto groups = api::make_protobuf_group_decoder();
  visit(*pods);
  visit(*claims);
  visit(*templates);
  visit(*slices);
  visit(*rules);
  visit(*groups);
}

std::string event_of(std::string_view object) {
  std::string event;
  protozero::pbf_writer writer(event);
  writer.add_string(1, "ADDED");
  protozero::pbf_writer raw(writer, 2);
  raw.add_bytes(1, object.data(), object.size());
  return event;
}

template <class T>
void write_about(const T&) {}

void write_about(const api::ResourceClaim& claim) {
  std::vector<api::Uid> released;
  for (const api::ConsumerReference& consumer : claim.reserved_for) {
    released.push_back(consumer.uid);
  }
  const std::string body = api::encode_release(claim.meta, released, api::Allocation::keep);
  boost::system::error_code error;
  boost::json::parse(body, error);
  expect(!error, "what we send is JSON, and so UTF-8", body);
}

void write_about(const api::ResourceClaimTemplate& claim_template) {
  if (claim_template.content == api::ResourceClaimTemplate::Content::left_out) return;
  const api::ClaimOwner owner{"v1", "Pod", claim_template.meta.key.name.str(),
                              claim_template.meta.uid};
  const api::Encoded body = api::encode_claim({&api::kResourceClaims, "v1"}, claim_template, "name",
                                              "name-", "gpus", owner);
  if (body.format != api::Format::protobuf) return;
  // Its spec may be invalid for a server, so only our part is read.
  api::protobuf::Texts texts;
  const auto envelope = api::protobuf::open_envelope(body.bytes, texts);
  expect(envelope.kind == "ResourceClaim", "a claim is one", envelope.kind);
}

template <class T>
void read(const api::Decoder<T>& decoder, std::string_view body) {
  const auto object = decoder.decode_object(body);
  const auto event = decoder.decode_watch_event(event_of(body));
  expect(object.has_value() == event.has_value(), "an object can stand in an event", "");
  if (object) {
    expect_equal(describe_event<T>(*event), "0 " + describe(*object),
                 "an object is the same in an event");
    if (object->object) write_about(*object->object);
  } else {
    expect_readable(object.error().message);
  }
  std::size_t items = 0;
  const auto list = decoder.decode_list(body, [&items](const api::Decoded<T>&) { ++items; });
  if (!list) expect_readable(list.error().message);
  expect(items <= body.size(), "a list has no more items than bytes", "");
}

}  // namespace

void run(std::string_view input) {
  const bool is_wrapped = api::protobuf::has_envelope(input);
  const std::string wrapped =
      is_wrapped ? "" : api::protobuf::wrap("resource.k8s.io/v1", "List", input);
  const std::string_view body = is_wrapped ? input : wrapped;
  for_each_protobuf_decoder([&](const auto& decoder) {
    read(decoder, body);
    const auto event = decoder.decode_watch_event(input);
    if (!event) expect_readable(event.error().message);
  });
  expect_readable(api::decode_status_error(410, body).message);
}

}  // namespace dcm::fuzz
