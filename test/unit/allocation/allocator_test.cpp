#include "allocation/allocator.hpp"

#include <functional>

#include <gtest/gtest.h>

#include "test/unit/allocation/world.hpp"

namespace dcm::allocation {
namespace {

struct Row {
  const char* sentence;
  std::function<void(World&)> make;
  const char* answer;
};

void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    World world;
    row.make(world);
    EXPECT_EQ(world.answer(), row.answer) << row.sentence;
  }
}

const char* const kTwoOfB =
    "'firstAvailable': [{'name': 'two', 'deviceClassName': 'any', 'allocationMode': 'ExactCount', "
    "'count': 2}, {'name': 'one', 'deviceClassName': 'any', 'allocationMode': 'ExactCount', "
    "'count': 1}]";

TEST(AllocatorTest, takes_free_devices_in_order) {
  check({
      {"the first device",
       [](World& w) { w.devices({device("b"), device("a")}).claim({exactly("r")}); }, "r=b"},
      {"not one in use",
       [](World& w) { w.devices({device("a"), device("b")}).use("a").claim({exactly("r")}); },
       "r=b"},
      {"as many as are asked for",
       [](World& w) { w.devices({device("a"), device("b")}).claim({exactly("r", "'count': 2")}); },
       "r=a r=b"},
      {"never a device twice",
       [](World& w) {
         w.devices({device("a"), device("b")})
             .claim({exactly("r"), exactly("q")})
             .claim({exactly("r")});
       },
       "no fit"},
      {"claims one after the other",
       [](World& w) {
         w.devices({device("a"), device("b")}).claim({exactly("r")}).claim({exactly("r")});
       },
       "r=a | r=b"},
      {"slices by name",
       [](World& w) {
         const char* const kPool =
             "'pool': {'name': 'p', 'generation': 1, 'resourceSliceCount': 2}, 'nodeName': 'n', ";
         w.slice("y", kPool + std::string("'devices': [{'name': 'a'}]"))
             .slice("x", kPool + std::string("'devices': [{'name': 'b'}]"))
             .claim({exactly("r")});
       },
       "r=b"},
      {"a subrequest that fits, not the best sum",
       [](World& w) {
         w.devices({device("a"), device("b")}).claim({"'name': 'r', " + std::string(kTwoOfB)});
       },
       "r/two=a r/two=b"},
      {"another subrequest if the next claim needs a device",
       [](World& w) {
         w.devices({device("a"), device("b")})
             .claim({"'name': 'r', " + std::string(kTwoOfB)})
             .claim({exactly("q")});
       },
       "r/one=a | q=b"},
  });
}

TEST(AllocatorTest, takes_all_devices_or_none) {
  const std::string all = "'allocationMode': 'All'";
  check({
      {"all of them",
       [&](World& w) { w.devices({device("a"), device("b")}).claim({exactly("r", all)}); },
       "r=a r=b"},
      {"none if one is in use",
       [&](World& w) { w.devices({device("a"), device("b")}).use("b").claim({exactly("r", all)}); },
       "no fit"},
      {"not none at all", [&](World& w) { w.claim({exactly("r", all)}); }, "no fit"},
      {"an incomplete pool is an error",
       [&](World& w) {
         w.slice("s",
                 "'nodeName': 'n', 'pool': {'name': 'q', 'generation': 1, 'resourceSliceCount': "
                 "2}, 'devices': [{'name': 'a'}]")
             .claim({exactly("r", all)});
       },
       "error: claim ns/c0, request r: asks for all devices, but resource pool d/q is currently "
       "being updated"},
      {"admin access takes what is in use",
       [&](World& w) {
         w.devices({device("a"), device("b")})
             .use("b")
             .claim({exactly("r", all + ", 'adminAccess': true")});
       },
       "r=a r=b"},
  });
}

