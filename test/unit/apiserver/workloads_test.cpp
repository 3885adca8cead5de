// Mistakes in workloads, as in workload_mistakes.yaml, and in what their pods use.
#include <fstream>
#include <sstream>

#include "apiserver/fields/patches.hpp"
#include "apiserver/rules/cron_schedule.hpp"
#include "apiserver/text/yaml.hpp"
#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

std::string path_of(std::string_view kind) {
  std::string plural(kind);
  std::ranges::transform(plural, plural.begin(), [](unsigned char c) { return std::tolower(c); });
  const bool is_core = kind == "ReplicationController" || kind == "PodTemplate";
  const std::string_view group = is_core                 ? "/api/v1"
                                 : kind.ends_with("Job") ? "/apis/batch/v1"
                                                         : "/apis/apps/v1";
  return std::string(group) + "/namespaces/default/" + plural + "s";
}

class Workloads : public Api {
 protected:
  Workloads() {
    std::ifstream file(DCM_SOURCE_DIR "/test/unit/apiserver/workload_mistakes.yaml");
    std::stringstream text;
    text << file.rdbuf();
    std::string problem;
    auto document = parse_yaml(text.str(), problem);
    if (!document) throw std::runtime_error(problem);
    table = document->value.as_object();
  }

  JsonObject object_of(std::string_view kind, const JsonObject& change = {}) const {
    JsonObject content = object_at(table, {"workloads", kind});
    apply_merge_patch(content, change);
    return {{"metadata", {{"name", "w"}}},
            {kind == "PodTemplate" ? "template" : "spec", std::move(content)}};
  }
  Answer make(std::string_view kind, const JsonObject& change = {}) {
    return api.post(path_of(kind), serialize(object_of(kind, change)));
  }
  Answer change(std::string_view kind, std::string_view spec) {
    return api.patch(path_of(kind) + "/w", kMerge, R"({"spec":)" + std::string(spec) + "}");
  }

  JsonObject table;
};

TEST_F(Workloads, are_accepted_without_mistakes) {
  const JsonObject& workloads = object_at(table, {"workloads"});
  EXPECT_FALSE(workloads.empty());
  for (const auto& workload : workloads) {
    const Answer made = make(workload.key());
    EXPECT_EQ(made.status, 201) << serialize(made.body);
  }
}

TEST_F(Workloads, are_refused_with_mistakes) {
  const JsonArray& mistakes = array_at(table, {"mistakes"});
  EXPECT_FALSE(mistakes.empty());
  for (const Json& row : mistakes) {
    SCOPED_TRACE(text_at(as_object(row), {"mistake"}));
    const auto causes =
        make(text_at(as_object(row), {"kind"}), object_at(as_object(row), {"change"})).causes();
    const JsonArray& expected = array_at(as_object(row), {"causes"});
    ASSERT_EQ(causes.size(), expected.size()) << ::testing::PrintToString(causes);
    for (std::size_t i = 0; i < causes.size(); ++i) {
      EXPECT_TRUE(causes[i].starts_with(view(expected[i].as_string()))) << causes[i];
    }
  }
}

TEST_F(Workloads, keep_what_is_immutable) {
  for (const auto* kind : {"Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"}) {
    make(kind);
    const Answer refused = change(kind, R"({"selector":{"matchLabels":{"c":"d"}},)"
                                        R"("template":{"metadata":{"labels":{"c":"d"}}}})");
    EXPECT_EQ(
        refused.causes(),
        (std::vector<std::string>{
            R"(spec.selector: Invalid value: {"matchLabels":{"a":"b","c":"d"}}: field is immutable)"}));
  }
  EXPECT_EQ(
      change("StatefulSet", R"({"serviceName":"t"})").causes(),
      (std::vector<std::string>{R"(spec.serviceName: Invalid value: "t": field is immutable)"}));
  make("Job");
  EXPECT_EQ(change("Job", R"({"completions":3})").causes(),
            (std::vector<std::string>{"spec.completions: Invalid value: 3: field is immutable"}));
  const std::string pods = R"({"template":{"spec":{"nodeSelector":{"a":"b"}}}})";
  EXPECT_EQ(change("Job", pods).status, 422);
}

TEST_F(Workloads, stateful_set_has_a_label_for_a_name) {
  JsonObject set = object_of("StatefulSet");
  set["metadata"] = JsonObject{{"name", "a.b"}};
  const auto causes = api.post(path_of("StatefulSet"), serialize(set)).causes();
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_TRUE(causes.front().starts_with("metadata.name: Invalid value: ")) << causes.front();
}

