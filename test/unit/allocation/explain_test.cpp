#include "allocation/explain.hpp"

#include <gtest/gtest.h>

#include "runtime/overloaded.hpp"
#include "test/unit/allocation/world.hpp"

namespace dcm::allocation {
namespace {

// The first obstacle of each device of the first request: "a: held; b: taint k of rule".
std::string obstacles(World& world) {
  const NodeExplanation explanation = world.explain();
  std::string text;
  for (const DeviceExplanation& each : explanation.requests.at(0).devices) {
    if (!text.empty()) text += "; ";
    text += each.id.device.str() + ": ";
    text += std::visit(
        runtime::Overloaded{
            [](const std::monostate&) { return std::string("free"); },
            [](const PoolObstacle& pool) {
              return pool.state == Pool::State::incomplete
                         ? fmt::format("{} of {} slices", pool.slices_found, pool.slices_expected)
                         : pool.why;
            },
            [](const OtherNodeObstacle&) { return std::string("other node"); },
            [](const SelectorObstacle& selector) {
              return fmt::format("selector {}#{} {}: {} is {}", selector.class_name, selector.index,
                                 selector.part, selector.met.at(0).first,
                                 selector.met.at(0).second);
            },
            [](const HeldObstacle&) { return std::string("held"); },
            [](const UnsupportedObstacle& what) { return "needs " + what.feature; },
            [](const CapacityObstacle& capacity) {
              return fmt::format("{}: has {}, consumed {}, wanted {}", capacity.name,
                                 capacity.has.text(), capacity.consumed.text(),
                                 capacity.wanted.text());
            },
            [](const CapacityError& error) { return error.text; },
            [](const CounterShortage& counter) {
              return fmt::format("{}/{}: available {}, wanted {}", counter.set.str(),
                                 counter.counter.str(), counter.available.text(),
                                 counter.wanted.text());
            },
            [](const GroupObstacle&) { return std::string("groups"); },
            [](const TaintObstacle& taint) {
              return fmt::format("taint {} of {}", taint.taint.key.str(),
                                 taint.rule.empty() ? "the driver" : taint.rule);
            },
            [](const ConstraintObstacle& constraint) { return "lacks " + constraint.attribute; }},
        each.obstacle);
  }
  return text;
}

struct Row {
  const char* sentence;
  std::function<void(World&)> make;
  const char* obstacles;
};

TEST(ExplainNodeTest, names_the_first_obstacle_of_each_device) {
  const std::vector<Row> rows = {
      {"in use",
       [](World& w) { w.devices({device("a"), device("b")}).use("a").claim({exactly("r")}); },
       "a: held; b: free"},
      {"not what a selector of the class, or of the request, is after",
       [](World& w) {
         w.device_class("gpu", R"('selectors': [{'cel': {'expression': 'true'}}, {'cel':
             {'expression': 'device.driver == \"d\" && device.attributes[\"d\"].index > 1'}}])");
         w.devices({device("a", "'attributes': {'index': {'int': 1}}"),
                    device("b", "'attributes': {'index': {'int': 2}}")})
             .claim({exactly("r", R"('count': 1, 'deviceClassName': 'gpu', 'selectors': [{'cel':
                 {'expression': 'device.attributes[\"d\"].?model == optional.of(1)'}}])")});
       },
       R"(a: selector gpu#1 device.attributes["d"].index > 1: device.attributes["d"].index is 1; )"
       R"(b: selector #0 device.attributes["d"].?model == optional.of(1): )"
       R"(device.attributes["d"].?model is not set)"},
      {"tainted by the driver, and by a rule",
       [](World& w) {
         w.rules.push_back({.name = "rule", .device = InternedString("b"), .taint = {"k"}});
         w.devices({device("a", "'taints': [{'key': 'hot', 'effect': 'NoExecute'}]"), device("b")})
             .claim({exactly("r")});
       },
       "a: taint hot of the driver; b: taint k of rule"},
      {"in an incomplete pool",
       [](World& w) {
         w.slice("s",
                 "'nodeName': 'n', 'pool': {'name': 'q', 'generation': 1, 'resourceSliceCount': "
                 "3}, 'devices': [{'name': 'a'}]")
             .claim({exactly("r")});
       },
       "a: 1 of 3 slices"},
      {"of an incomplete pool, and not what the request is after",
       [](World& w) {
         w.slice("s",
                 "'nodeName': 'n', 'pool': {'name': 'q', 'generation': 1, 'resourceSliceCount': "
                 "3}, 'devices': [{'name': 'a'}, {'name': 'b', 'attributes': {'index': {'int': "
                 "1}}}]")
             .claim({exactly("r", R"('count': 1, 'selectors': [{'cel': {'expression':
                 'device.attributes[\"d\"].index > 1'}}])")});
       },
       R"(a: 1 of 3 slices; b: selector #0 device.attributes["d"].index > 1: )"
       R"(device.attributes["d"].index is 1)"},
      {"held, and too small or without the attribute of a constraint in any case",
       [](World& w) {
         w.devices({device("a", "'capacity': {'memory': {'value': '4Gi'}}"),
                    device("b", "'capacity': {'memory': {'value': '8Gi'}}")})
             .use("a")
             .use("b")
             .claim({exactly("r", "'count': 1, 'capacity': {'requests': {'memory': '5Gi'}}")},
                    "'constraints': [{'matchAttribute': 'd/model'}]");
       },
       "a: memory: has 4Gi, consumed 0, wanted 5Gi; b: lacks d/model"},
      {"in an invalid pool",
       [](World& w) { w.devices({device("a"), device("a")}).claim({exactly("r")}); },
       "a: duplicate device name a; a: duplicate device name a"},
      {"of another node",
       [](World& w) {
         w.slice("s",
                 "'perDeviceNodeSelection': true, 'devices': [{'name': 'a', 'nodeName': 'm'}, "
                 "{'name': 'b', 'allNodes': true}]")
             .claim({exactly("r")});
       },
       "a: other node; b: free"},
      {"too small",
       [](World& w) {
         w.devices({device("a", "'capacity': {'memory': {'value': '4Gi'}}"), device("b")})
             .claim({exactly("r", "'count': 1, 'capacity': {'requests': {'memory': '5Gi'}}")});
       },
       "a: memory: has 4Gi, consumed 0, wanted 5Gi; b: memory: has 0, consumed 0, wanted 5Gi"},
      {"without the attribute of a constraint",
       [](World& w) {
         w.devices({device("a")})
             .claim({exactly("r")}, "'constraints': [{'matchAttribute': 'd/model'}]");
       },
       "a: lacks d/model"},
      {"counters that are used up",
       [](World& w) {
         const std::string pool =
             "'pool': {'name': 'p', 'generation': 1, 'resourceSliceCount': 2}, 'nodeName': 'n', ";
         const std::string uses =
             "'consumesCounters': [{'counterSet': 'set', 'counters': {'memory': {'value': '3'}}}]";
         w.slice("s",
                 pool + "'devices': [{'name': 'a', " + uses + "}, {'name': 'b', " + uses + "}]")
             .slice(
                 "t",
                 pool +
                     "'sharedCounters': [{'name': 'set', 'counters': {'memory': {'value': '4'}}}]")
             .use("a")
             .claim({exactly("r")});
       },
       "a: held; b: set/memory: available 1, wanted 3"},
  };
  for (const Row& row : rows) {
    World world;
    row.make(world);
    EXPECT_EQ(obstacles(world), row.obstacles) << row.sentence;
  }
}

