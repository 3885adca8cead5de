// Truncated or damaged documents give an error or an object, but never a crash (checked by the
// sanitizer builds).
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "client/api/status.hpp"
#include "runtime/rng.hpp"
#include "test/unit/api/decode_support.hpp"

namespace dcm::api {
namespace {

constexpr std::string_view kPod = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p",
  "namespace":"lab","uid":"5b0c7c1e-94a5-4a55-8f5c-6f2f3c0d9a11","resourceVersion":"81507",
  "managedFields":[{"fieldsV1":{"f:a":{}}}],"deletionTimestamp":null},"spec":{"containers":[{"a":[
  true,1.5e3,"\u00e4\"ä"]}],"nodeName":"node\u002da","resourceClaims":[{"name":"gpus",
  "resourceClaimTemplateName":"t"},{"n\u0061me":"b"}],"schedulingGroup":{"podGroupName":"g"}},
  "status":{"phase":"Running","conditions":[{"type":"DisruptionTarget","status":"True"}],"resourceClaimStatuses":[{"name":"gpus","resourceClaimName":"c"}],
  "extendedResourceClaimStatus":{"resourceClaimName":"e"}}})";

constexpr std::string_view kClaim = R"({"metadata":{"name":"c","uid":"u","resourceVersion":"1",
  "annotations":{"resource.kubernetes.io/pod-claim-name":"gpus"},"finalizers":["x"],
  "ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"q","controller":true}]},
  "spec":{"devices":{"requests":[{"exactly":{"adminAccess":false}},{"firstAvailable":[{}]}]}},
  "status":{"allocation":{"devices":{"results":[{"driver":"d","tolerations":[
  {"operator":"Exists","effect":"NoExecute","tolerationSeconds":-1}]}]}},"reservedFor":[{"resource":"pods","name":"p","uid":"q"},
  {"apiGroup":"g","resource":"r"}]}})";

constexpr std::string_view kTemplate = R"({"metadata":{"name":"t","uid":"u","resourceVersion":"1"},
  "spec":{"metadata":{"labels":{"a":"b","\u0063":"d"},"annotations":{"e":null}},
  "spec":{"devices":{"requests":[{"exactly":{"adminAccess":true}},{"firstAvailable":[{}]}]}} }})";

constexpr std::string_view kSlice = R"({"metadata":{"name":"s","uid":"u","resourceVersion":"1"},
  "spec":{"driver":"d","pool":{"name":"p","generation":-3},"devices":[{"name":"a","taints":[
  {"key":"k","effect":"NoExecute","timeAdded":"2027-03-01T09:00:00.5+01:00"}]},{"x":[{}]}]}})";

constexpr std::string_view kRule = R"({"metadata":{"name":"r","uid":"u","resourceVersion":"1",
  "generation":2},"spec":{"deviceSelector":{"driver":null,"pool":"p","new":[1]},"taint":{"key":"k",
  "effect":"NoExecute"}},"status":{"conditions":[{"type":"EvictionInProgress","status":"True",
  "observedGeneration":1,"lastTransitionTime":"2027-03-01T09:00:00Z"}]}})";

constexpr std::string_view kGroup = R"({"metadata":{"name":"g","uid":"u","resourceVersion":"1"},
  "spec":{"resourceClaims":[{"name":"a","resourceClaimTemplateName":"t"},{"x":[{}]}]},
  "status":{"resourceClaimStatuses":[{"name":"a","resourceClaimName":"c"},{"name":null}]}})";

constexpr std::string_view kStatus = R"({"kind":"Status","code":410,"reason":"Expired",
  "message":"m\u000a","details":{"name":"n","retryAfterSeconds":1,"causes":[{"reason":"r",
  "field":"f","message":"m"}]}})";

// A document and a way to read it; true if it was read.
struct Sample {
  std::string_view name;
  std::string json;
  std::function<bool(std::string_view)> decode;
};

template <class T>
void add_samples(std::vector<Sample>& samples, std::string_view name,
                 std::shared_ptr<Decoder<T>> decoder, std::string_view object) {
  const auto as_object = [decoder](std::string_view json) {
    return decoder->decode_object(json).has_value();
  };
  const auto as_list = [decoder](std::string_view json) {
    return decoder->decode_list(json, [](const Decoded<T>&) {}).has_value();
  };
  const auto as_frame = [decoder](std::string_view json) {
    return decoder->decode_watch_event(json).has_value();
  };
  samples.push_back({name, std::string(object), as_object});
  samples.push_back({name,
                     fmt::format(R"({{"metadata":{{"resourceVersion":"9","continue":"c"}},
                                      "items":[{0},{0}]}})",
                                 object),
                     as_list});
  samples.push_back({name, fmt::format(R"({{"type":"ADDED","object":{}}})", object), as_frame});
  samples.push_back({name, fmt::format(R"({{"object":{},"type":"DELETED"}})", object), as_frame});
}

