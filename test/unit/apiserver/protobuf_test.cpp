// Protobuf bodies as sent by kubectl 1.37, and broken ones.
#include "apiserver/protobuf/protobuf.hpp"

#include <string>

#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

// A field with a length: its number, and its contents.
std::string field(int number, std::string_view bytes) {
  return std::string(1, static_cast<char>(number * 8 + 2)) +
         std::string(1, static_cast<char>(bytes.size())) + std::string(bytes);
}

std::string number_field(int number, char value) {
  return std::string(1, static_cast<char>(number * 8)) + std::string(1, value);
}

// The varint of -2^63.
constexpr std::string_view kLeastNumber = "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01";

std::string enveloped(std::string_view api_version, std::string_view kind,
                      std::string_view object) {
  return std::string("k8s\0", 4) + field(1, field(1, api_version) + field(2, kind)) +
         field(2, object) + field(3, "") + field(4, "");
}

std::string entry(std::string_view key, std::string_view value) {
  return field(1, key) + field(2, value);
}

// The request of `kubectl create configmap a --from-literal=x=y`.
constexpr std::string_view kFromKubectl(
    "k8s\0\x0a\x0f\x0a\x02v1\x12\x09"
    "ConfigMap\x12\x1b\x0a\x11\x0a\x01"
    "a\x12\0\x1a\0\x22\0\x2a\0\x32\0\x38\0\x42\0\x12\x06\x0a\x01x\x12\x01y\x1a\0\x22\0",
    54);

std::string decoded(std::string_view body) {
  const auto object = decode_protobuf(body);
  return object ? serialize(*object) : std::to_string(object.error().code);
}

struct Row {
  std::string_view sentence;
  std::string body;
  std::string_view json;  // or the status of the error
};

// An allocation that ends with the body.
TEST(ProtobufBody, is_not_read_past_end_in_flag) {
  const std::string body =
      std::string("k8s\0", 4) + field(1, field(1, "v1") + field(2, "ConfigMap")) + field(2, "\x20");
  const std::vector<char> exact(body.begin(), body.end());
  EXPECT_EQ(decoded({exact.data(), exact.size()}), "400");
}

class Protobuf : public ::testing::TestWithParam<Row> {};

