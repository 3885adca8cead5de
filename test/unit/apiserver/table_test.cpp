// Tables: which clients get one, and its contents besides the cells.
#include "apiserver/printers/human_duration.hpp"
#include "apiserver/printers/printers.hpp"
#include "apiserver/reads/media.hpp"
#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

using namespace std::chrono_literals;

constexpr auto kAsTable = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

Request get_table(std::string path, std::string query = "") {
  return {.method = "GET",
          .path = std::move(path),
          .query = std::move(query),
          .headers = {{"Accept", kAsTable}}};
}

JsonObject table_of(Server& server, std::string path, std::string query = "") {
  return object_of(server.handle(get_table(std::move(path), std::move(query))).body);
}

const JsonObject& first_row(const JsonObject& table) {
  return array_at(table, {"rows"}).at(0).as_object();
}

TEST_F(Api, shows_list_as_table) {
  make_claim();
  time.advance_to(time.now() + 5min + 3s);
  const JsonObject table = table_of(server, std::string(kClaims));
  EXPECT_EQ(text_at(table, {"kind"}), "Table");
  EXPECT_EQ(text_at(table, {"apiVersion"}), "meta.k8s.io/v1");
  EXPECT_EQ(text_at(table, {"metadata", "resourceVersion"}),
            api.get(kClaims).text({"metadata", "resourceVersion"}));
  EXPECT_EQ(array_at(table, {"columnDefinitions"}).size(), 3U);
  EXPECT_EQ(array_at(first_row(table), {"cells"}), (JsonArray{"shared", "pending", "5m3s"}));
}

TEST_F(Api, shows_one_object_as_table) {
  make_claim();
  allocate({"u"});
  const JsonObject table = table_of(server, std::string(kClaim));
  EXPECT_EQ(array_at(first_row(table), {"cells"}),
            (JsonArray{"shared", "allocated,reserved", "0s"}));
}

TEST_F(Api, includes_object_in_table_as_requested) {
  make_claim();
  const auto subject = [&](std::string query) {
    const JsonObject table = table_of(server, std::string(kClaim), std::move(query));
    return serialize(first_row(table).at("object"));
  };
  const std::string metadata = serialize(api.get(kClaim).body.at("metadata"));
  EXPECT_EQ(subject("includeObject=None"), "null");
  EXPECT_EQ(subject(""), R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",)"
                         R"("metadata":)" +
                             metadata + "}");
  EXPECT_EQ(subject("includeObject=Object"), serialize(api.get(kClaim).body));
  EXPECT_EQ(server.handle(get_table(std::string(kClaim), "includeObject=All")).status, 400);
}

TEST_F(Api, reports_failures_unchanged_for_table_request) {
  const JsonObject status = table_of(server, std::string(kClaim));
  EXPECT_EQ(text_at(status, {"reason"}), "NotFound");
}

TEST_F(Api, shows_watch_columns_once) {
  make_claim();
  auto watch = server.open_watch(
      get_table(std::string(kClaims),
                "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&"
                "allowWatchBookmarks=true"));
  ASSERT_TRUE(watch);
  allocate();
  const auto events = drain(**watch);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(array_at(events[0], {"object", "columnDefinitions"}).size(), 3U);
  EXPECT_TRUE(events[1].at("object").at("columnDefinitions").is_null());
  EXPECT_EQ(array_at(first_row(object_at(events[1], {"object"})), {"cells"}),
            (JsonArray{"", "pending", "<unknown>"}))
      << "a bookmark has a row too";
  EXPECT_EQ(array_at(first_row(object_at(events[2], {"object"})), {"cells"}),
            (JsonArray{"shared", "allocated", "0s"}));
}

TEST_F(Api, shows_as_many_cells_as_columns) {
  for (const auto* kind : {"Pod", "Node", "Namespace", "Event", "ConfigMap", "Lease",
                           "PodDisruptionBudget", "ResourceClaim", "ResourceClaimTemplate",
                           "ResourceSlice", "DeviceClass", "DeviceTaintRule", "Something"}) {
    const Printer& printer = printer_of(kind);
    EXPECT_EQ(printer.columns.size(), printer.cells({}, time.wall_now()).size()) << kind;
  }
}

struct AcceptRow {
  std::string_view sentence;
  std::string_view accept;
  std::optional<Form::Shape> shape;
};

class Accept : public ::testing::TestWithParam<AcceptRow> {};

TEST_P(Accept, is_negotiated) {
  const auto form = choose_form(GetParam().accept);
  EXPECT_EQ(form ? std::optional(form->shape) : std::nullopt, GetParam().shape);
}

constexpr auto kObject = Form::Shape::object;
constexpr auto kTable = Form::Shape::table;

INSTANTIATE_TEST_SUITE_P(
    Rows, Accept,
    ::testing::Values(
        AcceptRow{"without a header anything goes", "", kObject},
        AcceptRow{"json is json", "application/json", kObject},
        AcceptRow{"anything is json", "*/*", kObject}, AcceptRow{"kubectl get", kAsTable, kTable},
        AcceptRow{"the old table", "application/json;as=Table;v=v1beta1;g=meta.k8s.io", kTable},
        AcceptRow{"spaces do not matter", "application/json; as=Table; v=v1; g=meta.k8s.io",
                  kTable},
        AcceptRow{"an unknown table falls through to the next",
                  "application/json;as=Table;v=v7;g=meta.k8s.io, application/json", kObject},
        AcceptRow{"an unknown table alone", "application/json;as=Table;v=v7;g=meta.k8s.io",
                  std::nullopt},
        AcceptRow{"a table of another group", "application/json;as=Table;v=v1;g=x", std::nullopt},
        AcceptRow{"protobuf falls through to the next",
                  "application/vnd.kubernetes.protobuf,application/json", kObject},
        AcceptRow{"protobuf alone", "application/vnd.kubernetes.protobuf", kObject}),
    kBySentence);

TEST(HumanDuration, shows_two_or_three_digits) {
  const std::pair<runtime::Duration, std::string_view> rows[] = {
      {-5s, "<invalid>"}, {-1s, "0s"},         {0s, "0s"},           {119s, "119s"},
      {120s, "2m"},       {123s, "2m3s"},      {10min, "10m"},       {179min, "179m"},
      {3h, "3h"},         {3h + 5min, "3h5m"}, {8h + 5min, "8h"},    {47h, "47h"},
      {48h, "2d"},        {51h, "2d3h"},       {24h * 8, "8d"},      {24h * 729, "729d"},
      {24h * 730, "2y"},  {24h * 733, "2y3d"}, {24h * 365 * 8, "8y"}};
  for (const auto& [elapsed, text] : rows) EXPECT_EQ(human_duration(elapsed), text);
}

}  // namespace
}  // namespace dcm::apiserver