TEST(AllocatorTest, leaves_out_pools_that_cannot_be_trusted) {
  check({
      {"incomplete",
       [](World& w) {
         w.slice("s",
                 "'nodeName': 'n', 'pool': {'name': 'q', 'generation': 1, 'resourceSliceCount': "
                 "2}, 'devices': [{'name': 'a'}]")
             .claim({exactly("r")});
       },
       "no fit"},
      {"complete with a slice of another node",
       [](World& w) {
         const std::string pool =
             "'pool': {'name': 'q', 'generation': 1, 'resourceSliceCount': 2}, ";
         w.slice("s", pool + "'nodeName': 'n', 'devices': [{'name': 'a'}]")
             .slice("t", pool + "'nodeName': 'other', 'devices': [{'name': 'b'}]")
             .claim({exactly("r")});
       },
       "r=a"},
      {"an old generation",
       [](World& w) {
         w.slice("s",
                 "'nodeName': 'n', 'pool': {'name': 'q', 'generation': 1, 'resourceSliceCount': "
                 "1}, 'devices': [{'name': 'old'}]")
             .slice("t",
                    "'nodeName': 'n', 'pool': {'name': 'q', 'generation': 2, 'resourceSliceCount': "
                    "1}, 'devices': [{'name': 'new'}]")
             .claim({exactly("r")});
       },
       "r=new"},
      {"two devices of one name",
       [](World& w) { w.devices({device("a"), device("a")}).claim({exactly("r")}); },
       "this node: invalid resource pools were encountered"},
      {"those with binding conditions last",
       [](World& w) {
         w.slice("s",
                 "'driver': 'a', 'nodeName': 'n', 'devices': [{'name': 'bound', "
                 "'bindingConditions': ['x']}]")
             .slice("t", "'driver': 'b', 'nodeName': 'n', 'devices': [{'name': 'plain'}]")
             .claim({exactly("r")});
       },
       "r=plain"},
      {"of other zones",
       [](World& w) {
         w.slice("s",
                 "'nodeSelector': {'nodeSelectorTerms': [{'matchExpressions': [{'key': 'zone', "
                 "'operator': 'In', 'values': ['y']}]}]}, 'devices': [{'name': 'a'}]")
             .claim({exactly("r")});
       },
       "no fit"},
      {"devices of other nodes in a slice of many",
       [](World& w) {
         w.slice("s",
                 "'perDeviceNodeSelection': true, 'devices': [{'name': 'a', 'nodeName': 'm'}, "
                 "{'name': 'b', 'nodeName': 'n'}]")
             .claim({exactly("r")});
       },
       "r=b"},
  });
}

TEST(AllocatorTest, keeps_to_taints_and_tolerations) {
  const std::string tainted = "'taints': [{'key': 'k', 'value': 'v', 'effect': 'NoSchedule'}]";
  const auto tolerating = [](std::string_view toleration) {
    return exactly("r", fmt::format("'count': 1, 'tolerations': [{{{}}}]", toleration));
  };
  check({
      {"none",
       [&](World& w) { w.devices({device("a", tainted), device("b")}).claim({exactly("r")}); },
       "r=b"},
      {"the same value",
       [&](World& w) {
         w.devices({device("a", tainted), device("b")})
             .claim({tolerating("'key': 'k', 'operator': 'Equal', 'value': 'v'")});
       },
       "r=a"},
      {"another value",
       [&](World& w) {
         w.devices({device("a", tainted), device("b")})
             .claim({tolerating("'key': 'k', 'operator': 'Equal', 'value': 'w'")});
       },
       "r=b"},
      {"any taint",
       [&](World& w) {
         w.devices({device("a", tainted)}).claim({tolerating("'operator': 'Exists'")});
       },
       "r=a"},
      {"another effect",
       [&](World& w) {
         w.devices({device("a", tainted)})
             .claim({tolerating("'operator': 'Exists', 'effect': 'NoExecute'")});
       },
       "no fit"},
      {"a preview keeps nothing off",
       [](World& w) {
         w.devices({device("a", "'taints': [{'key': 'k', 'effect': 'None'}]")})
             .claim({exactly("r")});
       },
       "r=a"},
      {"a rule taints as well",
       [](World& w) {
         w.rules.push_back({.name = "rule", .device = InternedString("a"), .taint = {"k"}});
         w.devices({device("a"), device("b")}).claim({exactly("r")});
       },
       "r=b"},
  });
}

