// Resources of pods: their names and amounts, of containers, init containers and pods as a whole.
#include <fmt/format.h>

#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

class PodResources : public Api {
 protected:
  // "FIELD: MESSAGE" of each cause.
  std::vector<std::string> causes(const std::string& spec) {
    return api.post(kPods, R"({"metadata":{"generateName":"p-"},"spec":{)" + spec + "}}").causes();
  }
  static std::string containers(const std::string& more) {
    return R"("containers":[{"name":"c","image":"i")" + more + "}]";
  }
  std::vector<std::string> causes_with_limit(const std::string& resource,
                                             const std::string& amount = "1") {
    return causes(containers(R"(,"resources":{"limits":{"cpu":"1",")" + resource + R"(":")" +
                             amount + R"("},"requests":{")" + resource + R"(":")" + amount +
                             R"("}})"));
  }
  // Of an init container "z".
  std::vector<std::string> causes_with_init(const std::string& more) {
    return causes(containers("") + R"(,"initContainers":[{"name":"z","image":"i")" + more + "}]");
  }
};

using Lines = std::vector<std::string>;

// Without "spec.containers[0].resources.limits[…]: Invalid value: …: ".
Lines reasons(const Lines& causes) {
  Lines reasons;
  for (const std::string& cause : causes) {
    if (!cause.contains(".limits[")) continue;
    reasons.push_back(cause.substr(cause.find("\": ") + 3));
  }
  return reasons;
}

TEST_F(PodResources, have_known_or_qualified_names) {
  for (const auto* good : {"memory", "ephemeral-storage", "example.com/gpu", "kubernetes.io/x"}) {
    EXPECT_EQ(causes_with_limit(good), Lines()) << good;
  }
  EXPECT_EQ(reasons(causes_with_limit("gpus")),
            (Lines{"must be a standard resource type or fully qualified",
                   "must be a standard resource for containers"}));
  EXPECT_EQ(reasons(causes_with_limit("requests.cpu")),
            Lines{"must be a standard resource for containers"});
  EXPECT_EQ(reasons(causes_with_limit("requests.example.com/gpu")),
            Lines{"doesn't follow extended resource name standard"});
  EXPECT_EQ(
      reasons(causes_with_limit("/gpu")),
      (Lines{"prefix part must be non-empty", "doesn't follow extended resource name standard"}));
  EXPECT_EQ(reasons(causes_with_limit("Example.com/gpu")).size(), 2U);
  EXPECT_EQ(reasons(causes_with_limit("pods", "1500m")).back(), "must be an integer");
}

TEST_F(PodResources, are_whole_huge_pages_beside_cpu_or_memory) {
  EXPECT_EQ(causes_with_limit("hugepages-2Mi", "4Mi"), Lines());
  EXPECT_EQ(causes_with_limit("hugepages-2Mi", "0"), Lines());
  EXPECT_EQ(reasons(causes_with_limit("hugepages-2Mi", "3Mi")),
            Lines{"3Mi is not positive integer multiple of hugepages-2Mi"});
  EXPECT_EQ(reasons(causes_with_limit("hugepages-x")),
            Lines{"1 is not positive integer multiple of hugepages-x"});
  EXPECT_EQ(causes(containers(R"(,"resources":{"limits":{"hugepages-2Mi":"2Mi"}})")),
            Lines{"spec.containers[0].resources: Forbidden: HugePages require cpu or memory"});
}

TEST_F(PodResources, of_init_containers_are_validated) {
  EXPECT_EQ(causes_with_init(R"(,"resources":{"requests":{"cpu":"-1"}})"),
            Lines{"spec.initContainers[0].resources.requests[cpu]: Invalid value: \"-1\": must be "
                  "greater than or equal to 0"});
  EXPECT_EQ(causes_with_init(R"(,"resources":{"claims":[{"name":"q"}]})"),
            Lines{"spec.initContainers[0].resources.claims[0]: Not found: \"q\": must be one of "
                  "the names in pod.spec.resourceClaims which is empty"});
  EXPECT_EQ(causes(containers(R"(,"resources":{"claims":[{"name":"q"}]})") +
                   R"(,"resourceClaims":[{"name":"a","resourceClaimName":"a"}])"),
            Lines{"spec.containers[0].resources.claims[0]: Not found: \"q\": must be one of the "
                  "names in pod.spec.resourceClaims: a"});
}

TEST_F(PodResources, of_pod_are_cpu_memory_and_huge_pages) {
  EXPECT_EQ(causes(containers("") + R"(,"resources":{"requests":{"ephemeral-storage":"1"}})"),
            Lines{"spec.resources.requests[ephemeral-storage]: Unsupported value: "
                  "\"ephemeral-storage\": supported values: \"cpu\", \"hugepages-\", \"memory\""});
  EXPECT_EQ(causes(containers("") + R"(,"resources":{"requests":{"cpu":"1",)"
                                    R"("hugepages-2Mi":"2Mi"}})"),
            Lines{"spec.resources.limits: Required value: Limit must be set for non "
                  "overcommitable resources"});
  EXPECT_EQ(causes(containers("") + R"(,"os":{"name":"windows"},"resources":{"limits":{}})"),
            Lines{"spec.resources: Forbidden: may not be set for a windows pod"});
  EXPECT_EQ(causes(containers("") + R"(,"resources":{"claims":[{"name":"q"}]})").front(),
            "spec.resources.claims: Forbidden: claims may not be set for Resources at pod-level");
}

