// JSON and protobuf of the same object decode to equal objects. Objects are generated from the
// tables of the in-memory API server, whose encoder shares no code with the decoders under test.
#include "apiserver/protobuf/protobuf.hpp"

#include <map>
#include <memory>

#include <boost/json.hpp>

#include "apiserver/protobuf/messages.hpp"
#include "client/api/negotiated_decoder.hpp"
#include "client/api/protobuf/envelope.hpp"
#include "client/api/status.hpp"
#include "client/request/watch_frames.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/api/encode_claim.hpp"
#include "controllers/api/resources.hpp"
#include "runtime/rng.hpp"
#include "test/fuzz/describe.hpp"
#include "test/unit/api/decode_support.hpp"

namespace dcm::api {
namespace {

namespace json = boost::json;
using apiserver::ProtoField;
using apiserver::ProtoMessage;
using runtime::Rng;

constexpr std::uint64_t kSeed = 20270301;
constexpr int kRounds = 300;

// Words with a meaning somewhere, and some without.
constexpr std::string_view kWords[] = {"",
                                       "a",
                                       "ä\"<",
                                       "v1",
                                       "Pod",
                                       "pods",
                                       "True",
                                       "False",
                                       "true",
                                       "Running",
                                       "Failed",
                                       "NoExecute",
                                       "NoSchedule",
                                       "Exists",
                                       "Equal",
                                       "scheduling.k8s.io/v1beta1",
                                       "5b0c7c1e-94a5-4a55-8f5c-6f2f3c0d9a11",
                                       kDisruptionTarget,
                                       kDeviceTaintDisruptionReason,
                                       kDeviceTaintDisruptionMessage,
                                       kEvictionInProgress,
                                       kPodClaimNameAnnotation,
                                       kExtendedResourceClaimAnnotation,
                                       kDeleteProtectionFinalizer};
constexpr std::int64_t kNumbers[] = {0, 1, -1, 300, 2147483647};

json::string word(Rng& rng) {
  const std::string_view text = kWords[rng.below(std::size(kWords))];
  return json::string(text.data(), text.size());
}

json::object make_message(const ProtoMessage& message, Rng& rng, int depth);

json::value make_value(const ProtoField& field, Rng& rng, int depth) {
  switch (field.type) {
    case ProtoField::Type::text:
      return word(rng);
    case ProtoField::Type::bytes:
      return "YQ==";
    case ProtoField::Type::integer:
      return kNumbers[rng.below(std::size(kNumbers))];
    case ProtoField::Type::number:
      return 1.5;
    case ProtoField::Type::boolean:
      return rng.below(2) == 0;
    case ProtoField::Type::raw:
      return json::object{{"f:a", json::object()}};
    case ProtoField::Type::strings:
      return json::array{word(rng)};
    case ProtoField::Type::quantity:
    case ProtoField::Type::int_or_string:
      return "5";
    case ProtoField::Type::time:
      return "2027-03-01T09:00:07Z";
    case ProtoField::Type::micro_time:
      return "2027-03-01T09:00:07.000001Z";
    case ProtoField::Type::message:
      break;
  }
  return make_message(*field.message, rng, depth + 1);
}

json::value make_field(const ProtoField& field, Rng& rng, int depth) {
  if (field.count == ProtoField::Count::one) return make_value(field, rng, depth);
  json::array list;
  json::object map;
  for (auto length = rng.below(3); length > 0; --length) {
    if (field.count == ProtoField::Count::list) {
      list.push_back(make_value(field, rng, depth));
    } else {
      map[word(rng)] = make_value(field, rng, depth);
    }
  }
  if (field.count == ProtoField::Count::list) return list;
  return map;
}

// Half of the fields near the top, fewer further down.
json::object make_message(const ProtoMessage& message, Rng& rng, int depth) {
  json::object object;
  for (const ProtoField& field : message.fields) {
    if (field.embedded || rng.below(depth > 6 ? 6 : 3) > 1) continue;
    object[json::string_view(field.name.data(), field.name.size())] = make_field(field, rng, depth);
  }
  return object;
}

struct Kind {
  std::string api_version;
  std::string kind;
};

json::object make_object(const Kind& kind, Rng& rng) {
  json::object object =
      make_message(*apiserver::proto_message(kind.api_version, kind.kind), rng, 0);
  json::value& metadata = object["metadata"];
  if (!metadata.is_object()) metadata = json::object();
  metadata.as_object()["name"] = "trainer-0";
  metadata.as_object()["uid"] = "5b0c7c1e-94a5-4a55-8f5c-6f2f3c0d9a11";
  metadata.as_object()["resourceVersion"] = "81507";
  object["apiVersion"] = kind.api_version;
  object["kind"] = kind.kind;
  return object;
}

std::string to_protobuf(const Kind& kind, const json::object& object) {
  return apiserver::encode_protobuf(kind.api_version, kind.kind, object);
}

// The same with the members of objects in order: a map has none.
json::value sorted(json::value value) {
  if (auto* list = value.if_array()) {
    for (json::value& item : *list) item = sorted(std::move(item));
  }
  if (!value.is_object()) return value;
  std::map<std::string, json::value> members;
  for (auto& [key, member] : value.as_object()) members[key] = sorted(std::move(member));
  json::object object;
  for (auto& [key, member] : members) object[key] = std::move(member);
  return object;
}

// A body as a server reads it.
std::string read_back(const Kind& kind, const Encoded& body) {
  const json::object object = body.format == Format::json ? json::parse(body.bytes).as_object()
                                                          : *apiserver::decode_protobuf(body.bytes);
  return json::serialize(sorted(*apiserver::decode_protobuf(to_protobuf(kind, object))));
}

template <class T>
std::string told(const Decoded<T>& decoded, const Kind&) {
  return fuzz::describe(decoded);
}

// A template's content is shown as the claim created from it.
std::string told(const Decoded<ResourceClaimTemplate>& decoded, const Kind& kind) {
  ResourceClaimTemplate copy = *decoded.object;
  const std::string version = kind.api_version.substr(kind.api_version.find('/') + 1);
  const Encoded body = encode_claim({&kResourceClaims, version}, copy, "c", "c-", "gpus",
                                    {"v1", "Pod", "p", Uid("u")});
  copy.claim_spec = {};
  const Decoded<ResourceClaimTemplate> rest{decoded.meta,
                                            ObjectPtr<ResourceClaimTemplate>(std::move(copy))};
  return fuzz::describe(rest) + read_back({kind.api_version, "ResourceClaim"}, body);
}

// Objects of a kind, in one version.
template <class T>
void expect_same(const Kind& kind, const Decoder<T>& by_json, const Decoder<T>& by_protobuf) {
  SCOPED_TRACE(fmt::format("{} {} seed {}", kind.api_version, kind.kind, kSeed));
  Rng rng(kSeed);
  for (int round = 0; round < kRounds; ++round) {
    const json::object object = make_object(kind, rng);
    const auto expected = decode_ok(by_json, json::serialize(object));
    const auto decoded = by_protobuf.decode_object(to_protobuf(kind, object));
    ASSERT_TRUE(decoded) << runtime::to_string(decoded.error());
    ASSERT_EQ(told(*decoded, kind), told(expected, kind)) << json::serialize(object);
  }
}

TEST(Protobuf, decodes_object_like_json) {
  using All = std::pair<PodSelection, TemplateContent>;
  const All all{PodSelection::all, TemplateContent::all};
  expect_same({"v1", "Pod"}, *make_json_pod_decoder(all.first),
              *make_protobuf_pod_decoder(all.first));
  for (const std::string version : {"v1", "v1beta2", "v1beta1"}) {
    const std::string group_version = "resource.k8s.io/" + version;
    expect_same({group_version, "ResourceClaim"}, *make_json_claim_decoder(version),
                *make_protobuf_claim_decoder());
    const TemplateBudget budget(all.second);
    expect_same({group_version, "ResourceClaimTemplate"},
                *make_json_template_decoder(version, budget),
                *make_protobuf_template_decoder(budget));
    expect_same({group_version, "ResourceSlice"}, *make_json_slice_decoder(version),
                *make_protobuf_slice_decoder());
  }
  for (const std::string version : {"v1", "v1beta2", "v1alpha3"}) {
    expect_same({"resource.k8s.io/" + version, "DeviceTaintRule"}, *make_json_rule_decoder(),
                *make_protobuf_rule_decoder());
  }
  for (const std::string version : {"v1beta1", "v1alpha3"}) {
    expect_same({"scheduling.k8s.io/" + version, "PodGroup"}, *make_json_group_decoder(),
                *make_protobuf_group_decoder());
  }
}

const Kind kClaim{"resource.k8s.io/v1", "ResourceClaim"};
const std::unique_ptr<Decoder<ResourceClaim>> kClaims = make_protobuf_claim_decoder();

json::object one_claim() {
  Rng rng(kSeed);
  return make_object(kClaim, rng);
}

std::string list_of(const json::object& metadata, std::string_view kind, int count) {
  std::string items;
  for (int i = 0; i < count; ++i) {
    items += apiserver::protobuf_list_item(
        apiserver::encode_protobuf_item(kClaim.api_version, kClaim.kind, one_claim()));
  }
  return apiserver::protobuf_list_head(kClaim.api_version, kind, metadata, items.size()) + items;
}

TEST(Protobuf, hands_out_items_of_list) {
  std::string items;
  const auto keep = [&](const Decoded<ResourceClaim>& item) { items += fuzz::describe(item); };
  const auto list = kClaims->decode_list(
      list_of({{"resourceVersion", "9"}, {"continue", "more"}}, "ResourceClaimList", 2), keep);
  ASSERT_TRUE(list) << runtime::to_string(list.error());
  EXPECT_EQ(list->resource_version.str(), "9");
  EXPECT_EQ(list->continue_token, "more");
  const std::string one = fuzz::describe(*kClaims->decode_object(to_protobuf(kClaim, one_claim())));
  EXPECT_EQ(items, one + one);
}

TEST(Protobuf, rejects_documents_other_than_lists) {
  const auto ignore = [](const Decoded<ResourceClaim>&) {};
  EXPECT_TRUE(
      kClaims->decode_list(list_of({{"resourceVersion", "9"}}, "ResourceClaimList", 0), ignore));
  EXPECT_EQ(malformed(kClaims->decode_list(list_of({}, "ResourceClaimList", 0), ignore)),
            "protobuf: metadata.resourceVersion: missing");
  EXPECT_EQ(malformed(kClaims->decode_list(to_protobuf(kClaim, one_claim()), ignore)),
            "protobuf: kind: not the list that was asked for");
}

TEST(Protobuf, rejects_unexpected_kind) {
  const auto ignore = [](const Decoded<ResourceClaim>&) {};
  const std::string pods = protobuf::wrap("v1", "PodList",
                                          std::string("\x0a\x03\x12\x01"
                                                      "9",
                                                      5));
  EXPECT_EQ(malformed(kClaims->decode_list(pods, ignore)),
            "protobuf: kind: not the list that was asked for");
  const std::string as_pod = protobuf::wrap("v1", "Pod", "");
  EXPECT_EQ(malformed(kClaims->decode_object(as_pod)), "protobuf: kind: not the one expected");
}

// A watch event without its length.
std::string frame(std::string_view type, std::string_view object) {
  const std::string event = apiserver::protobuf_event(type, object);
  client::WatchFrames frames(Format::protobuf);
  frames.put(event);
  const auto cut = frames.next();
  EXPECT_TRUE(cut && *cut);
  return std::string(**cut);
}

TEST(Protobuf, decodes_watch_events) {
  const std::string object = to_protobuf(kClaim, one_claim());
  constexpr std::pair<std::string_view, ChangeType> kRows[] = {{"ADDED", ChangeType::added},
                                                               {"MODIFIED", ChangeType::modified},
                                                               {"DELETED", ChangeType::deleted}};
  for (const auto& [name, type] : kRows) {
    const auto event = kClaims->decode_watch_event(frame(name, object));
    ASSERT_TRUE(event) << runtime::to_string(event.error());
    const auto& change = std::get<ChangeEvent<ResourceClaim>>(*event);
    EXPECT_EQ(change.type, type);
    EXPECT_EQ(fuzz::describe(change.subject), fuzz::describe(*kClaims->decode_object(object)));
  }
  EXPECT_EQ(malformed(kClaims->decode_watch_event(frame("SWAPPED", object))),
            "protobuf: type: no type of event that is known");
}

TEST(Protobuf, decodes_bookmarks) {
  json::object bookmark{{"metadata", {{"resourceVersion", "5"}}}};
  const auto plain = kClaims->decode_watch_event(frame("BOOKMARK", to_protobuf(kClaim, bookmark)));
  ASSERT_TRUE(plain) << runtime::to_string(plain.error());
  EXPECT_EQ(std::get<BookmarkEvent>(*plain).resource_version.str(), "5");
  EXPECT_FALSE(std::get<BookmarkEvent>(*plain).is_initial_events_end);
  bookmark["metadata"].as_object()["annotations"] = {{"k8s.io/initial-events-end", "true"}};
  const auto end = kClaims->decode_watch_event(frame("BOOKMARK", to_protobuf(kClaim, bookmark)));
  ASSERT_TRUE(end);
  EXPECT_TRUE(std::get<BookmarkEvent>(*end).is_initial_events_end);
}

const json::object kExpired{
    {"kind", "Status"},
    {"code", 410},
    {"reason", "Expired"},
    {"message", "too old"},
    {"details",
     {{"name", "n"},
      {"kind", "pods"},
      {"retryAfterSeconds", 7},
      {"causes", json::array{{{"reason", "r"}, {"field", "f"}, {"message", "m"}}}}}}};

TEST(Protobuf, decodes_error_that_ends_watch) {
  const auto event =
      kClaims->decode_watch_event(frame("ERROR", to_protobuf({"v1", "Status"}, kExpired)));
  ASSERT_TRUE(event) << runtime::to_string(event.error());
  const runtime::Error& error = std::get<ErrorEvent>(*event).error;
  EXPECT_EQ(error.reason, runtime::Reason::gone);
  EXPECT_EQ(error.message, "too old");
  EXPECT_EQ(error.retry_after, std::chrono::seconds(7));
}

TEST(Protobuf, decodes_refusal_like_json) {
  for (const std::uint16_t status : std::initializer_list<std::uint16_t>{404, 409, 410, 422}) {
    const auto by_json = decode_status_error(status, json::serialize(kExpired));
    const auto by_protobuf = decode_status_error(status, to_protobuf({"v1", "Status"}, kExpired));
    EXPECT_EQ(fuzz::describe(by_protobuf), fuzz::describe(by_json));
  }
}

TEST(Protobuf, repairs_invalid_utf8_like_server) {
  std::string body = to_protobuf(
      kClaim, {{"metadata", {{"name", "c"}, {"uid", "1234.ABC"}, {"resourceVersion", "1"}}}});
  body.replace(body.find(".ABC"), 4, "\xff\x42\xc3\xa4");
  const auto decoded = kClaims->decode_object(body);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->meta.uid.str(), "1234\xEF\xBF\xBD\x42\xc3\xa4");
}

TEST(Protobuf, passes_fields_of_newer_api_into_claims) {
  const Kind kind{"resource.k8s.io/v1", "ResourceClaimTemplate"};
  Rng rng(kSeed);
  const json::object object = make_object(kind, rng);
  std::string body = to_protobuf(kind, object);
  const auto before = make_protobuf_template_decoder()->decode_object(body);
  ASSERT_TRUE(before);
  ResourceClaimTemplate newer = *before->object;
  newer.claim_spec.bytes += "\xfa\x3e\x03new";  // field 1007
  const Encoded claim = encode_claim({&kResourceClaims, "v1"}, newer, "c", "c-", "gpus",
                                     {"v1", "Pod", "p", Uid("u")});
  EXPECT_EQ(claim.format, Format::protobuf);
  EXPECT_THAT(claim.bytes, testing::HasSubstr(newer.claim_spec.bytes));
}

TEST(Protobuf, shares_template_budget_with_json) {
  const auto decoder = make_template_decoder(Format::protobuf, "v1");
  const std::string text(15'000, 'a');
  const json::object object{
      {"metadata", {{"name", "t"}, {"uid", "u"}, {"resourceVersion", "1"}}},
      {"spec", {{"metadata", {{"annotations", {{"a", text}}}}}, {"spec", json::object()}}}};
  const std::string bodies[] = {
      to_protobuf({"resource.k8s.io/v1", "ResourceClaimTemplate"}, object),
      json::serialize(object)};
  std::vector<ObjectPtr<ResourceClaimTemplate>> templates;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < 3000; ++i) {
    templates.push_back(decoder->decode_object(bodies[i % 2])->object);
    bytes += footprint(*templates.back());
  }
  EXPECT_LT(bytes, std::size_t{34} * 1024 * 1024);
  EXPECT_EQ(templates[0]->claim_spec.format, Format::protobuf);
  EXPECT_EQ(templates[1]->claim_spec.format, Format::json);
  EXPECT_EQ(templates.back()->content, ResourceClaimTemplate::Content::left_out);
}

TEST(Protobuf, survives_truncated_and_damaged_input) {
  const std::string whole = to_protobuf(kClaim, one_claim());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(kClaims->decode_object(whole.substr(0, length))) << length;
  }
  Rng rng(kSeed);
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string damaged = whole;
    for (auto changes = 1 + rng.below(3); changes > 0; --changes) {
      damaged[rng.below(damaged.size())] = static_cast<char>(rng.below(256));
    }
    refused += kClaims->decode_object(damaged) ? 0 : 1;
    static_cast<void>(kClaims->decode_watch_event(damaged));
    static_cast<void>(decode_status_error(422, damaged));
  }
  EXPECT_GT(refused, 100);
}

TEST(Negotiation, reads_format_of_answer) {
  const auto decoder = make_claim_decoder(Format::protobuf, "v1");
  EXPECT_EQ(decoder->accept(), "application/vnd.kubernetes.protobuf,application/json");
  const json::object object = one_claim();
  const std::string text = json::serialize(object);
  const std::string bytes = to_protobuf(kClaim, object);
  const std::string one = fuzz::describe(decode_ok(*decoder, text));
  EXPECT_EQ(fuzz::describe(decode_ok(*decoder, bytes)), one);
  const auto by_text = decoder->decode_watch_event(R"({"type":"ADDED","object":)" + text + "}");
  const auto by_bytes = decoder->decode_watch_event(frame("ADDED", bytes));
  ASSERT_TRUE(by_text && by_bytes);
  EXPECT_EQ(fuzz::describe_event<ResourceClaim>(*by_text), "0 " + one);
  EXPECT_EQ(fuzz::describe_event<ResourceClaim>(*by_bytes), "0 " + one);
  EXPECT_EQ(make_claim_decoder(Format::json, "v1")->accept(), "application/json");
}

}  // namespace
}  // namespace dcm::api
