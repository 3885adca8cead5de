// Collections: pages, selectors, versions.
#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

class Lists : public Api {
 protected:
  explicit Lists(ServerOptions options = {}) : Api(std::move(options)) {}

  void make(std::string_view name, std::string_view labels = "{}") {
    api.post("/api/v1/namespaces/default/configmaps", R"({"metadata":{"name":")" +
                                                          std::string(name) + R"(","labels":)" +
                                                          std::string(labels) + "}}");
  }
  Answer list(std::string_view query) {
    return api.get("/api/v1/namespaces/default/configmaps?" + std::string(query));
  }
  static std::string names(const Answer& answer) {
    std::string text;
    for (const Json& item : array_at(answer.body, {"items"})) {
      text += std::string(text_at(item.get_object(), {"metadata", "name"})) + " ";
    }
    return text;
  }
};

TEST_F(Lists, show_ordered_items_without_kind) {
  make("b");
  make("a");
  const Answer all = list("");
  EXPECT_EQ(names(all), "a b ");
  EXPECT_EQ(all.text({"kind"}), "ConfigMapList");
  EXPECT_EQ(all.resource_version(), std::to_string(server.store().revision()));
  EXPECT_FALSE(array_at(all.body, {"items"}).front().get_object().contains("kind"));
}

// In every format, the parts equal the answer of handle().
TEST_F(Lists, stream_parts_equal_to_the_whole) {
  for (int i = 0; i < 40; ++i) {
    api.post("/api/v1/namespaces/default/configmaps",
             R"({"metadata":{"name":"m)" + std::to_string(i) + R"("},"data":{"k":")" +
                 std::string(10'000, 'x') + "\"}}");
  }
  for (const auto* accept : {"application/json", "application/vnd.kubernetes.protobuf",
                             "application/json;as=Table;g=meta.k8s.io;v=v1",
                             "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
                             "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;"
                             "g=meta.k8s.io;v=v1"}) {
    const Request request{.method = "GET",
                          .path = "/api/v1/namespaces/default/configmaps",
                          .query = "",
                          .headers = {{"Accept", accept}}};
    const auto list = server.open_list(request);
    ASSERT_NE(list, nullptr) << accept;
    std::string text;
    std::size_t longest = 0;
    while (const auto part = list->parts.next()) {
      text += *part;
      longest = std::max(longest, part->size());
    }
    const Response whole = server.handle(request);
    EXPECT_TRUE(text == whole.body) << accept;
    EXPECT_EQ(list->head.headers, whole.headers) << accept;
    EXPECT_LT(longest, 100'000U) << accept;
  }
}

TEST_F(Lists, leave_other_requests_to_handle) {
  const auto opened = [this](std::string method, std::string path, std::string query = {}) {
    return server.open_list(
               {.method = std::move(method), .path = std::move(path), .query = std::move(query)}) !=
           nullptr;
  };
  EXPECT_TRUE(opened("GET", "/api/v1/configmaps"));
  EXPECT_FALSE(opened("POST", "/api/v1/configmaps"));
  EXPECT_FALSE(opened("GET", "/api/v1/configmaps", "watch=true"));
  EXPECT_FALSE(opened("GET", "/api/v1/configmaps", "limit=many"));
  EXPECT_FALSE(opened("GET", "/api/v1/namespaces/default"));
  EXPECT_FALSE(opened("GET", "/api/v1/nothings"));
  EXPECT_FALSE(opened("GET", "/version"));
}

TEST_F(Lists, find_name_in_each_namespace) {
  api.post("/api/v1/namespaces", R"({"metadata":{"name":"lab"}})");
  for (const auto* ns : {"default", "lab"}) {
    for (const auto* name : {"a", "b", "bb"}) {
      api.post("/api/v1/namespaces/" + std::string(ns) + "/configmaps",
               R"({"metadata":{"name":")" + std::string(name) + "\"}}");
    }
  }
  const auto found = [this](std::string_view query) {
    std::string text;
    const Answer answer = api.get("/api/v1/configmaps?fieldSelector=" + std::string(query));
    for (const Json& item : array_at(answer.body, {"items"})) {
      text += std::string(text_at(item.get_object(), {"metadata", "namespace"})) + "/" +
              std::string(text_at(item.get_object(), {"metadata", "name"})) + " ";
    }
    return text;
  };
  EXPECT_EQ(found("metadata.name%3Db"), "default/b lab/b ");
  EXPECT_EQ(found("metadata.name%3Dc"), "");
  EXPECT_EQ(found("metadata.name%3Db,metadata.namespace%3Dlab"), "lab/b ");
}

TEST_F(Lists, page_through_one_state) {
  for (const auto* name : {"a", "b", "c", "d", "e"}) make(name);
  const Answer first = list("limit=2");
  EXPECT_EQ(names(first), "a b ");
  EXPECT_EQ(integer_at(first.body, {"metadata", "remainingItemCount"}), 3);
  make("bb");
  api.remove("/api/v1/namespaces/default/configmaps/d");
  const Answer second =
      list("limit=2&continue=" + std::string(first.text({"metadata", "continue"})));
  EXPECT_EQ(names(second), "c d ");
  EXPECT_EQ(second.resource_version(), first.resource_version());
  const Answer third =
      list("limit=2&continue=" + std::string(second.text({"metadata", "continue"})));
  EXPECT_EQ(names(third), "e ");
  EXPECT_FALSE(has(third.body, {"metadata", "continue"}));
}

TEST_F(Lists, are_complete_at_any_age) {
  make("a");
  make("b");
  EXPECT_EQ(names(list("limit=1&resourceVersion=0")), "a b ");
}

TEST_F(Lists, page_through_events_at_any_age) {
  const std::string events = "/api/v1/namespaces/default/events";
  for (const auto* name : {"a", "b"}) {
    api.post(events, R"({"metadata":{"name":")" + std::string(name) +
                         R"("},"involvedObject":{"namespace":"default"}})");
  }
  EXPECT_EQ(names(api.get(events + "?limit=1&resourceVersion=0")), "a ");
}

