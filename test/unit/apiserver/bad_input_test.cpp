// Requests of confused or hostile clients: each gets the answer that Kubernetes gives, never a
// crash, and all memory is bounded.
#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

constexpr std::string_view kConfigMaps = "/api/v1/namespaces/default/configmaps";
constexpr std::string_view kEviction = "/api/v1/namespaces/default/pods/trainer-0/eviction";
constexpr std::string_view kNamespace = "/api/v1/namespaces/default";

std::string nested(std::string_view open, std::string_view close, int depth) {
  std::string text;
  for (int i = 0; i < depth; ++i) text += open;
  text += "1";
  for (int i = 0; i < depth; ++i) text += close;
  return text;
}

class BadInput : public Api {
 protected:
  // A Status, in JSON, that matches its code.
  static void expect_status(const Answer& answer, int code, std::string_view reason) {
    EXPECT_EQ(answer.status, code) << serialize(answer.body);
    EXPECT_EQ(answer.text({"kind"}), "Status");
    EXPECT_EQ(answer.text({"status"}), "Failure");
    EXPECT_EQ(answer.reason(), reason);
    EXPECT_EQ(integer_at(answer.body, {"code"}), code);
  }
};

struct BodyRow {
  std::string_view sentence;
  std::string_view body;
  int status;
};

class Bodies : public BadInput, public ::testing::WithParamInterface<BodyRow> {};

TEST_P(Bodies, return_status) {
  const auto& [sentence, body, status] = GetParam();
  make_pod("node-1");
  const auto reason = [](int code) { return code == 400 ? "BadRequest" : "Invalid"; };
  expect_status(api.post(kConfigMaps, std::string(body)), status, reason(status));
  expect_status(api.post(kEviction, std::string(body)), 400, "BadRequest");
  expect_status(api.put(kPod, std::string(body)), 400, "BadRequest");
  // Any object may be a patch, or options of a DELETE, and is read as such.
  const bool object = body.starts_with('{') && body.ends_with('}');
  if (!object && status == 400) {
    if (!body.empty()) expect_status(api.remove(kPod, std::string(body)), 400, "BadRequest");
    expect_status(api.patch(kPod, kMerge, std::string(body)), 400, "BadRequest");
    expect_status(api.patch(std::string(kPod) + "?fieldManager=m", kApply, std::string(body)), 400,
                  "BadRequest");
  }
  EXPECT_EQ(api.get(kPod).status, 200);
}

constexpr BodyRow kBodyRows[] = {
    {"nothing", "", 400},
    {"half an object", R"({"metadata":{"name":"a")", 400},
    {"an object and more", R"({"metadata":{"name":"a"}} and more)", 400},
    {"a list", "[]", 400},
    {"text", R"("x")", 400},
    {"a number", "5", 400},
    {"null has no name", "null", 422},
    {"a kind that is no text", R"({"kind":5,"metadata":{"name":"a"}})", 400},
    {"an unknown kind", R"({"kind":"Nonsense","apiVersion":"v1","metadata":{"name":"a"}})", 400},
    {"an unknown group", R"({"kind":"Pod","apiVersion":"a/b/c","metadata":{"name":"a"}})", 400},
    {"bytes that are no text", "{\"metadata\":{\"name\":\"\xff\xfe\"}}", 400},
    {"a zero byte", std::string_view("{\"metadata\":{\"name\":\"a\0\"}}", 25), 400},
    {"a number beyond all bounds", R"({"metadata":{"name":"a","generation":1e400}})", 400},
};

INSTANTIATE_TEST_SUITE_P(Rows, Bodies, ::testing::ValuesIn(kBodyRows), kBySentence);

