// Documents whose few bytes would become much memory: each array has a limit of items per object,
// and each object of a list is counted separately.
#include <protozero/pbf_writer.hpp>

#include "client/api/json/reader.hpp"
#include "client/api/protobuf/envelope.hpp"
#include "controllers/api/decoders.hpp"
#include "test/unit/api/decode_support.hpp"

namespace dcm::api {
namespace {

using testing::HasSubstr;

constexpr std::size_t kMost = kItemsMax;
constexpr std::string_view kTooMany = "more than 315000 items in an object";

std::string times(std::string_view item, std::size_t count, std::string_view between) {
  std::string text;
  text.reserve(count * (item.size() + between.size()));
  for (std::size_t i = 0; i < count; ++i) (text += i == 0 ? "" : between) += item;
  return text;
}

// Fields of an object besides its identity, with "%" for many items.
std::string object_with(std::string fields, const std::string& items) {
  if (const auto at = fields.find('%'); at != fields.npos) fields.replace(at, 1, items);
  return R"({"metadata":{"name":"n","uid":"u","resourceVersion":"1"})" + fields + "}";
}

template <class T>
std::string refusal(const Decoder<T>& decoder, const std::string& body) {
  const auto decoded = decoder.decode_object(body);
  return decoded ? "" : decoded.error().message;
}

template <class T>
void expect_bounded(std::unique_ptr<Decoder<T>> decoder, const std::string& fields,
                    std::string_view item = "{}") {
  EXPECT_EQ(refusal(*decoder, object_with(fields, times(item, 10, ","))), "") << fields;
  EXPECT_THAT(refusal(*decoder, object_with(fields, times(item, kMost + 1, ","))),
              HasSubstr(kTooMany))
      << fields;
}

TEST(ManyItems, are_bounded_in_each_array) {
  expect_bounded(make_json_pod_decoder(), R"(,"spec":{"resourceClaims":[%]})");
  expect_bounded(make_json_pod_decoder(), R"(,"status":{"resourceClaimStatuses":[%]})");
  expect_bounded(make_json_pod_decoder(), R"(,"status":{"conditions":[%]})");
  expect_bounded(make_json_group_decoder(), R"(,"spec":{"resourceClaims":[%]})");
  expect_bounded(make_json_group_decoder(), R"(,"status":{"resourceClaimStatuses":[%]})");
  expect_bounded(make_json_claim_decoder("v1"), R"(,"status":{"reservedFor":[%]})");
  expect_bounded(make_json_claim_decoder("v1"),
                 R"(,"status":{"allocation":{"devices":{"results":[%]}}})");
  expect_bounded(make_json_claim_decoder("v1"),
                 R"(,"status":{"allocation":{"devices":{"results":[{"tolerations":[%]}]}}})");
  expect_bounded(make_json_claim_decoder("v1"), R"(,"spec":{"devices":{"requests":[%]}})");
  expect_bounded(make_json_template_decoder("v1"),
                 R"(,"spec":{"spec":{"devices":{"requests":[%]}}})");
  expect_bounded(make_json_slice_decoder("v1"), R"(,"spec":{"devices":[%]})");
  expect_bounded(make_json_slice_decoder("v1"), R"(,"spec":{"devices":[{"taints":[%]}]})");
  expect_bounded(make_json_rule_decoder(), R"(,"status":{"conditions":[%]})");
}

TEST(ManyItems, are_bounded_in_kept_map) {
  std::string labels;
  for (std::size_t i = 0; i <= kMost; ++i)
    labels += fmt::format("{}\"{}\":\"\"", i == 0 ? "" : ",", i);
  const auto decoder = make_json_template_decoder("v1");
  EXPECT_THAT(refusal(*decoder, object_with(R"(,"spec":{"metadata":{"labels":{%}}})", labels)),
              HasSubstr(kTooMany));
}

// The smallest entries of which an object can have many, in the format of etcd. One object too many
// would stop the cache of its whole kind.
TEST(ManyItems, are_accepted_as_many_as_etcd_stores) {
  constexpr std::size_t kStoredMax = 3 * 512 * 1024;
  std::string labels;
  protozero::pbf_writer metadata(labels);
  while (labels.size() < kStoredMax) {
    const std::size_t number = labels.size();
    const std::string key = {static_cast<char>('0' + number % 75),
                             static_cast<char>('0' + number / 75 % 75),
                             static_cast<char>('0' + number / 75 / 75 % 75)};
    protozero::pbf_writer entry(metadata, 11);
    entry.add_string(1, key);
    entry.add_string(2, "");
  }
  std::string bytes;
  protozero::pbf_writer object(bytes);
  {
    protozero::pbf_writer own(object, 1);
    own.add_string(1, "n");
    own.add_string(5, "u");
    own.add_string(6, "1");
  }
  {
    protozero::pbf_writer spec(object, 2);
    spec.add_message(1, labels);
  }
  EXPECT_EQ(refusal(*make_protobuf_template_decoder(),
                    protobuf::wrap("resource.k8s.io/v1", "ResourceClaimTemplate", bytes)),
            "");
  const std::string finalizers = times(R"("a/b")", kStoredMax / 5, ",");
  EXPECT_EQ(refusal(*make_json_claim_decoder("v1"),
                    R"({"metadata":{"name":"n","uid":"u","resourceVersion":"1","finalizers":[)" +
                        finalizers + "]}}"),
            "");
}

const std::string& full_pod() {
  static const std::string pod =
      object_with(R"(,"spec":{"resourceClaims":[%]})", times("{}", kMost, ","));
  return pod;
}

TEST(ManyItems, are_counted_per_object_of_list) {
  const std::string list = fmt::format(R"({{"metadata":{{"resourceVersion":"9"}},"items":[{}]}})",
                                       times(full_pod(), 3, ","));
  std::size_t claims = 0;
  const auto read = make_json_pod_decoder()->decode_list(list, [&](const Decoded<Pod>& pod) {
    if (pod.object != nullptr) claims += pod.object->claims.size();
  });
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(claims, 3 * kMost);
}

TEST(ManyItems, are_counted_per_event_object_in_any_order) {
  for (const std::string format :
       {R"({{"type":"ADDED","object":{0}}})", R"({{"object":{0},"type":"ADDED"}})"}) {
    EXPECT_TRUE(
        make_json_pod_decoder()->decode_watch_event(fmt::format(fmt::runtime(format), full_pod())));
  }
}

// Why docs/security.md states a limit of items: each can take hundreds of bytes.
TEST(ManyItems, cost_little_memory_in_full_object) {
  const auto pod = make_json_pod_decoder()->decode_object(full_pod());
  ASSERT_TRUE(pod && pod->object != nullptr);
  EXPECT_LT(footprint(*pod->object), 16U << 20);
}

// ---- protobuf -----------------------------------------------------------------------------------

// An object's bytes: its identity, and a field of a message (`outer`) with empty items.
std::string bytes_with(std::uint32_t outer, std::uint32_t number, std::size_t count) {
  std::string bytes;
  protozero::pbf_writer object(bytes);
  {
    protozero::pbf_writer metadata(object, 1);
    metadata.add_string(1, "n");
    metadata.add_string(5, "u");
    metadata.add_string(6, "1");
  }
  protozero::pbf_writer part(object, outer);
  for (std::size_t i = 0; i < count; ++i) part.add_message(number, std::string());
  return bytes;
}

std::string pod_bytes(std::size_t claims) {
  return bytes_with(2, 39, claims);
}

TEST(ManyItems, are_bounded_in_each_repeated_protobuf_message) {
  const auto pod = [](std::uint32_t outer, std::uint32_t number) {
    return refusal(*make_protobuf_pod_decoder(),
                   protobuf::wrap("v1", "Pod", bytes_with(outer, number, kMost + 1)));
  };
  EXPECT_THAT(pod(2, 39), HasSubstr(kTooMany));
  EXPECT_THAT(pod(3, 2), HasSubstr(kTooMany));
  EXPECT_THAT(pod(3, 15), HasSubstr(kTooMany));
  EXPECT_THAT(
      refusal(*make_protobuf_claim_decoder(),
              protobuf::wrap("resource.k8s.io/v1", "ResourceClaim", bytes_with(3, 2, kMost + 1))),
      HasSubstr(kTooMany));
  EXPECT_THAT(
      refusal(*make_protobuf_slice_decoder(),
              protobuf::wrap("resource.k8s.io/v1", "ResourceSlice", bytes_with(2, 6, kMost + 1))),
      HasSubstr(kTooMany));
}

TEST(ManyItems, are_counted_per_object_of_protobuf_list) {
  constexpr std::size_t kClaims = kMost - 3;  // the object, its metadata and spec are messages, too
  std::string list;
  protozero::pbf_writer writer(list);
  {
    protozero::pbf_writer metadata(writer, 1);
    metadata.add_string(2, "9");
  }
  for (int i = 0; i < 3; ++i) writer.add_message(2, pod_bytes(kClaims));
  std::size_t claims = 0;
  const auto read = make_protobuf_pod_decoder()->decode_list(
      protobuf::wrap("v1", "PodList", list), [&](const Decoded<Pod>& pod) {
        if (pod.object != nullptr) claims += pod.object->claims.size();
      });
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(claims, 3 * kClaims);
}

TEST(ManyItems, reject_unexpected_kind) {
  const auto ignore = [](const Decoded<Pod>&) {};
  const auto decoder = make_json_pod_decoder();
  const auto list = decoder->decode_list(
      R"({"kind":"SecretList","metadata":{"resourceVersion":"9"},"items":[]})", ignore);
  ASSERT_FALSE(list);
  EXPECT_THAT(list.error().message, HasSubstr("kind: not the kind that was asked for"));
  EXPECT_THAT(refusal(*decoder, object_with(R"(,"kind":"Secret")", "")),
              HasSubstr("kind: not the kind that was asked for"));
  EXPECT_EQ(refusal(*decoder, object_with(R"(,"kind":"Pod")", "")), "");
}

}  // namespace
}  // namespace dcm::api