TEST(AllocatorTest, keeps_to_constraints) {
  const auto model = [](std::string_view name, std::string_view value) {
    return device(name, fmt::format("'attributes': {{'model': {{'string': '{}'}}}}", value));
  };
  const char* const kMatch = "'constraints': [{'matchAttribute': 'd/model'}]";
  const char* const kDistinct = "'constraints': [{'distinctAttribute': 'd/model'}]";
  check({
      {"equal values",
       [&](World& w) {
         w.devices({model("a", "x"), model("b", "y"), model("c", "x")})
             .claim({exactly("r", "'count': 2")}, kMatch);
       },
       "r=a r=c"},
      {"different values",
       [&](World& w) {
         w.devices({model("a", "x"), model("b", "x"), model("c", "y")})
             .claim({exactly("r", "'count': 2")}, kDistinct);
       },
       "r=a r=c"},
      {"a device without the attribute is none",
       [&](World& w) { w.devices({device("a"), model("b", "x")}).claim({exactly("r")}, kMatch); },
       "r=b"},
      {"only of the named requests",
       [&](World& w) {
         w.devices({model("a", "x"), model("b", "y")})
             .claim({exactly("r"), exactly("q")},
                    "'constraints': [{'matchAttribute': 'd/model', 'requests': ['r']}]");
       },
       "r=a q=b"},
      {"all devices that do not match are an error",
       [&](World& w) {
         w.devices({model("a", "x"), model("b", "y")})
             .claim({exactly("r", "'allocationMode': 'All'")}, kMatch);
       },
       "error: claim ns/c0, request r: cannot add device d/p/b because a claim constraint would "
       "not be satisfied"},
  });
}

// A counter that is overdrawn already blocks every device with counters, also those of others,
// until the device that overdraws it is released.
TEST(AllocatorTest, blocks_devices_with_counters_while_one_is_overdrawn) {
  const auto partition = [](const char* name, const char* set, const char* counter,
                            const char* amount) {
    return device(name,
                  fmt::format("'consumesCounters': [{{'counterSet': '{}', 'counters': {{'{}': "
                              "{{'value': '{}'}}}}}}]",
                              set, counter, amount));
  };
  const auto answer_with = [&](const char* amount_in_use) {
    World world;
    const std::string pool =
        "'nodeName': 'n', 'pool': {'name': 'p', 'generation': 1, "
        "'resourceSliceCount': 3}, ";
    world.slice("counters-0", pool +
                                  "'sharedCounters': [{'name': 'x', 'counters': {'a': {'value': "
                                  "'1'}, 'b': {'value': '2'}}}]");
    world.slice("counters-1", pool +
                                  "'sharedCounters': [{'name': 'y', 'counters': {'a': {'value': "
                                  "'2'}}}]");
    world.slice("devices", pool + fmt::format("'devices': [{{{}}}, {{{}}}, {{{}}}]",
                                              partition("used", "x", "b", amount_in_use),
                                              partition("large", "y", "a", "2"),
                                              partition("small", "y", "a", "1")));
    world.use("used").claim({exactly("r")});
    return world.answer();
  };
  EXPECT_EQ(answer_with("2"), "r=large");
  EXPECT_EQ(answer_with("3"), "no fit");
}

