// Lists and watch frames, which are the same for all kinds.
#include <memory>
#include <utility>
#include <vector>

#include "test/unit/api/decode_support.hpp"

namespace dcm::api {
namespace {

const std::unique_ptr<Decoder<Pod>> kDecoder = make_json_pod_decoder();

std::string pod_json() {
  return object_json(R"("spec":{"resourceClaims":[{"name":"gpus"}]})");
}

template <class Event>
Event decode_as(std::string_view frame) {
  const auto event = kDecoder->decode_watch_event(frame);
  if (!event) {
    ADD_FAILURE() << runtime::to_string(event.error());
  } else if (const auto* found = std::get_if<Event>(&*event)) {
    return *found;
  } else {
    ADD_FAILURE() << "another kind of event: " << frame;
  }
  return Event{};
}

TEST(WatchDecoder, reads_changes) {
  constexpr std::pair<std::string_view, ChangeType> kRows[] = {
      {"ADDED", ChangeType::added},
      {"MODIFIED", ChangeType::modified},
      {"DELETED", ChangeType::deleted},
  };
  for (const auto& [type, expected] : kRows) {
    for (const std::string& frame : {
             fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", type, pod_json()),
             fmt::format("{{\"object\":{},\"type\":\"{}\"}}", pod_json(), type),
             fmt::format("{{\"new\":[1],\"object\":{},\"x\":{{}},\"type\":\"{}\",\"y\":1}}",
                         pod_json(), type),
         }) {
      SCOPED_TRACE(frame);
      const auto change = decode_as<ChangeEvent<Pod>>(frame);
      EXPECT_EQ(change.type, expected);
      EXPECT_EQ(change.subject.meta.key.str(), "lab/trainer-0");
      ASSERT_NE(change.subject.object, nullptr);
      EXPECT_EQ(change.subject.object->claims.size(), 1U);
    }
  }
}

TEST(WatchDecoder, reports_event_of_uninteresting_pod) {
  const auto change = decode_as<ChangeEvent<Pod>>(
      fmt::format(R"({{"type":"ADDED","object":{}}})", object_json("")));
  EXPECT_EQ(change.subject.object, nullptr);
  EXPECT_EQ(change.subject.meta.resource_version.str(), "81507");
}

struct BookmarkRow {
  std::string_view why;
  std::string_view metadata;
  bool is_initial_events_end;
};

TEST(WatchDecoder, reads_bookmarks) {
  constexpr BookmarkRow kRows[] = {
      {"a version only", R"("resourceVersion":"99")", false},
      {"the end of the initial events",
       R"("resourceVersion":"99","annotations":{"k8s.io/initial-events-end":"true"})", true},
      {"an annotation that is not true",
       R"("annotations":{"k8s.io/initial-events-end":"no","a":"b"},"resourceVersion":"99")", false},
      {"null", R"("annotations":null,"resourceVersion":"99")", false},
  };
  for (const BookmarkRow& row : kRows) {
    SCOPED_TRACE(row.why);
    const auto bookmark = decode_as<BookmarkEvent>(fmt::format(
        R"({{"type":"BOOKMARK","object":{{"kind":"Pod","metadata":{{{}}},"spec":{{}}}}}})",
        row.metadata));
    EXPECT_EQ(bookmark.resource_version.str(), "99");
    EXPECT_EQ(bookmark.is_initial_events_end, row.is_initial_events_end);
  }
}

TEST(WatchDecoder, reads_error_like_refusal) {
  for (const std::string_view frame : {
           R"({"type":"ERROR","object":{"kind":"Status","status":"Failure","message":"too old",
               "reason":"Expired","code":410}})",
           R"({"object":{"kind":"Status","code":410,"message":"too old"},"type":"ERROR"})",
       }) {
    const auto event = kDecoder->decode_watch_event(frame);
    ASSERT_TRUE(event);
    const auto* error = std::get_if<ErrorEvent>(&*event);
    ASSERT_NE(error, nullptr);
    EXPECT_EQ(error->error.reason, runtime::Reason::gone);
    EXPECT_EQ(error->error.message, "too old");
    EXPECT_EQ(error->error.http_status, 410);
  }
}

TEST(WatchDecoder, derives_missing_error_code_from_reason) {
  const auto reason_of = [](std::string_view status) {
    const auto event =
        kDecoder->decode_watch_event(fmt::format(R"({{"type":"ERROR","object":{}}})", status));
    const auto* error = event ? std::get_if<ErrorEvent>(&*event) : nullptr;
    return error ? error->error.reason : runtime::Reason::malformed;
  };
  EXPECT_EQ(reason_of(R"({"reason":"Expired"})"), runtime::Reason::gone);
  EXPECT_EQ(reason_of(R"({"reason":"Gone"})"), runtime::Reason::gone);
  EXPECT_EQ(reason_of(R"({"reason":"Other"})"), runtime::Reason::unexpected_status);
  EXPECT_EQ(reason_of(R"({"code":-3})"), runtime::Reason::unexpected_status);
}