TEST_P(Protobuf, is_decoded) {
  EXPECT_EQ(decoded(GetParam().body), GetParam().json);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, Protobuf,
    ::testing::Values(
        Row{"a config map of kubectl", std::string(kFromKubectl),
            R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"y"}})"},
        Row{"binary data", enveloped("v1", "ConfigMap", field(3, entry("b", "\xff\xfe"))),
            R"({"apiVersion":"v1","kind":"ConfigMap","binaryData":{"b":"//4="}})"},
        Row{"an immutable one", enveloped("v1", "ConfigMap", number_field(4, 1)),
            R"({"apiVersion":"v1","kind":"ConfigMap","immutable":true})"},
        Row{"labels and finalizers",
            enveloped("v1", "ConfigMap",
                      field(1, field(11, entry("l", "1")) + field(11, entry("m", "")) +
                                   field(14, "f/1") + field(14, "f/2"))),
            R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"labels":{"l":"1","m":""},)"
            R"("finalizers":["f/1","f/2"]}})"},
        Row{"an owner",
            enveloped("v1", "ConfigMap",
                      field(1, field(13, field(1, "Pod") + field(3, "p") + field(4, "u") +
                                             field(5, "v1") + number_field(6, 1)))),
            R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"ownerReferences":[)"
            R"({"kind":"Pod","name":"p","uid":"u","apiVersion":"v1","controller":true}]}})"},
        Row{"a namespace", enveloped("v1", "Namespace", field(1, field(1, "n")) + field(2, "")),
            R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"},"spec":{}})"},
        Row{"a budget in numbers",
            enveloped("policy/v1", "PodDisruptionBudget",
                      field(2, field(1, number_field(1, 0) + number_field(2, 2) + field(3, "")) +
                                   field(2, field(1, entry("a", "b"))))),
            R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","spec":{"minAvailable":2,)"
            R"("selector":{"matchLabels":{"a":"b"}}}})"},
        Row{"a budget in percent",
            enveloped("policy/v1", "PodDisruptionBudget",
                      field(2, field(3, number_field(1, 1) + field(3, "50%")))),
            R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget",)"
            R"("spec":{"maxUnavailable":"50%"}})"},
        Row{"an eviction at once",
            enveloped("policy/v1", "Eviction",
                      field(1, field(1, "p")) +
                          field(2, number_field(1, 0) + field(2, field(1, "u")))),
            R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"p"},)"
            R"("deleteOptions":{"gracePeriodSeconds":0,"preconditions":{"uid":"u"}}})"},
        Row{"a volume, whose source is embedded",
            enveloped("v1", "Pod",
                      field(2, field(1, field(1, "v") + field(2, field(2, field(1, "Memory")))))),
            R"({"apiVersion":"v1","kind":"Pod","spec":{"volumes":[)"
            R"({"name":"v","emptyDir":{"medium":"Memory"}}]}})"},
        Row{"a number that is zero behind a pointer",
            enveloped("v1", "Pod", field(2, number_field(4, 0))),
            R"({"apiVersion":"v1","kind":"Pod","spec":{"terminationGracePeriodSeconds":0}})"},
        Row{"a time", enveloped("v1", "Pod", field(3, field(7, number_field(1, 5)))),
            R"({"apiVersion":"v1","kind":"Pod","status":{"startTime":"1970-01-01T00:00:05Z"}})"},
        Row{"a time long before all calendars, which is none",
            enveloped("v1", "Pod", field(3, field(7, "\x08" + std::string(kLeastNumber)))),
            R"({"apiVersion":"v1","kind":"Pod","status":{}})"},
        Row{"no time", enveloped("v1", "Pod", field(1, field(8, ""))),
            R"({"apiVersion":"v1","kind":"Pod","metadata":{}})"},
        Row{"opaque parameters, which are JSON",
            enveloped("resource.k8s.io/v1", "DeviceClass",
                      field(2, field(2, field(1, field(1, field(1, "d") +
                                                              field(2, field(1, R"({"a":1})"))))))),
            R"({"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","spec":{"config":[)"
            R"({"opaque":{"driver":"d","parameters":{"a":1}}}]}})"},
        Row{"parameters that are no JSON",
            enveloped("resource.k8s.io/v1", "DeviceClass",
                      field(2, field(2, field(1, field(1, field(2, field(1, "{"))))))),
            "400"},
        Row{"numbers that are packed",
            enveloped("v1", "Pod", field(2, field(14, field(4, std::string_view("\x01\x02"))))),
            R"({"apiVersion":"v1","kind":"Pod","spec":{"securityContext":)"
            R"({"supplementalGroups":[1,2]}}})"},
        Row{"text that is no UTF-8", enveloped("v1", "ConfigMap", field(2, entry("k", "\xff"))),
            "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"data\":{\"k\":\"\xef\xbf\xbd\"}}"},
        Row{"a kind that is not known", enveloped("v1", "Thing", ""), "400"},
        Row{"no envelope", R"({"metadata":{}})", "400"}, Row{"nothing", "", "400"},
        Row{"a number for a message", enveloped("v1", "ConfigMap", number_field(1, 1)), "400"},
        Row{"a number for a text", enveloped("v1", "ConfigMap", field(1, number_field(1, 1))),
            "400"},
        Row{"a text for a flag", enveloped("v1", "ConfigMap", field(4, "1")), "400"},
        Row{"a number for an entry", enveloped("v1", "ConfigMap", number_field(2, 1)), "400"},
        Row{"a number for the kind",
            std::string("k8s\0", 4) + field(1, number_field(2, 1)) + field(2, ""), "400"},
        Row{"a number for the object",
            std::string("k8s\0", 4) + field(1, field(1, "v1") + field(2, "ConfigMap")) +
                number_field(2, 1),
            "400"},
        Row{"a number that is no double",
            enveloped("apiextensions.k8s.io/v1", "CustomResourceDefinition",
                      field(2, field(7, field(4, field(1, number_field(9, 1)))))),
            "400"},
        Row{"a field of a wire type that there is not",
            enveloped("v1", "ConfigMap", std::string_view("\x0b")), "400"},
        Row{"a message within that is broken",
            enveloped("v1", "ConfigMap", field(1, field(13, "\x0a\x7f"))), "400"}),
    kBySentence);

TEST(ProtobufBody, is_rejected_if_truncated) {
  constexpr std::size_t kBegins = 21;
  constexpr std::size_t kEnds = 50;
  EXPECT_EQ(decoded(kFromKubectl.substr(0, kEnds)), decoded(kFromKubectl));
  for (std::size_t size = kBegins + 1; size < kEnds; ++size) {
    EXPECT_EQ(decoded(kFromKubectl.substr(0, size)), "400") << size;
  }
}

// An object of many types, in JSON and back.
constexpr std::string_view kManyTypes =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{)"
    R"("name":"p","creationTimestamp":"2026-01-02T03:04:05Z","labels":{"a":"b"},)"
    R"("managedFields":[{"manager":"m","fieldsV1":{"f:spec":{}}}]},"spec":{"volumes":[)"
    R"({"name":"v","secret":{"secretName":"s","defaultMode":420}},{"name":"e","emptyDir":{}}],"containers":[{"name":"c",)"
    R"("ports":[{"containerPort":80}],"resources":{"limits":{"cpu":"100m"}},)"
    R"("livenessProbe":{"httpGet":{"path":"/","port":"http"},"periodSeconds":10}}],)"
    R"("priority":-5,"shareProcessNamespace":false}})";