TEST_F(Lists, continue_expired_page_at_current_state) {
  for (const auto* name : {"a", "b", "c"}) make(name);
  const Answer first = list("limit=1");
  make("bb");
  server.compact_history();
  const Answer gone = list("limit=1&continue=" + std::string(first.text({"metadata", "continue"})));
  EXPECT_EQ(gone.status, 410);
  EXPECT_EQ(gone.reason(), "Expired");
  EXPECT_EQ(names(list("continue=" + std::string(gone.text({"metadata", "continue"})))), "b bb c ");
}

struct SelectorRow {
  std::string_view sentence;
  std::string_view query;
  std::string_view names;
};

class ListSelectors : public Lists, public ::testing::WithParamInterface<SelectorRow> {};

TEST_P(ListSelectors, match_objects) {
  make("a", R"({"color":"red","size":"2"})");
  make("b", R"({"color":"blue"})");
  make("c");
  EXPECT_EQ(names(list(GetParam().query)), GetParam().names) << GetParam().sentence;
}

constexpr SelectorRow kSelectorRows[] = {
    {"by a label's value", "labelSelector=color%3Dred", "a "},
    {"by a value that it must not have", "labelSelector=color!%3Dred", "b c "},
    {"by a set of values", "labelSelector=color%20in%20(red,blue)", "a b "},
    {"by a set that it must not be in", "labelSelector=color+notin+(red)", "b c "},
    {"by a label that is there", "labelSelector=color", "a b "},
    {"by a label that is not there", "labelSelector=!color", "c "},
    {"by a number", "labelSelector=size>1", "a "},
    {"by all terms at once", "labelSelector=color,color!%3Dred", "b "},
    {"by name", "fieldSelector=metadata.name%3Db", "b "},
    {"by a name that there is not", "fieldSelector=metadata.name%3Dx", ""},
    {"by two names, which nothing has", "fieldSelector=metadata.name%3Da,metadata.name%3Db", ""},
    {"by another name", "fieldSelector=metadata.name!%3Db,metadata.namespace%3Ddefault", "a c "},
};

INSTANTIATE_TEST_SUITE_P(Rows, ListSelectors, ::testing::ValuesIn(kSelectorRows), kBySentence);