TEST_F(BadInput, is_rejected_if_too_deep) {
  for (const int depth : {101, 100'000}) {
    const std::string lists = R"({"metadata":{"name":"a"},"data":)" + nested("[", "]", depth) + "}";
    expect_status(api.post(kConfigMaps, lists), 400, "BadRequest");
    const std::string objects = nested(R"({"a":)", "}", depth);
    expect_status(api.post(kConfigMaps, objects), 400, "BadRequest");
  }
  std::string blocks;
  for (std::size_t i = 0; i < 1000; ++i) blocks += std::string(i, ' ') + "a:\n";
  for (const std::string& yaml : {"a: " + nested("[", "]", 100'000), blocks}) {
    expect_status(api.send("POST", kConfigMaps, kYaml, yaml), 400, "BadRequest");
  }
}

TEST_F(BadInput, is_rejected_as_valid_json_despite_odd_bytes) {
  // The YAML library mistakes the zeros for UTF-16, and quotes half a character.
  for (const std::string& yaml : {std::string("a\0\0\0\0\0\0\0\0\x02"
                                              "errsi",
                                              15),
                                  std::string(R"(a: "\ä")"), std::string("a: \x1b[2J\n")}) {
    expect_status(api.send("POST", kConfigMaps, kYaml, yaml), 400, "BadRequest");
  }
}

TEST_F(BadInput, is_rejected_for_growing_aliases) {
  std::string bomb = "metadata: {name: a}\na: &a [x, x, x, x, x, x, x, x, x]\n";
  for (char name = 'b'; name <= 'k'; ++name) {
    const std::string last = "*" + std::string(1, static_cast<char>(name - 1));
    bomb += std::string(1, name) + ": &" + name + " [";
    for (int i = 0; i < 9; ++i) bomb += (i > 0 ? ", " : "") + last;
    bomb += "]\n";
  }
  expect_status(api.send("POST", kConfigMaps, kYaml, bomb), 400, "BadRequest");
}

TEST_F(BadInput, is_rejected_if_huge) {
  const std::string huge =
      R"({"metadata":{"name":"a"},"data":{"k":")" + std::string(3 * 1024 * 1024, 'x') + R"("}})";
  for (const std::string_view method : {"POST", "PUT", "PATCH", "DELETE"}) {
    const std::string path = std::string(kConfigMaps) + (method == "POST" ? "" : "/a");
    const Answer refused = api.send(method, path, "application/json", huge);
    expect_status(refused, 413, "RequestEntityTooLarge");
    EXPECT_EQ(refused.text({"message"}), "Request entity too large: limit is 3145728");
  }
}

struct TargetRow {
  std::string_view sentence;
  std::string_view method;
  std::string_view target;
  int status;
};

class Targets : public BadInput, public ::testing::WithParamInterface<TargetRow> {};

TEST_P(Targets, return_answer) {
  const auto& [sentence, method, target, status] = GetParam();
  const Answer answer = api.send(method, target, "application/json", "{}");
  EXPECT_EQ(answer.status, status) << serialize(answer.body);
}

constexpr TargetRow kTargetRows[] = {
    {"an empty path", "GET", "", 404},
    {"a path of slashes", "GET", "////", 404},
    {"an unknown kind", "GET", "/api/v1/namespaces/default/things", 404},
    {"an unknown group", "POST", "/apis/nonsense/v1/things", 404},
    {"an unknown version", "GET", "/api/v2/pods", 404},
    {"an unknown subresource", "GET", "/api/v1/namespaces/default/pods/a/nonsense", 404},
    {"more path than there is", "GET", "/api/v1/namespaces/default/pods/a/status/b", 404},
    {"a name of a zero byte", "GET", "/api/v1/namespaces/default/pods/%00", 404},
    {"a name with a slash", "GET", "/api/v1/namespaces/default/pods/a%2Fb", 404},
    {"a name that is no text", "GET", "/api/v1/namespaces/default/pods/%FF%FE", 404},
    {"half an escape", "GET", "/api/v1/namespaces/default/pods/%F", 404},
    {"an unknown method", "BREW", "/api/v1/namespaces/default/pods/a", 405},
    {"a POST to an object", "POST", "/api/v1/namespaces/default/pods/a", 405},
    {"a limit that is no number", "GET", "/api/v1/pods?limit=x", 400},
    {"a limit beyond all bounds", "GET", "/api/v1/pods?limit=99999999999999999999", 400},
    {"a negative limit", "GET", "/api/v1/pods?limit=-1", 200},
    {"a timeout that is no number", "GET", "/api/v1/pods?timeoutSeconds=x", 400},
    {"a token that is none", "GET", "/api/v1/pods?continue=zzz", 400},
    {"a version that is no number", "GET", "/api/v1/pods?resourceVersion=x", 400},
    {"a version beyond all bounds", "GET", "/api/v1/pods?resourceVersion=99999999999999999999",
     400},
    {"a label selector that is none", "GET", "/api/v1/pods?labelSelector=a%20in%20(b", 400},
    {"a label selector of operators", "GET", "/api/v1/pods?labelSelector=%21%21%3D%3D%2C%2C", 400},
    {"a field selector that is none", "GET", "/api/v1/pods?fieldSelector=a", 400},
    {"a query of nothing", "GET", "/api/v1/pods?&&=&==&", 200},
    {"a grace period that is no number", "DELETE", "/api/v1/nodes/a?gracePeriodSeconds=x", 404},
    {"a policy that there is not", "DELETE", "/api/v1/nodes/a?propagationPolicy=x", 404},
};

INSTANTIATE_TEST_SUITE_P(Rows, Targets, ::testing::ValuesIn(kTargetRows), kBySentence);

TEST_F(BadInput, is_printed_as_text) {
  const Answer answer = api.get("/api/v1/namespaces/default/pods/%FF%C3%28");
  expect_status(answer, 404, "NotFound");
  EXPECT_EQ(answer.text({"details", "name"}), "\xEF\xBF\xBD\xEF\xBF\xBD(");
}

TEST_F(BadInput, is_rejected_in_delete_options) {
  make_pod();
  const auto del = [&](std::string body) { return api.remove(kPod, std::move(body)); };
  expect_status(del(R"({"kind":"Pod","apiVersion":"v1"})"), 400, "BadRequest");
  expect_status(del(R"({"gracePeriodSeconds":"soon"})"), 400, "BadRequest");
  expect_status(del(R"({"propagationPolicy":"Sideways"})"), 422, "Invalid");
  expect_status(del(R"({"dryRun":["Some"]})"), 422, "Invalid");
  expect_status(api.send("DELETE", std::string(kPod) + "?gracePeriodSeconds=x", "", ""), 400,
                "BadRequest");
  EXPECT_EQ(api.get(kPod).status, 200);
}

// Any bytes at any endpoint: any valid answer suffices.
TEST_F(BadInput, is_always_answered) {
  const std::vector<std::string> seeds = {
      R"({"metadata":{"name":"a","labels":{"k":"v"}},"data":{"k":"v"}})",
      R"([{"op":"add","path":"/metadata/labels/a","value":"b"},{"op":"move","from":"/a","path":"/b/-"}])",
      R"({"spec":{"containers":[{"$patch":"delete","name":"c"},{"name":"d","image":"i"}]},)"
      R"("metadata":{"$deleteFromPrimitiveList/finalizers":["a"],"$retainKeys":["name"]}})",
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: &a a, labels: {x: *a}}\ndata:\n  k: |\n   "
      " v\n",
      R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"trainer-0"}})",
  };
  const std::vector<std::string_view> types = {"application/json", kYaml,      kMerge,
                                               kStrategic,         kJsonPatch, kApply};
  const std::vector<std::string_view> targets = {
      kConfigMaps,
      kPod,
      kPodStatus,
      kEviction,
      kClaim,
      kNamespace,
      "/api/v1/namespaces/default/configmaps/a?fieldManager=m&force=true"};
  runtime::Rng rng(20'27);
  make_pod("node-1");
  make_claim();
  for (int round = 0; round < 4000; ++round) {
    std::string body = seeds[rng.below(seeds.size())];
    for (std::uint64_t changes = rng.below(4); changes > 0 && !body.empty(); --changes) {
      const std::size_t at = rng.below(body.size());
      switch (rng.below(3)) {
        case 0:
          body[at] = static_cast<char>(rng.below(256));
          break;
        case 1:
          body.erase(at, rng.below(8));
          break;
        default:
          body.insert(at, body.substr(rng.below(body.size()), rng.below(16)));
      }
    }
    const std::vector<std::string_view> methods = {"POST", "PUT", "PATCH", "DELETE"};
    const std::string_view method = methods[rng.below(methods.size())];
    const Answer answer =
        api.send(method, targets[rng.below(targets.size())], types[rng.below(types.size())], body);
    EXPECT_FALSE(answer.body.empty()) << "no JSON in answer to " << body;
    if (method == "DELETE") make_pod("node-1");
  }
}

// ---- bounded memory -----------------------------------------------------------------------------

class SmallHistory : public Api {
 protected:
  SmallHistory() : Api(ServerOptions{.history_bytes = 100'000, .log_bytes = 100'000}) {}
};

TEST_F(SmallHistory, is_bounded_by_bytes) {
  const std::string body =
      R"({"metadata":{"generateName":"a-"},"data":{"k":")" + std::string(10'000, 'x') + R"("}})";
  const std::string first(api.post(kConfigMaps, body).resource_version());
  auto watch = api.watch("/api/v1/configmaps?watch=1&resourceVersion=" + first);
  ASSERT_TRUE(watch);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(api.post(kConfigMaps, body).status, 201);
  EXPECT_LT(server.log().all().size(), 12U);
  // The watch has fallen behind, and ends; a new one from there is too old.
  EXPECT_EQ((*watch)->next(), std::nullopt);
  EXPECT_TRUE((*watch)->ended());
  auto again = api.watch("/api/v1/configmaps?watch=1&resourceVersion=" + first);
  ASSERT_TRUE(again);
  EXPECT_EQ(summary(drain(**again)), (std::vector<std::string>{"ERROR Expired"}));
}

}  // namespace
}  // namespace dcm::apiserver
