// An object, read as each kind: alone, in a list and in a watch event it is the same object. Our
// writes about it are valid JSON.
#include <boost/json/parse.hpp>
#include <fmt/format.h>

#include "client/api/encode.hpp"
#include "controllers/api/encode_claim.hpp"
#include "controllers/api/resources.hpp"
#include "test/fuzz/decoders.hpp"
#include "test/fuzz/describe.hpp"
#include "test/fuzz/fuzz.hpp"

namespace dcm::fuzz {
namespace {

bool is_json(std::string_view text) {
  boost::system::error_code error;
  boost::json::parse(text, error, {}, {.max_depth = 2000});
  return !error;
}

void expect_json(std::string_view body) {
  expect(is_json(body), "what we send is JSON", body);
}

void write_about(const api::ResourceClaim& claim) {
  std::vector<api::Uid> released;
  for (const api::ConsumerReference& consumer : claim.reserved_for) {
    expect_json(api::encode_reserve(claim.meta, consumer));
    released.push_back(consumer.uid);
  }
  expect_json(api::encode_release(claim.meta, released, api::Allocation::clear));
  expect_json(api::encode_release(claim.meta, released, api::Allocation::keep));
  expect_json(api::encode_remove_finalizer(claim.meta.uid, claim.meta.resource_version,
                                           api::kDeleteProtectionFinalizer));
  expect_json(api::encode_delete_options(claim.meta.uid));
}

// A pod or a group.
void write_about(const api::ClaimUser& user) {
  std::vector<api::ClaimNameEntry> entries;
  for (const api::PodClaim& claim : user.claims) entries.push_back({claim.name, claim.claim_name});
  expect_json(api::encode_claim_names("v1", "Pod", user.meta.key, user.meta.uid, entries));
}

void write_about(const api::ResourceClaimTemplate& claim_template) {
  const api::ClaimOwner owner{"v1", "Pod", claim_template.meta.key.name.str(),
                              claim_template.meta.uid};
  expect_json(api::encode_claim({&api::kResourceClaims, "v1"}, claim_template, "name",
                                claim_template.meta.key.name + "-", "gpus", owner)
                  .bytes);
}

void write_about(const api::ResourceSlice&) {}
void write_about(const api::DeviceTaintRule&) {}

template <class T>
void expect_same_in_list(const api::Decoder<T>& decoder, std::string_view input,
                         const std::string& told) {
  const std::string list =
      fmt::format(R"({{"metadata":{{"resourceVersion":"1"}},"items":[{0},{0}]}})", input);
  std::string items;
  const auto meta = decoder.decode_list(
      list, [&items](const api::Decoded<T>& item) { items += describe(item) + "\n"; });
  expect(meta.has_value(), "an object can stand in a list", meta ? "" : describe(meta.error()));
  expect_equal(items, told + "\n" + told + "\n", "an object is the same in a list");
}

template <class T>
void expect_same_in_event(const api::Decoder<T>& decoder, std::string_view input,
                          const std::string& told) {
  const auto event =
      decoder.decode_watch_event(fmt::format(R"({{"type":"ADDED","object":{}}})", input));
  expect(event.has_value(), "an object can stand in an event",
         event ? "" : describe(event.error()));
  expect_equal(describe_event<T>(*event), "0 " + told, "an object is the same in an event");
}

}  // namespace

void run(std::string_view input) {
  const bool is_whole = is_json(input);
  for_each_decoder([&]<class T>(const api::Decoder<T>& decoder) {
    const auto object = decoder.decode_object(input);
    if (!object) {
      expect_readable(object.error().message);
      return;
    }
    const std::string told = describe(*object);
    expect_same_in_list(decoder, input, told);
    expect_same_in_event(decoder, input, told);
    // Unused fields are not validated, and a template's spec is copied unchanged.
    if (is_whole && object->object) write_about(*object->object);
  });
}

}  // namespace dcm::fuzz