TEST_F(Lists, select_pods_by_node) {
  make_pod("node-a");
  EXPECT_EQ(names(api.get("/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-a")), "trainer-0 ");
  EXPECT_EQ(names(api.get("/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-b")), "");
}

TEST_F(Lists, select_slices_by_driver_node_and_pool) {
  api.post("/apis/resource.k8s.io/v1/resourceslices",
           R"({"metadata":{"name":"s"},"spec":{"driver":"gpu.example.com","nodeName":"n",)"
           R"("pool":{"name":"p","generation":1,"resourceSliceCount":1}}})");
  for (const std::string field : {"driver%3Dgpu.example.com", "nodeName%3Dn", "pool.name%3Dp"}) {
    const std::string path = "/apis/resource.k8s.io/v1/resourceslices?fieldSelector=spec." + field;
    EXPECT_EQ(names(api.get(path)), "s ") << field;
    EXPECT_EQ(names(api.get(path + "x")), "") << field;
  }
}

TEST_F(Lists, show_exact_version_while_known) {
  make("a");
  const std::string then = std::to_string(server.store().revision());
  make("b");
  EXPECT_EQ(names(list("resourceVersionMatch=Exact&resourceVersion=" + then)), "a ");
  EXPECT_EQ(names(list("resourceVersionMatch=NotOlderThan&resourceVersion=" + then)), "a b ");
  EXPECT_EQ(names(list("resourceVersion=0")), "a b ");
  server.compact_history();
  EXPECT_EQ(list("resourceVersionMatch=Exact&resourceVersion=" + then).status, 410);
}

struct RefusedRow {
  std::string_view sentence;
  std::string_view query;
  int status;
  std::string_view reason;
};

class RefusedList : public Lists, public ::testing::WithParamInterface<RefusedRow> {};

TEST_P(RefusedList, is_answered) {
  const Answer answer = list(GetParam().query);
  EXPECT_EQ(answer.status, GetParam().status) << GetParam().query;
  EXPECT_EQ(answer.reason(), GetParam().reason) << GetParam().query;
}

constexpr RefusedRow kRefusedRows[] = {
    {"a version that is no number", "resourceVersion=abc", 400, "BadRequest"},
    {"a version from the future", "resourceVersion=1000", 504, "Timeout"},
    {"a match without a version", "resourceVersionMatch=Exact", 422, "Invalid"},
    {"exactly any version", "resourceVersionMatch=Exact&resourceVersion=0", 422, "Invalid"},
    {"a limit that is no number", "limit=x", 400, "BadRequest"},
    {"initial events", "sendInitialEvents=true", 422, "Invalid"},
    {"another client's continue token", "continue=nonsense", 400, "BadRequest"},
    {"a field that cannot be selected by", "fieldSelector=spec.color%3Dred", 400, "BadRequest"},
    {"a label selector that is none", "labelSelector=a%20b", 400, "BadRequest"},
};

INSTANTIATE_TEST_SUITE_P(Rows, RefusedList, ::testing::ValuesIn(kRefusedRows), kBySentence);

TEST_F(Lists, report_future_version_as_cause) {
  const Answer answer = list("resourceVersion=1000");
  const auto& cause = array_at(answer.body, {"details", "causes"}).front().get_object();
  EXPECT_EQ(text_at(cause, {"reason"}), "ResourceVersionTooLarge");
}

TEST_F(Lists, delete_collection_by_selector) {
  make("a", R"({"color":"red"})");
  make("b");
  EXPECT_EQ(api.remove("/api/v1/namespaces/default/configmaps?labelSelector=color%3Dred").status,
            200);
  EXPECT_EQ(names(list("")), "b ");
}

TEST_F(Lists, delete_collection_by_pages) {
  for (const auto* name : {"a", "b", "c"}) make(name);
  const std::string path = "/api/v1/namespaces/default/configmaps?limit=2";
  const Answer page = api.remove(path);
  EXPECT_EQ(names(page), "a b ");
  EXPECT_EQ(names(list("")), "c ");
  api.remove(path + "&continue=" + std::string(page.text({"metadata", "continue"})));
  EXPECT_EQ(names(list("")), "");
}

}  // namespace
}  // namespace dcm::apiserver