TEST(AllocatorTest, counts_counters_and_capacity) {
  const auto partition = [](std::string_view name, int memory) {
    return device(name, fmt::format("'consumesCounters': [{{'counterSet': 'set', 'counters': "
                                    "{{'memory': {{'value': '{}Gi'}}}}}}]",
                                    memory));
  };
  const auto counted = [](World& w, const std::string& devices) {
    const std::string pool =
        "'pool': {'name': 'p', 'generation': 1, 'resourceSliceCount': 2}, 'nodeName': 'n', ";
    w.slice("s", pool + "'devices': [" + devices + "]")
        .slice(
            "t",
            pool + "'sharedCounters': [{'name': 'set', 'counters': {'memory': {'value': '4Gi'}}}]");
  };
  const auto shared = [](std::string_view name) {
    return device(name,
                  "'allowMultipleAllocations': true, 'capacity': {'memory': {'value': '10', "
                  "'requestPolicy': {'default': '1', 'validRange': {'min': '2', 'step': '2'}}}}");
  };
  const std::string fractional = device(
      "a",
      "'allowMultipleAllocations': true, 'capacity': {'memory': {'value': '1', "
      "'requestPolicy': {'default': '250m', 'validRange': {'min': '250m', 'step': '250m'}}}}");
  const auto memory = [](std::string_view name, std::string_view amount) {
    return exactly(
        name, fmt::format("'count': 1, 'capacity': {{'requests': {{'memory': '{}'}}}}", amount));
  };
  check({
      {"partitions within the counters",
       [&](World& w) {
         counted(w, "{" + partition("a", 3) + "}, {" + partition("b", 2) + "}, {" +
                        partition("c", 1) + "}");
         w.claim({exactly("r", "'count': 2")});
       },
       "r=a r=c"},
      {"what is in use consumes",
       [&](World& w) {
         counted(w, "{" + partition("a", 3) + "}, {" + partition("b", 2) + "}");
         w.use("a").claim({exactly("r")});
       },
       "no fit"},
      {"a device is shared",
       [&](World& w) { w.devices({shared("a")}).claim({memory("r", "4"), memory("q", "6")}); },
       "r=a q=a"},
      {"rounded up to the next step",
       [&](World& w) { w.devices({shared("a")}).claim({memory("r", "5"), memory("q", "5")}); },
       "no fit"},
      {"fractions of a range count as whole numbers",
       [&](World& w) { w.devices({fractional}).claim({memory("r", "300m"), memory("q", "300m")}); },
       "no fit"},
      {"fractions of a range with the gate that is off by default",
       [&](World& w) {
         w.features.fractional_capacity_range = true;
         w.devices({fractional}).claim({memory("r", "300m"), memory("q", "300m")});
       },
       "r=a q=a"},
      {"a capacity that the device lacks",
       [&](World& w) { w.devices({device("a"), shared("b")}).claim({memory("r", "1")}); }, "r=b"},
      {"a device that is large enough",
       [&](World& w) {
         w.devices({device("a", "'capacity': {'memory': {'value': '4'}}"),
                    device("b", "'capacity': {'memory': {'value': '8'}}")})
             .claim({memory("r", "6")});
       },
       "r=b"},
  });
}

TEST(AllocatorTest, says_what_is_wrong_with_a_request) {
  check({
      {"no class",
       [](World& w) { w.claim({exactly("r", "'deviceClassName': 'none', 'count': 1")}); },
       "error: claim ns/c0, request r: could not retrieve device class none: "
       "deviceclass.resource.k8s.io \"none\" not found"},
      {"neither exactly nor firstAvailable",
       [](World& w) { w.claim({"'name': 'r', 'magic': {}"}); },
       "error: claim ns/c0, request r: missing device class name (unsupported request type?)"},
      {"a mode of a newer API",
       [](World& w) { w.claim({exactly("r", "'allocationMode': 'Some'")}); },
       "error: claim ns/c0, request r: unsupported count mode Some"},
      {"a selector of a newer API",
       [](World& w) { w.claim({exactly("r", "'count': 1, 'selectors': [{'wasm': {}}]")}); },
       "error: claim ns/c0, request r, selector #0: CEL expression empty (unsupported selector "
       "type?)"},
      {"a constraint of a newer API",
       [](World& w) { w.claim({exactly("r")}, "'constraints': [{'nearby': {}}]"); },
       "error: claim ns/c0, constraint #0: empty constraint (unsupported constraint type?)"},
      {"too many devices", [](World& w) { w.claim({exactly("r", "'count': 33")}); },
       "error: claim ns/c0, request r: adding 33 devices exceeds the claim limit of 32, with 0 "
       "already accounted for"},
      {"admin access that is switched off",
       [](World& w) {
         w.features.admin_access = false;
         w.claim({exactly("r", "'count': 1, 'adminAccess': false")});
       },
       "error: claim ns/c0, request r: admin access is requested, but the feature is disabled"},
  });
}