std::vector<Sample> all_samples() {
  std::vector<Sample> samples;
  add_samples<Pod>(samples, "pod", make_json_pod_decoder(), kPod);
  add_samples<ResourceSlice>(samples, "slice", make_json_slice_decoder("v1"), kSlice);
  add_samples<DeviceTaintRule>(samples, "rule", make_json_rule_decoder(), kRule);
  add_samples<ResourceClaim>(samples, "claim", make_json_claim_decoder("v1"), kClaim);
  add_samples<ResourceClaim>(samples, "v1beta1", make_json_claim_decoder("v1beta1"), kClaim);
  add_samples<ResourceClaimTemplate>(samples, "template", make_json_template_decoder("v1"),
                                     kTemplate);
  add_samples<PodGroup>(samples, "group", make_json_group_decoder(), kGroup);
  const std::shared_ptr<Decoder<Pod>> pods = make_json_pod_decoder();
  const auto as_frame = [pods](std::string_view json) {
    return pods->decode_watch_event(json).has_value();
  };
  samples.push_back({"error", fmt::format(R"({{"type":"ERROR","object":{}}})", kStatus), as_frame});
  samples.push_back({"bookmark",
                     R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"5",
                         "annotations":{"k8s.io/initial-events-end":"true"}}}})",
                     as_frame});
  return samples;
}

TEST(HostileInput, accepts_only_complete_document) {
  for (const Sample& sample : all_samples()) {
    for (std::size_t length = 0; length < sample.json.size(); ++length) {
      EXPECT_FALSE(sample.decode(sample.json.substr(0, length)))
          << sample.name << " cut after " << length << " of " << sample.json;
    }
    EXPECT_TRUE(sample.decode(sample.json)) << sample.json;
    EXPECT_TRUE(sample.decode(sample.json + " \n")) << sample.json;
    EXPECT_FALSE(sample.decode(sample.json + ",")) << sample.json;
    EXPECT_FALSE(sample.decode(sample.json + sample.json)) << sample.json;
  }
}

TEST(HostileInput, reads_truncated_status_as_refusal) {
  for (std::size_t length = 0; length <= kStatus.size(); ++length) {
    const auto error = decode_status_error(410, kStatus.substr(0, length));
    EXPECT_EQ(error.reason, runtime::Reason::gone);
    EXPECT_EQ(error.retry_after.has_value(), length == kStatus.size());
  }
}

// Applies one of several kinds of damage to a document.
void damage(std::string& json, runtime::Rng& rng) {
  constexpr std::string_view kTokens = "{}[]\",:\\nt0 -\x01\xc3\xff";
  const std::size_t place = rng.below(json.size());
  const std::size_t length = rng.below(12);
  switch (rng.below(5)) {
    case 0:
      json[place] =
          static_cast<char>(static_cast<unsigned char>(json[place]) ^ (1U << rng.below(8)));
      break;
    case 1:
      json[place] = kTokens[rng.below(kTokens.size())];
      break;
    case 2:
      json.insert(place, 1, kTokens[rng.below(kTokens.size())]);
      break;
    case 3:
      json.erase(place, length);
      break;
    default:
      json.insert(rng.below(json.size()), json.substr(place, length));
  }
  if (json.empty()) json = "{";
}

TEST(HostileInput, survives_damaged_documents) {
  constexpr std::uint64_t kSeed = 20270301;
  constexpr int kRounds = 4000;
  std::size_t decoded = 0;
  std::size_t refused = 0;
  for (const Sample& sample : all_samples()) {
    runtime::Rng rng(kSeed);
    SCOPED_TRACE(fmt::format("{} seed {}", sample.name, kSeed));
    for (int round = 0; round < kRounds; ++round) {
      std::string json = sample.json;
      for (std::uint64_t damages = 1 + rng.below(3); damages > 0; --damages) damage(json, rng);
      ++(sample.decode(json) ? decoded : refused);
      static_cast<void>(decode_status_error(422, json));
    }
  }
  // Both happen, so the damage is neither harmless nor always fatal.
  EXPECT_GT(decoded, 100U);
  EXPECT_GT(refused, 100U);
}

}  // namespace
}  // namespace dcm::api
