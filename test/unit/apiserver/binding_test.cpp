// POST to a pod's /binding.
#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

class Binding : public Api {
 protected:
  Answer bind(std::string_view metadata = "", std::string_view target = R"("name":"node-1")") {
    return api.post(std::string(kPod) + "/binding",
                    R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"trainer-0")" +
                        std::string(metadata) + R"(},"target":{"kind":"Node",)" +
                        std::string(target) + "}}");
  }
  std::string node() { return std::string(api.get(kPod).text({"spec", "nodeName"})); }
};

TEST_F(Binding, gives_the_pod_its_node_and_says_that_it_is_scheduled) {
  make_pod();
  const Answer bound = bind();
  EXPECT_EQ(bound.status, 201);
  EXPECT_EQ(bound.text({"status"}), "Success");
  EXPECT_EQ(node(), "node-1");
  const Answer pod = api.get(kPod);
  const JsonArray& conditions = array_at(pod.body, {"status", "conditions"});
  ASSERT_EQ(conditions.size(), 1U);
  EXPECT_EQ(text_at(conditions[0].get_object(), {"type"}), "PodScheduled");
  EXPECT_EQ(text_at(conditions[0].get_object(), {"status"}), "True");
}

TEST_F(Binding, replaces_the_condition_that_it_was_unschedulable) {
  make_pod();
  api.patch(kPodStatus, kStrategic,
            R"({"status":{"conditions":[{"type":"PodScheduled","status":"False"}]}})");
  bind();
  const Answer pod = api.get(kPod);
  const JsonArray& conditions = array_at(pod.body, {"status", "conditions"});
  ASSERT_EQ(conditions.size(), 1U);
  EXPECT_EQ(text_at(conditions[0].get_object(), {"status"}), "True");
}

TEST_F(Binding, takes_annotations_along) {
  make_pod();
  bind(R"(,"annotations":{"why":"first fit"})");
  EXPECT_EQ(api.get(kPod).text({"metadata", "annotations", "why"}), "first fit");
}

TEST_F(Binding, a_pod_is_bound_once) {
  make_pod("node-0");
  const Answer refused = bind();
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refused.reason(), "Conflict");
  EXPECT_EQ(refused.text({"message"}),
            "Operation cannot be fulfilled on pods/binding \"trainer-0\": pod trainer-0 is already "
            "assigned to node \"node-0\"");
  EXPECT_EQ(node(), "node-0");
}

TEST_F(Binding, a_uid_is_a_precondition) {
  const Answer pod = make_pod();
  EXPECT_EQ(bind(R"(,"uid":"another")").status, 409);
  EXPECT_EQ(node(), "");
  EXPECT_EQ(bind(R"(,"uid":")" + std::string(pod.uid()) + "\"").status, 201);
}

TEST_F(Binding, needs_a_pod_and_the_name_of_a_node) {
  EXPECT_EQ(bind().status, 404);
  make_pod();
  const Answer refused = bind("", R"("name":"")");
  EXPECT_EQ(refused.status, 500);
  EXPECT_EQ(refused.text({"message"}), "target.name: Required value");
  EXPECT_EQ(api.post(std::string(kPod) + "/binding", "no JSON").status, 400);
}

TEST_F(Binding, is_written_only) {
  make_pod();
  EXPECT_EQ(api.get(std::string(kPod) + "/binding").status, 405);
  EXPECT_EQ(api.remove(std::string(kPod) + "/binding").status, 405);
}

}  // namespace
}  // namespace dcm::apiserver