TEST(AllocatorTest, fails_where_a_selector_fails) {
  const auto selected = [](std::string_view expression) {
    return exactly("r", fmt::format("'count': 1, 'selectors': [{{'cel': {{'expression': '{}'}}}}]",
                                    expression));
  };
  check({
      {"a device that is selected",
       [&](World& w) {
         w.devices({device("a"), device("b", "'attributes': {'fast': {'bool': true}}")})
             .claim({selected("has(device.attributes.d.fast)")});
       },
       "r=b"},
      {"an attribute that a device lacks",
       [&](World& w) { w.devices({device("a")}).claim({selected("device.attributes.d.fast")}); },
       "error: claim ns/c0: selector #0 on device d/p/a: CEL runtime error: no such key: fast. "
       "consider using CEL optional chaining (.? followed by orValue()) or guarding the check with "
       "has() for optional fields"},
      {"not one that the search does not reach",
       [&](World& w) {
         w.devices({device("a", "'attributes': {'fast': {'bool': true}}"), device("b")})
             .claim({selected("device.attributes.d.fast")});
       },
       "r=a"},
  });
}

TEST(AllocatorTest, merges_configuration_and_node_selectors) {
  World world;
  world.device_class("a", "'config': [{'opaque': {'driver': 'd', 'parameters': {'n': 1}}}]")
      .slice("s",
             "'nodeSelector': {'nodeSelectorTerms': [{'matchExpressions': [{'key': 'zone', "
             "'operator': 'In', 'values': ['z']}]}]}, 'devices': [{'name': 'x'}, {'name': 'y'}]")
      .claim({exactly("r", "'deviceClassName': 'a', 'count': 1"), exactly("q")},
             "'config': [{'requests': ['r', 'q'], 'opaque': {'driver': 'd'}}, {'requests': "
             "['gone'], 'opaque': {'driver': 'd'}}]");
  const Allocation allocation = world.allocate();
  ASSERT_TRUE(allocation.fits);
  const AllocationResult& result = allocation.results[0];
  ASSERT_EQ(result.config.size(), 2U);
  EXPECT_EQ(result.config[0].source, ConfigResult::Source::from_class);
  EXPECT_EQ(result.config[0].requests, std::vector<std::string>{"r"});
  EXPECT_EQ(result.config[1].requests, std::vector<std::string>()) << "covers all requests";
  const NodeSelector in_zone{{{.match_expressions = {{"zone", "In", {"z"}}}}}};
  EXPECT_EQ(result.node_selector, in_zone);
}

std::vector<std::string> many(int count) {
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i) all.push_back(device(fmt::format("dev-{}", i)));
  return all;
}

// After many steps, only one of several equal devices is tried. A device that is shared already
// equals no other: small claims that meet on it leave too little for the large ones.
TEST(AllocatorTest, prefers_free_device_to_equal_device_in_use) {
  World world;
  std::vector<std::string> devices = {
      device("s0", "'allowMultipleAllocations': true, 'capacity': {'m': {'value': '4'}}"),
      device("s1", "'allowMultipleAllocations': true, 'capacity': {'m': {'value': '4'}}")};
  for (int i = 0; i < 14; ++i) devices.push_back(device(fmt::format("p{}", i)));
  const auto of_kind = [&](const char* name, const char* expression) {
    world.device_class(name,
                       fmt::format("'selectors': [{{'cel': {{'expression': '{}'}}}}]", expression));
  };
  of_kind("shared", "device.allowMultipleAllocations");
  of_kind("plain", "!device.allowMultipleAllocations");
  const auto share = [](int amount) {
    return exactly("r", fmt::format("'deviceClassName': 'shared', 'count': 1, 'capacity': "
                                    "{{'requests': {{'m': '{}'}}}}",
                                    amount));
  };
  world.devices(devices).claim({share(1)}).claim({share(1)});
  world.claim({exactly("r", "'deviceClassName': 'plain', 'count': 6")});
  world.claim({share(3)}).claim({share(3)});
  EXPECT_EQ(world.answer(), "r=s0 | r=s1 | r=p0 r=p1 r=p2 r=p3 r=p4 r=p5 | r=s0 | r=s1");
}

