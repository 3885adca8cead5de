// Bodies in protobuf, as kubectl 1.37 has sent them, and broken ones.
#include "apiserver/text/protobuf.hpp"

#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

// One field with a length: its number, and what is in it.
std::string field(int number, std::string_view bytes) {
  return std::string(1, static_cast<char>(number * 8 + 2)) +
         std::string(1, static_cast<char>(bytes.size())) + std::string(bytes);
}

std::string number_field(int number, char value) {
  return std::string(1, static_cast<char>(number * 8)) + std::string(1, value);
}

std::string enveloped(std::string_view api_version, std::string_view kind,
                      std::string_view object) {
  return std::string("k8s\0", 4) + field(1, field(1, api_version) + field(2, kind)) +
         field(2, object) + field(3, "") + field(4, "");
}

std::string entry(std::string_view key, std::string_view value) {
  return field(1, key) + field(2, value);
}

// What `kubectl create configmap a --from-literal=x=y` sends.
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
        Row{"a kind that is not known", enveloped("v1", "Pod", ""), "415"},
        Row{"no envelope", R"({"metadata":{}})", "400"}, Row{"nothing", "", "400"},
        Row{"a field of a wire type that there is not",
            enveloped("v1", "ConfigMap", std::string_view("\x0b")), "400"},
        Row{"a message within that is broken",
            enveloped("v1", "ConfigMap", field(1, field(13, "\x0a\x7f"))), "400"}),
    kBySentence);

TEST(ProtobufBody, is_refused_when_its_object_is_cut_anywhere) {
  constexpr std::size_t kBegins = 21;
  constexpr std::size_t kEnds = 50;
  EXPECT_EQ(decoded(kFromKubectl.substr(0, kEnds)), decoded(kFromKubectl));
  for (std::size_t size = kBegins + 1; size < kEnds; ++size) {
    EXPECT_EQ(decoded(kFromKubectl.substr(0, size)), "400") << size;
  }
}

TEST_F(Api, takes_protobuf_for_json_and_answers_in_json) {
  const Answer made = api.send("POST", "/api/v1/namespaces/default/configmaps", kProtobuf,
                               std::string(kFromKubectl));
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.text({"data", "x"}), "y");
}

}  // namespace
}  // namespace dcm::apiserver