TEST(ExplainNodeTest, shows_values_compared_by_constraints) {
  World world;
  world
      .devices({device("a", "'attributes': {'model': {'string': 'x'}}"),
                device("b", "'attributes': {'model': {'string': 'y'}}")})
      .claim({exactly("r", "'count': 2")}, "'constraints': [{'matchAttribute': 'd/model'}]");
  const NodeExplanation explanation = world.explain();
  EXPECT_FALSE(explanation.fits);
  EXPECT_EQ(explanation.requests.at(0).usable(), 2U) << "each by itself";
  ASSERT_EQ(explanation.constraints.size(), 1U);
  ASSERT_EQ(explanation.constraints[0].values.size(), 2U);
  EXPECT_EQ(explanation.constraints[0].values[1].second, "\"y\"");
}

// A request for all devices does not want those that are too small for it.
TEST(ExplainNodeTest, counts_devices_meant_by_all) {
  World world;
  const auto of_size = [](std::string_view name, int size) {
    return device(name, fmt::format("'capacity': {{'memory': {{'value': '{}Gi'}}}}", size));
  };
  world.devices({of_size("a", 80), of_size("b", 80), of_size("c", 20)})
      .use("b")
      .claim(
          {exactly("r", "'allocationMode': 'All', 'capacity': {'requests': {'memory': '40Gi'}}")});
  const RequestExplanation request = world.explain().requests.at(0);
  EXPECT_EQ(request.wanted, 2);
  EXPECT_EQ(request.usable(), 1U);
}

TEST(ExplainNodeTest, names_counter_that_devices_overdraw_together) {
  World world;
  const std::string pool =
      "'pool': {'name': 'p', 'generation': 1, 'resourceSliceCount': 2}, 'nodeName': 'n', ";
  const auto part = [](std::string_view name, int memory) {
    return fmt::format(
        "{{'name': '{}', 'consumesCounters': [{{'counterSet': 'set', 'counters': "
        "{{'memory': {{'value': '{}'}}}}}}]}}",
        name, memory);
  };
  world
      .slice("s", pool + "'devices': [" + part("full", 8) + ", " + part("half-0", 4) + ", " +
                      part("half-1", 4) + "]")
      .slice("t",
             pool + "'sharedCounters': [{'name': 'set', 'counters': {'memory': {'value': '8'}}}]")
      .claim({exactly("r", "'count': 3")});
  const RequestExplanation request = world.explain().requests.at(0);
  EXPECT_EQ(request.usable(), 3U);
  ASSERT_TRUE(request.shortage);
  EXPECT_EQ(request.shortage->set.str(), "set");
  EXPECT_EQ(request.shortage->counter.str(), "memory");
  EXPECT_EQ(world.explain().requests.at(0).usable(), 3U) << "all counters were given back";
}

TEST(ExplainNodeTest, survives_a_class_with_a_selector_of_an_unknown_kind) {
  World world;
  world.device_class("new", "'selectors': [{'rego': 'allow'}]")
      .devices({device("a")})
      .claim({exactly("r", "'deviceClassName': 'new', 'count': 1")});
  const NodeExplanation explanation = world.explain();
  EXPECT_FALSE(explanation.fits);
  EXPECT_TRUE(
      std::holds_alternative<SelectorObstacle>(explanation.requests.at(0).devices.at(0).obstacle));
}

TEST(ExplainNodeTest, names_the_fault_of_a_request) {
  World world;
  world.claim({exactly("r", "'deviceClassName': 'none', 'count': 1")});
  EXPECT_TRUE(
      world.explain().requests.at(0).fault->text.contains("could not retrieve device class none"));
}

}  // namespace
}  // namespace dcm::allocation