TEST(ProtobufBody, survives_round_trip) {
  std::string problem;
  const auto json = parse(kManyTypes, problem);
  ASSERT_TRUE(json) << problem;
  EXPECT_EQ(decoded(encode_protobuf("v1", "Pod", json->get_object())), kManyTypes);
}

// Schemas, with everything that is one of several types.
constexpr std::string_view kDefinition =
    R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{)"
    R"("group":"example.com","names":{"plural":"things","kind":"Thing"},"scope":"Cluster",)"
    R"("versions":[{"name":"v1","served":true,"storage":false,"schema":{"openAPIV3Schema":{)"
    R"("$schema":"s","type":"object","properties":{)"
    R"("a":{"default":{"x":[1]},"maximum":1.5,"minimum":0,"exclusiveMinimum":true,"minLength":0},)"
    R"("b":{"enum":["x",1,false,{"y":null}],"items":{"type":"string"}},)"
    R"("c":{"items":[{"type":"string"},{}]},"d":{"additionalProperties":{}},)"
    R"("e":{"additionalProperties":true},"f":{"additionalProperties":false},)"
    R"("g":{"dependencies":{"h":{"type":"null"},"i":["j","k"]},"multipleOf":1E300},)"
    R"("l":{"not":{"not":{}},"x-kubernetes-preserve-unknown-fields":false,)"
    R"("x-kubernetes-validations":[{"rule":"true","optionalOldSelf":false}]}}}},)"
    R"("subresources":{"status":{}}}]},)"
    R"("status":{"conditions":[{"type":"Established","status":"True",)"
    R"("lastTransitionTime":"2026-01-02T03:04:05Z"}],"storedVersions":["v1"]}})";

TEST(ProtobufBody, carries_definitions) {
  std::string problem;
  const auto json = parse(kDefinition, problem);
  ASSERT_TRUE(json) << problem;
  const std::string body =
      encode_protobuf("apiextensions.k8s.io/v1", "CustomResourceDefinition", json->get_object());
  const auto again = decode_protobuf(body);
  ASSERT_TRUE(again) << again.error().message;
  // protobuf has the fields in the order of their numbers.
  EXPECT_EQ(Json(*again), *json) << serialize(*again);
}