TEST_F(Workloads, suspended_job_may_change_placement_of_its_pods) {
  make("Job", {{"suspend", true}});
  EXPECT_EQ(change("Job", R"({"template":{"spec":{"nodeSelector":{"a":"b"}}}})").status, 200);
}

TEST_F(Workloads, pods_of_stateful_set_mount_its_claims) {
  const JsonObject with_volume = {{"volumeClaimTemplates",
                                   {{{"metadata", {{"name", "data"}}},
                                     {"spec",
                                      {{"accessModes", {"ReadWriteOnce"}},
                                       {"resources", {{"requests", {{"storage", "1Gi"}}}}}}}}}}};
  std::string problem;
  JsonObject change = with_volume;
  change["template"] = *parse(R"({"spec":{"containers":[{"name":"c","image":"x","volumeMounts":)"
                              R"([{"name":"data","mountPath":"/data"}]}]}})",
                              problem);
  const Answer made = make("StatefulSet", change);
  EXPECT_EQ(made.status, 201) << serialize(made.body);
}

struct Use {
  std::string_view member;  // of the container
  std::vector<std::string> causes;
};

class UseByContainer : public Api, public ::testing::WithParamInterface<Use> {};

TEST_P(UseByContainer, is_refused) {
  const Answer answer =
      api.post(kPods, R"({"metadata":{"name":"p"},"spec":{"volumes":[{"name":"v","emptyDir":{}}],)"
                      R"("containers":[{"name":"c","image":"x",)" +
                          std::string(GetParam().member) + "}]}}");
  EXPECT_EQ(answer.causes(), GetParam().causes);
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes, UseByContainer,
    ::testing::Values(
        Use{R"("volumeMounts":[{"name":"w","mountPath":"/a"}])",
            {R"(spec.containers[0].volumeMounts[0].name: Not found: "w")"}},
        Use{R"("volumeMounts":[{"name":"v","mountPath":"/a"},{"name":"v","mountPath":"/a"}])",
            {R"(spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/a": must be unique)"}},
        Use{R"("volumeMounts":[{"name":"v","mountPath":"/a","subPath":"../x"}])",
            {R"(spec.containers[0].volumeMounts.subPath: Invalid value: "../x": must not contain '..')"}},
        Use{R"("volumeMounts":[{"name":"v","mountPath":"/a","subPath":"a","subPathExpr":"b"}])",
            {R"(spec.containers[0].volumeMounts[0].subPathExpr: Invalid value: "b": )"
             "subPathExpr and subPath are mutually exclusive"}},
        Use{R"("volumeMounts":[{"name":"v","mountPath":"/a","mountPropagation":"Bidirectional"}])",
            {"spec.containers[0].volumeMounts.mountPropagation: Forbidden: Bidirectional mount "
             "propagation is available only to privileged containers"}},
        Use{R"("volumeDevices":[{"name":"v","devicePath":"/dev/x"}])",
            {R"(spec.containers[0].volumeDevices[0].name: Invalid value: "v": can only use )"
             "volume source type of PersistentVolumeClaim or Ephemeral for block mode"}},
        Use{R"("ports":[{"containerPort":1,"hostPort":5},{"containerPort":2,"hostPort":5,"protocol":"UDP"},)"
            R"({"containerPort":3,"hostPort":5}])",
            {R"(spec.containers[0].ports[2].hostPort: Duplicate value: "TCP//5")"}},
        Use{R"("ports":[{"containerPort":1,"hostPort":70000}])",
            {"spec.containers[0].ports[0].hostPort: Invalid value: 70000: must be between 1 and "
             "65535, inclusive"}}));

TEST_F(Api, pod_with_host_network_has_equal_ports) {
  const Answer refused =
      api.post(kPods, R"({"metadata":{"name":"p"},"spec":{"hostNetwork":true,"containers":)"
                      R"([{"name":"c","image":"x","ports":[{"containerPort":1,"hostPort":2}]}]}})");
  EXPECT_EQ(refused.causes(),
            (std::vector<std::string>{
                "spec.containers[0].ports[0].hostPort: Invalid value: 2: must match "
                "`containerPort` when `hostNetwork` is true"}));
}

TEST_F(Api, text_about_unknown_claims_is_short_however_many_there_are) {
  JsonArray claims;
  JsonArray uses;
  for (int i = 0; i < 3000; ++i) {
    claims.push_back({{"name", "claim-" + std::to_string(i)}, {"resourceClaimName", "x"}});
    uses.push_back({{"name", "other-" + std::to_string(i)}});
  }
  const JsonObject container{
      {"name", "c"}, {"image", "x"}, {"resources", {{"claims", std::move(uses)}}}};
  const JsonObject pod{
      {"metadata", {{"name", "p"}}},
      {"spec", {{"resourceClaims", std::move(claims)}, {"containers", JsonArray{container}}}}};
  const Answer refused = api.post(kPods, serialize(pod));
  EXPECT_EQ(refused.causes().size(), 3000U);
  EXPECT_LT(serialize(refused.body).size(), 8U << 20U);
}

TEST_F(Api, privileged_container_may_mount_bidirectionally) {
  const Answer made = api.post(
      kPods,
      R"({"metadata":{"name":"p"},"spec":{"volumes":[{"name":"v","emptyDir":{}}],)"
      R"("containers":[{"name":"c","image":"x","securityContext":{"privileged":true},)"
      R"("volumeMounts":[{"name":"v","mountPath":"/a","mountPropagation":"Bidirectional"}]}]}})");
  EXPECT_EQ(made.status, 201) << serialize(made.body);
}

TEST_F(Api, secret_has_the_keys_of_its_type) {
  constexpr std::string_view kSecrets = "/api/v1/namespaces/default/secrets";
  EXPECT_EQ(
      api.post(kSecrets, R"({"metadata":{"name":"s"},"type":"kubernetes.io/tls"})").causes(),
      (std::vector<std::string>{"data[tls.crt]: Required value", "data[tls.key]: Required value"}));
  EXPECT_EQ(api.post(kSecrets, R"({"metadata":{"name":"s"},"data":{"..":"eA=="}})").causes().size(),
            1U);
  const Answer configuration =
      api.post(kSecrets, R"({"metadata":{"name":"s"},"type":"kubernetes.io/dockerconfigjson",)"
                         R"("stringData":{".dockerconfigjson":"password"}})");
  EXPECT_FALSE(serialize(configuration.body).contains("password")) << "it is a secret";
  ASSERT_EQ(api.post(kSecrets, R"({"metadata":{"name":"s"},"immutable":true})").status, 201);
  EXPECT_EQ(
      api.patch(std::string(kSecrets) + "/s", kMerge,
                R"({"data":{"a":"eA=="},"type":"example.com/x"})")
          .causes(),
      (std::vector<std::string>{R"(type: Invalid value: "example.com/x": field is immutable)",
                                "data: Forbidden: field is immutable when `immutable` is set"}));
}

TEST_F(Api, volume_claim_needs_access_mode_and_size) {
  const Answer refused =
      api.post("/api/v1/namespaces/default/persistentvolumeclaims",
               R"({"metadata":{"name":"c"},"spec":{"accessModes":["Foo"],)"
               R"("resources":{"requests":{"storage":"0"}},"volumeMode":"Bar"}})");
  EXPECT_EQ(
      refused.causes(),
      (std::vector<std::string>{
          R"(spec.accessModes: Unsupported value: "Foo": supported values: "ReadOnlyMany", )"
          R"("ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")",
          R"(spec.resources[storage]: Invalid value: "0": must be greater than zero)",
          R"(spec.volumeMode: Unsupported value: "Bar": supported values: "Block", "Filesystem")"}));
}

TEST(CronSchedule, is_read_as_a_real_server_does) {
  for (const auto* good : {"* * * jan-feb MON", "*/5 0-23/2 ? * 0,6", "1, * * * *", ", * * * *",
                           "*-5 * * * *", "+1 * * * *", "*  *\t* * *", "@daily", "@every 1h"}) {
    EXPECT_EQ(problem_with_schedule(good), std::nullopt) << good;
  }
  const std::pair<const char*, const char*> bad[] = {
      {"* * * *", "expected exactly 5 fields, found 4: [* * * *]"},
      {"@foo", "unrecognized descriptor: @foo"},
      {"61 * * * *", "end of range (61) above maximum (59): 61"},
      {"* * * * 7", "end of range (7) above maximum (6): 7"},
      {"* * 0 * *", "beginning of range (0) below minimum (1): 0"},
      {"5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"},
      {"*/0 * * * *", "step of range should be a positive number: */0"},
      {"1-2-3 * * * *", "too many hyphens: 1-2-3"},
      {"1/2/3 * * * *", "too many slashes: 1/2/3"},
      {"a * * * *", R"(failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax)"},
      {"/5 * * * *", R"(failed to parse int from : strconv.Atoi: parsing "": invalid syntax)"},
      {"1/ * * * *", R"(failed to parse int from : strconv.Atoi: parsing "": invalid syntax)"},
      {"99999999999999999999 * * * *",
       "failed to parse int from 99999999999999999999: strconv.Atoi: parsing "
       R"("99999999999999999999": value out of range)"}};
  for (const auto& [schedule, problem] : bad) EXPECT_EQ(problem_with_schedule(schedule), problem);
}

}  // namespace
}  // namespace dcm::apiserver