TEST(AllocatorTest, bounds_searches_that_explode) {
  World too_few;
  too_few.devices(many(30)).claim({exactly("r", "'count': 31")});
  EXPECT_FALSE(too_few.allocate().fits);
  EXPECT_LE(too_few.allocate().steps, 40U);

  World late;  // the last claim cannot be satisfied, whatever the first one gets
  late.devices(many(24))
      .claim({exactly("r", "'count': 12")})
      .claim({exactly("q", "'count': 1, 'capacity': {'requests': {'none': '1'}}")});
  const Allocation no_fit = late.allocate();
  EXPECT_FALSE(no_fit.fits);
  EXPECT_FALSE(no_fit.error);
  EXPECT_LE(no_fit.steps, 20'000U);

  World equal;  // 24 devices of one kind for 12 and 13
  equal.devices(many(24)).claim({exactly("r", "'count': 12")}).claim({exactly("q", "'count': 13")});
  EXPECT_EQ(equal.answer(), "no fit");
}

TEST(AllocatorTest, shares_devices_when_only_asked_for_fit) {
  World world;
  world.devices({device("a", "'allowMultipleAllocations': true")}).claim({exactly("r")});
  world.new_share_id = {};
  EXPECT_EQ(world.answer(), "r=a");
  EXPECT_TRUE(world.explain().fits);
}

TEST(AllocatorTest, reports_undecided_search) {
  World world;
  world.devices(many(24)).claim({exactly("r", "'count': 12")}).claim({exactly("q", "'count': 13")});
  world.steps_max = 100;
  const Allocation allocation = world.allocate();
  ASSERT_TRUE(allocation.error);
  EXPECT_TRUE(allocation.error->is_interrupted);
  EXPECT_EQ(allocation.error->text, "not decided after 100 steps");
}

// The search recurses once or more for each device that it takes.
TEST(AllocatorTest, does_not_decide_about_too_many_devices_at_once) {
  std::vector<std::string> requests;
  for (int i = 0; i < 32; ++i) requests.push_back(exactly(fmt::format("r{}", i)));
  World world;
  world.devices({device("a", "'allowMultipleAllocations': true")});
  for (int i = 0; i < 30; ++i) world.claim(requests);
  EXPECT_TRUE(world.allocate().fits);
  for (int i = 0; i < 170; ++i) world.claim(requests);
  const Allocation allocation = world.allocate();
  ASSERT_TRUE(allocation.error);
  EXPECT_TRUE(allocation.error->is_interrupted);
  EXPECT_EQ(allocation.error->text, "not decided: the claims want too many devices at once");
}

// A selector may take milliseconds for each device.
TEST(AllocatorTest, ends_between_devices_when_time_is_up) {
  for (const char* amount : {"'count': 1", "'allocationMode': 'All'"}) {
    World world;
    const std::string selector =
        R"(, 'selectors': [{'cel': {'expression': 'device.driver == \"none\"'}}])";
    world.devices(many(100)).claim({exactly("r", amount + selector)});
    EXPECT_EQ(world.answer(), "no fit") << amount;
    int looks = 0;
    world.is_time_up = [&looks] { return ++looks > 20; };
    const Allocation allocation = world.allocate();
    ASSERT_TRUE(allocation.error) << amount;
    EXPECT_TRUE(allocation.error->is_interrupted) << amount;
    EXPECT_LT(looks, 25) << amount;
    const NodeExplanation explanation = world.explain();
    EXPECT_TRUE(explanation.is_cut_short) << amount;
    EXPECT_TRUE(explanation.requests.empty()) << amount;
    EXPECT_LT(looks, 30) << amount;
  }
}

}  // namespace
}  // namespace dcm::allocation
