// How nodes are decoded, and which of them accept a pod.
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "allocation/json/encode.hpp"
#include "test/unit/allocation/world.hpp"

namespace dcm::allocation {
namespace {

using Texts = std::vector<std::string>;

Node node(std::string_view fields) {
  return parse<NodeFields, Node>(
      fmt::format("{{'metadata': {{'name': 'n', 'labels': {{'zone': 'z'}}}}, {}}}", fields));
}

TEST(DecodeNode, reads_whether_it_is_cordoned) {
  EXPECT_TRUE(node("'spec': {'unschedulable': true}").is_unschedulable);
  EXPECT_FALSE(node("'spec': {'unschedulable': false}").is_unschedulable);
  EXPECT_FALSE(node("'spec': {'unschedulable': null, 'taints': null}").is_unschedulable);
  EXPECT_FALSE(node("'spec': null").is_unschedulable);
}

TEST(DecodeNode, keeps_taints_that_repel_pods) {
  EXPECT_EQ(node("'spec': {'taints': [{'key': 'a.b/c', 'value': 'v', 'effect': 'NoSchedule'}, "
                 "{'effect': 'NoExecute', 'key': 'gone'}]}")
                .taints,
            (std::vector<Taint>{{.key = "a.b/c", .value = "v"},
                                {.key = "gone", .effect = api::TaintEffect::no_execute}}));
  EXPECT_EQ(node("'spec': {'taints': [{'key': 'a', 'effect': 'PreferNoSchedule'}, "
                 "{'key': 'b', 'effect': 'OfANewerAPI'}, {'key': 'c'}]}")
                .taints,
            std::vector<Taint>());
}

TEST(DecodeNode, reads_resources_of_device_plugins) {
  EXPECT_EQ(node("'status': {'allocatable': {'cpu': '8', 'a.b/c': '2', 'a.b/none': '0'}}")
                .plugin_resources,
            Texts{"a.b/c"});
}

TEST(DecodeNode, reads_its_features_and_labels) {
  const Node read = node("'status': {'declaredFeatures': ['F']}");
  EXPECT_EQ(read.name.str(), "n");
  EXPECT_EQ(read.declared_features, Texts{"F"});
  EXPECT_EQ(read.labels.at("zone"), "z");
}

NodeSelector in_zone(const std::string& zone, const std::string& how = "In") {
  return {{NodeSelectorTerm{.match_expressions = {{"zone", how, {zone}}}}}};
}

NodeSelector either(const std::string& how, const std::string& zone) {
  NodeSelector selector = in_zone("z", how);
  selector.terms.push_back(in_zone(zone).terms[0]);
  return selector;
}

struct AffinityRow {
  std::string_view sentence;
  RequiredNodeAffinity affinity;
  bool matches;
};

TEST(RequiredNodeAffinity, matches_nodes_with_all_that_it_requires) {
  const Node in_z = node("'spec': {}");
  for (const auto& [sentence, affinity, matches] : {
           AffinityRow{"nothing is required", {}, true},
           AffinityRow{"the label has the value", {{{"zone", "z"}}, {}}, true},
           AffinityRow{"the label has another value", {{{"zone", "y"}}, {}}, false},
           AffinityRow{"there is no such label", {{{"disk", ""}}, {}}, false},
           AffinityRow{"one label of two", {{{"zone", "z"}, {"disk", "fast"}}, {}}, false},
           AffinityRow{"the affinity is met", {{}, in_zone("z")}, true},
           AffinityRow{"only the nodeSelector is met", {{{"zone", "z"}}, in_zone("y")}, false},
           AffinityRow{"only the affinity is met", {{{"zone", "y"}}, in_zone("z")}, false},
           AffinityRow{"the affinity is not understood", {{}, in_zone("z", "Near")}, false},
           AffinityRow{
               "only one term is understood, and it is met", {{}, either("Near", "z")}, true},
           AffinityRow{"only one term is understood", {{}, either("Near", "y")}, false},
           AffinityRow{"an affinity without terms", {{}, NodeSelector()}, false},
       }) {
    EXPECT_EQ(affinity.matches(in_z), matches) << sentence;
  }
}

TEST(AllocationResult, is_available_on_the_nodes_that_it_selects) {
  const Node in_z = node("'spec': {}");
  EXPECT_TRUE(AllocationResult().is_available_on(in_z));
  EXPECT_TRUE(AllocationResult{.node_selector = in_zone("z")}.is_available_on(in_z));
  EXPECT_FALSE(AllocationResult{.node_selector = in_zone("y")}.is_available_on(in_z));
  EXPECT_FALSE(AllocationResult{.node_selector = in_zone("z", "Near")}.is_available_on(in_z));
  EXPECT_FALSE(AllocationResult{.node_selector = either("Near", "z")}.is_available_on(in_z));
}

// The API server accepts parameters with many levels.
TEST(AllocationResult, is_encoded_with_deep_parameters) {
  const std::string deep = std::string(100, '[') + std::string(100, ']');
  const AllocationResult result{
      .config = {{.source = ConfigResult::Source::from_claim, .opaque = RawJson{deep}}}};
  EXPECT_EQ(boost::json::serialize(to_json(result).at("devices").at("config").at(0).at("opaque")),
            deep);
}

}  // namespace
}  // namespace dcm::allocation