TEST(ProtobufBody, has_no_more_than_100_levels) {
  const auto nested = [](std::size_t levels) {
    JsonObject schema;
    for (std::size_t i = 0; i < levels; ++i) schema = JsonObject{{"not", std::move(schema)}};
    const JsonObject version{{"schema", JsonObject{{"openAPIV3Schema", std::move(schema)}}}};
    return decoded(encode_protobuf("apiextensions.k8s.io/v1", "CustomResourceDefinition",
                                   {{"spec", JsonObject{{"versions", JsonArray{version}}}}}));
  };
  EXPECT_NE(nested(95), "400");
  EXPECT_EQ(nested(96), "400");
  EXPECT_EQ(nested(3'000), "400");
}

TEST(ProtobufBody, keeps_microseconds_of_lease) {
  const JsonObject lease{{"spec", JsonObject{{"renewTime", "2026-01-02T03:04:05.000007Z"}}}};
  EXPECT_EQ(decoded(encode_protobuf("coordination.k8s.io/v1", "Lease", lease)),
            R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease",)"
            R"("spec":{"renewTime":"2026-01-02T03:04:05.000007Z"}})");
}

constexpr std::string_view kConfigMaps = "/api/v1/namespaces/default/configmaps";

Request asking(std::string method, std::string path, std::string_view accept) {
  Request request{std::move(method), std::move(path)};
  request.headers = {{"Accept", std::string(accept)}};
  return request;
}

TEST_F(Api, answers_in_protobuf_on_request) {
  server.handle({"POST",
                 std::string(kConfigMaps),
                 "",
                 {{"Content-Type", std::string(kProtobuf)}},
                 std::string(kFromKubectl)});
  const std::string one = std::string(kConfigMaps) + "/a";
  const Response got = server.handle(asking("GET", one, kProtobuf));
  EXPECT_EQ(got.headers.front().second, kProtobuf);
  const auto object = decode_protobuf(got.body);
  ASSERT_TRUE(object);
  EXPECT_EQ(text_at(*object, {"data", "x"}), "y");

  const auto list =
      decode_protobuf(server.handle(asking("GET", std::string(kConfigMaps), kProtobuf)).body);
  ASSERT_TRUE(list);
  EXPECT_EQ(text_at(*list, {"kind"}), "ConfigMapList");
  EXPECT_EQ(array_at(*list, {"items"}).size(), 1U);

  const auto status = decode_protobuf(server.handle(asking("GET", one + "b", kProtobuf)).body);
  ASSERT_TRUE(status);
  EXPECT_EQ(text_at(*status, {"reason"}), "NotFound");
}

TEST_F(Api, shows_metadata_alone_in_both_encodings) {
  server.handle({"POST",
                 std::string(kConfigMaps),
                 "",
                 {{"Content-Type", std::string(kProtobuf)}},
                 std::string(kFromKubectl)});
  const std::string as = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
  const auto shown = decode_protobuf(
      server.handle(asking("GET", std::string(kConfigMaps) + "/a", std::string(kProtobuf) + as))
          .body);
  ASSERT_TRUE(shown);
  EXPECT_EQ(text_at(*shown, {"kind"}), "PartialObjectMetadata");
  EXPECT_EQ(text_at(*shown, {"metadata", "name"}), "a");
  EXPECT_FALSE(shown->contains("data"));
  const Response list =
      server.handle(asking("GET", std::string(kConfigMaps), "application/json" + as));
  EXPECT_TRUE(list.body.starts_with(R"({"kind":"PartialObjectMetadataList")")) << list.body;
  EXPECT_EQ(list.body.find("\"data\""), std::string::npos);
}

TEST_F(Api, streams_watch_frames_in_protobuf) {
  Request request =
      asking("GET", std::string(kConfigMaps), "application/vnd.kubernetes.protobuf;stream=watch");
  request.query = "watch=1";
  const auto watch = server.open_watch(request);
  ASSERT_TRUE(watch);
  EXPECT_EQ((*watch)->media_type(), kProtobufWatch);
  api.send("POST", kConfigMaps, kProtobuf, std::string(kFromKubectl));
  const auto frame = (*watch)->next();
  ASSERT_TRUE(frame);
  const std::string_view event(*frame);
  ASSERT_EQ(static_cast<std::size_t>(static_cast<unsigned char>(event[2])) * 256 +
                static_cast<unsigned char>(event[3]),
            event.size() - 4);
  EXPECT_EQ(event.substr(4, 7),
            "\x0a\x05"
            "ADDED");
  const auto object = decode_protobuf(event.substr(event.find(std::string_view("k8s\0", 4))));
  ASSERT_TRUE(object);
  EXPECT_EQ(text_at(*object, {"metadata", "name"}), "a");
}

TEST_F(Api, takes_definitions_in_protobuf) {
  constexpr std::string_view kDefinitions =
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const JsonObject version{
      {"name", "v1"},
      {"served", true},
      {"storage", true},
      {"schema", JsonObject{{"openAPIV3Schema", JsonObject{{"type", "object"}}}}}};
  const JsonObject definition{
      {"metadata", JsonObject{{"name", "things.example.com"}}},
      {"spec", JsonObject{{"group", "example.com"},
                          {"names", JsonObject{{"plural", "things"}, {"kind", "Thing"}}},
                          {"scope", "Cluster"},
                          {"versions", JsonArray{version}}}}};
  const std::string body =
      encode_protobuf("apiextensions.k8s.io/v1", "CustomResourceDefinition", definition);
  EXPECT_EQ(api.send("POST", kDefinitions, kProtobuf, body).status, 201);
  const auto list =
      decode_protobuf(server.handle(asking("GET", std::string(kDefinitions), kProtobuf)).body);
  ASSERT_TRUE(list);
  EXPECT_EQ(text_at(array_at(*list, {"items"}).at(0).as_object(), {"spec", "names", "listKind"}),
            "ThingList");
  // Objects of such a kind have no protobuf.
  const Answer thing = api.send("POST", "/apis/example.com/v1/things", kProtobuf,
                                enveloped("example.com/v1", "Thing", ""));
  EXPECT_EQ(thing.status, 415);
}

TEST_F(Api, deletes_collection_with_protobuf_options) {
  api.send("POST", kConfigMaps, kProtobuf, std::string(kFromKubectl));
  const Answer gone =
      api.send("DELETE", kConfigMaps, kProtobuf, enveloped("v1", "DeleteOptions", field(5, "All")));
  EXPECT_EQ(gone.status, 200);
  EXPECT_EQ(api.get(std::string(kConfigMaps) + "/a").status, 200) << "it was a dry run";
}

TEST_F(Api, accepts_protobuf_and_answers_in_json) {
  const Answer made = api.send("POST", "/api/v1/namespaces/default/configmaps", kProtobuf,
                               std::string(kFromKubectl));
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.text({"data", "x"}), "y");
}

}  // namespace
}  // namespace dcm::apiserver