TEST_F(PodResources, of_pod_cover_its_containers) {
  const std::string two =
      R"("containers":[{"name":"a","image":"i","resources":{"requests":{"cpu":"1"}}},)"
      R"({"name":"b","image":"i","resources":{"requests":{"cpu":"1500m"}}}])";
  EXPECT_EQ(causes(two + R"(,"resources":{"requests":{"cpu":"2"}})"),
            Lines{"spec.resources.requests[cpu]: Invalid value: \"2\": must be greater than or "
                  "equal to aggregate container requests of 2500m"});
  EXPECT_EQ(causes(containers(R"(,"resources":{"limits":{"cpu":"2"},"requests":{"cpu":"1"}})") +
                   R"(,"resources":{"limits":{"cpu":"1"}})"),
            Lines{"spec.resources.containers[0][cpu].limits: Invalid value: \"2\": must be less "
                  "than or equal to pod limits of 1"});
  const Lines pages =
      causes(containers(R"(,"resources":{"limits":{"cpu":"1","hugepages-2Mi":"2Mi"}})") +
             R"(,"initContainers":[{"name":"z","image":"i","resources":{"limits":{"cpu":"1",)"
             R"("hugepages-2Mi":"6Mi"}}}],"resources":{"limits":{"cpu":"1",)"
             R"("hugepages-2Mi":"4Mi"}})");
  EXPECT_EQ(pages, (Lines{"spec.resources.requests[hugepages-2Mi]: Invalid value: \"4Mi\": must be "
                          "greater than or equal to aggregate container requests of 6Mi",
                          "spec.resources.limits[hugepages-2Mi]: Invalid value: \"4Mi\": must be "
                          "greater than or equal to aggregate container limits of 6Mi"}));
}

TEST_F(PodResources, of_pod_are_completed_from_containers) {
  const Answer made = api.post(
      kPods, R"({"metadata":{"name":"trainer-0"},"spec":{"resources":{"requests":{"cpu":"3"}},)"
             R"("containers":[{"name":"a","image":"i","resources":{"limits":{"cpu":"1",)"
             R"("memory":"2Gi","hugepages-2Mi":"2Mi"}}},)"
             R"({"name":"b","image":"i","resources":{"limits":{"cpu":"1"}}}]}})");
  const JsonObject& resources = object_at(made.body, {"spec", "resources"});
  EXPECT_EQ(object_at(resources, {"requests"}),
            object_of(R"({"cpu":"3","memory":"2Gi","hugepages-2Mi":"2Mi"})"));
  EXPECT_EQ(object_at(resources, {"limits"}), object_of(R"({"cpu":"3","hugepages-2Mi":"2Mi"})"))
      << "not all containers limit memory";

  const Answer changed =
      api.patch(kPod, kMerge, R"({"metadata":{"labels":{"a":"b"}},"spec":{"resources":null}})");
  EXPECT_EQ(changed.status, 200) << "kept for writers that do not know them";
  EXPECT_EQ(object_at(changed.body, {"spec", "resources"}), resources);
}

TEST_F(PodResources, of_overhead_are_checked_as_limits) {
  EXPECT_EQ(causes(containers("") + R"(,"overhead":{"cpu":"-1"})"),
            Lines{"spec.overhead.limits[cpu]: Invalid value: \"-1\": must be greater than or equal "
                  "to 0"});
}

class InitContainers : public PodResources {};

TEST_F(InitContainers, have_names_of_their_own) {
  EXPECT_EQ(causes(containers("") + R"(,"initContainers":[{"name":"c","image":"i"},)"
                                    R"({"name":"","image":""}])"),
            (Lines{"spec.initContainers[0].name: Duplicate value: \"c\"",
                   "spec.initContainers[1].name: Required value",
                   "spec.initContainers[1].image: Required value"}));
}

TEST_F(InitContainers, have_handlers_only_if_restarted) {
  const std::string probe = R"(,"livenessProbe":{"exec":{"command":[]}})";
  EXPECT_EQ(causes_with_init(probe + R"(,"lifecycle":{})"),
            (Lines{"spec.initContainers[0].lifecycle: Forbidden: may not be set for init "
                   "containers without restartPolicy=Always",
                   "spec.initContainers[0].livenessProbe: Forbidden: may not be set for init "
                   "containers without restartPolicy=Always"}));
  EXPECT_EQ(causes_with_init(probe + R"(,"restartPolicy":"Always")"),
            Lines{"spec.initContainers[0].livenessProbe.exec.command: Required value"});
  EXPECT_EQ(causes_with_init(R"(,"restartPolicy":"x")"),
            Lines{"spec.initContainers[0].restartPolicy: Unsupported value: \"x\": supported "
                  "values: \"Always\", \"Never\", \"OnFailure\""});
  EXPECT_EQ(causes(containers(R"(,"ports":[{"name":"A","containerPort":1},)"
                              R"({"name":"a","containerPort":2},{"name":"a","containerPort":3}])")),
            (Lines{"spec.containers[0].ports[0].name: Invalid value: \"A\": must contain only "
                   "alpha-numeric characters (a-z, 0-9), and hyphens (-)",
                   "spec.containers[0].ports[0].name: Invalid value: \"A\": must contain at least "
                   "one letter (a-z)",
                   "spec.containers[0].ports[2].name: Duplicate value: \"a\""}));
}

TEST_F(InitContainers, are_neither_added_nor_removed) {
  make_pod();
  const Answer added =
      api.patch(kPod, kMerge, R"({"spec":{"initContainers":[{"name":"z","image":"i"}]}})");
  EXPECT_TRUE(
      added.text({"message"})
          .contains(
              "spec.initContainers: Forbidden: pod updates may not add or remove containers"));
}

}  // namespace
}  // namespace dcm::apiserver
