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

TEST_F(Binding, assigns_node_and_sets_scheduled_condition) {
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

TEST_F(Binding, replaces_unschedulable_condition) {
  make_pod();
  api.patch(kPodStatus, kStrategic,
            R"({"status":{"conditions":[{"type":"PodScheduled","status":"False"}]}})");
  bind();
  const Answer pod = api.get(kPod);
  const JsonArray& conditions = array_at(pod.body, {"status", "conditions"});
  ASSERT_EQ(conditions.size(), 1U);
  EXPECT_EQ(text_at(conditions[0].get_object(), {"status"}), "True");
}

TEST_F(Binding, copies_annotations) {
  make_pod();
  bind(R"(,"annotations":{"why":"first fit"})");
  EXPECT_EQ(api.get(kPod).text({"metadata", "annotations", "why"}), "first fit");
}

TEST_F(Binding, binds_pod_once) {
  make_pod("node-0");
  const Answer refused = bind();
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refused.reason(), "Conflict");
  EXPECT_EQ(refused.text({"message"}),
            "Operation cannot be fulfilled on pods/binding \"trainer-0\": pod trainer-0 is already "
            "assigned to node \"node-0\"");
  EXPECT_EQ(node(), "node-0");
}

TEST_F(Binding, checks_uid_precondition) {
  const Answer pod = make_pod();
  EXPECT_EQ(bind(R"(,"uid":"another")").status, 409);
  EXPECT_EQ(node(), "");
  EXPECT_EQ(bind(R"(,"uid":")" + std::string(pod.uid()) + "\"").status, 201);
}

TEST_F(Binding, requires_name_of_pod) {
  make_pod();
  for (const auto* metadata : {"{}", R"({"name":"another"})"}) {
    const Answer refused =
        api.post(std::string(kPod) + "/binding",
                 std::string(R"({"metadata":)") + metadata + R"(,"target":{"name":"node-1"}})");
    EXPECT_EQ(refused.status, 400);
    EXPECT_EQ(refused.text({"message"}), "name in URL does not match name in Binding object");
  }
  EXPECT_EQ(node(), "");
}

TEST_F(Binding, requires_pod_and_node_name) {
  EXPECT_EQ(bind().status, 404);
  make_pod();
  const Answer refused = bind("", R"("name":"")");
  EXPECT_EQ(refused.status, 500);
  EXPECT_EQ(refused.text({"message"}), "target.name: Required value");
  EXPECT_EQ(api.post(std::string(kPod) + "/binding", "no JSON").status, 400);
}

TEST_F(Binding, is_write_only) {
  make_pod();
  EXPECT_EQ(api.get(std::string(kPod) + "/binding").status, 405);
  EXPECT_EQ(api.remove(std::string(kPod) + "/binding").status, 405);
}

}  // namespace
}  // namespace dcm::apiserver