TEST(WatchDecoder, rejects_invalid_frames) {
  const std::pair<std::string, std::string_view> rows[] = {
      {R"({"type":"RENAMED","object":{}})", "JSON: type: unknown type of event"},
      {R"({"type":"added","object":{}})", "JSON: type: unknown type of event"},
      {R"({"type":null,"object":{}})", "JSON: type: unknown type of event"},
      {R"({"type":7,"object":{}})", "JSON: type: expected a string"},
      {R"({"object":{}})", "JSON: type: missing"},
      {R"({"type":"ADDED"})", "JSON: object: missing"},
      {R"({"type":"ADDED","object":null})", "JSON: object.metadata.name: missing"},
      {R"({"type":"ADDED","object":[]})", "JSON: object: expected an object"},
      {R"({"object":{"spec":{"nodeName":1}},"type":"ADDED"})",
       "JSON: object.spec.nodeName: expected a string"},
      {R"({"type":"BOOKMARK","object":{"metadata":{}}})",
       "JSON: object.metadata.resourceVersion: missing"},
      {"{}", "JSON: type: missing"},
  };
  for (const auto& [frame, message] : rows) {
    EXPECT_EQ(malformed(kDecoder->decode_watch_event(frame)), message) << frame;
  }
}

struct ListResult {
  Result<ListMeta> meta;
  std::vector<Decoded<Pod>> items;
};

ListResult decode_list(std::string_view json) {
  std::vector<Decoded<Pod>> items;
  auto meta =
      kDecoder->decode_list(json, [&](Decoded<Pod> item) { items.push_back(std::move(item)); });
  return {std::move(meta), std::move(items)};
}

TEST(ListDecoder, hands_over_items_in_order) {
  const std::string items = fmt::format("[{},{}]", pod_json(), object_json(""));
  for (const std::string& json : {
           fmt::format(R"({{"kind":"PodList","metadata":{{"resourceVersion":"12","continue":"c"}},
                           "items":{}}})",
                       items),
           fmt::format(R"({{"items":{},"metadata":{{"continue":"c","resourceVersion":"12"}}}})",
                       items),
       }) {
    const ListResult list = decode_list(json);
    ASSERT_TRUE(list.meta) << runtime::to_string(list.meta.error());
    EXPECT_EQ(list.meta->resource_version.str(), "12");
    EXPECT_EQ(list.meta->continue_token, "c");
    ASSERT_EQ(list.items.size(), 2U);
    EXPECT_NE(list.items[0].object, nullptr);
    EXPECT_EQ(list.items[1].object, nullptr);
  }
}

TEST(ListDecoder, accepts_empty_list) {
  for (const std::string_view items : {"[]", "null"}) {
    const ListResult list =
        decode_list(fmt::format(R"({{"metadata":{{"resourceVersion":"12"}},"items":{}}})", items));
    ASSERT_TRUE(list.meta);
    EXPECT_TRUE(list.items.empty());
    EXPECT_TRUE(list.meta->continue_token.empty());
  }
}

TEST(ListDecoder, rejects_other_documents_as_empty_list) {
  const std::pair<std::string, std::string_view> rows[] = {
      {"{}", "JSON: items: missing"},
      {R"({"metadata":{"resourceVersion":"1"},"rows":[]})", "JSON: items: missing"},
      {R"({"kind":"Table","metadata":{"resourceVersion":"1"},"rows":[]})",
       "JSON: kind: not the kind that was asked for"},
      {R"({"items":[]})", "JSON: metadata.resourceVersion: missing"},
      {R"({"metadata":{"resourceVersion":"1"},"items":{}})", "JSON: items: expected an array"},
      {fmt::format(R"({{"metadata":{{"resourceVersion":"1"}},"items":[{},{{}}]}})", pod_json()),
       "JSON: items[1].metadata.name: missing"},
  };
  for (const auto& [json, message] : rows) {
    EXPECT_EQ(malformed(decode_list(json).meta), message);
  }
}

TEST(ListDecoder, hands_other_documents_to_sink) {
  const std::string json =
      fmt::format(R"({{"metadata":{{"resourceVersion":"12"}},"items":[{},{},{}]}})", pod_json(),
                  pod_json(), pod_json());
  int items = 0;
  const auto list = kDecoder->decode_list(json, [&](const Decoded<Pod>&) {
    ++items;
    EXPECT_TRUE(kDecoder->decode_object(pod_json()));
    EXPECT_FALSE(kDecoder->decode_object("{"));
  });
  EXPECT_TRUE(list) << list.error().message;
  EXPECT_EQ(items, 3);
}

TEST(Decoder, names_content_type) {
  EXPECT_EQ(kDecoder->accept(), "application/json");
}

}  // namespace
}  // namespace dcm::api
