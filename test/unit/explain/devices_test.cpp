// Why claims get no devices: each row is a cluster, and a sentence about it.
#include <functional>

#include <gtest/gtest.h>

#include "test/unit/explain/device_world.hpp"

namespace dcm::explain {
namespace {

using allocation::device;
using allocation::exactly;

struct Row {
  const char* sentence;
  std::function<void(DeviceWorld&)> make;
  std::vector<std::string> said;
};

void expect(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    DeviceWorld world;
    row.make(world);
    const std::string text = world.explain();
    for (const std::string& part : row.said) {
      EXPECT_NE(text.find(part), std::string::npos) << row.sentence << "\n" << part << "\n" << text;
    }
  }
}

TEST(ExplainDevices, names_obstacles) {
  expect({
      {"held and tainted",
       [](DeviceWorld& w) {
         w.node("node-3")
             .devices("node-3", {gpu("gpu-0", "H100"),
                                 gpu("gpu-1", "H100",
                                     "'taints': [{'key': 'unhealthy', 'effect': 'NoSchedule'}]"),
                                 gpu("gpu-2", "A100")})
             .held("lab/x", "node-3", {"gpu-0"}, {"y"})
             .wants({wants_model("gpus", "H100", 2)});
       },
       {"stuck TooFewDevices: No node has 2 free devices for request \"gpus\" of claim \"c0\" "
        "(class "
        "\"gpu\", device.attributes[\"gpu.example.com\"].model == \"H100\"): node-3 has 2 that "
        "match "
        "(and 1 other): gpu-0 is held by claim lab/x of pod lab/y and gpu-1 is tainted "
        "unhealthy:NoSchedule by driver gpu.example.com.",
        "note WouldFit: What would have to change: node-3 has devices for the pod as soon as claim "
        "lab/x is released, when pod lab/y ends, and taint unhealthy:NoSchedule of gpu-1 is "
        "removed, or tolerated by a new claim.",
        "note NodeDevices: node-3: request \"gpus\" wants 2, 0 of 3 devices free; 1 held by "
        "another "
        "claim: claim lab/x of pod lab/y; 1 not matching selector #0 of the request, "
        "device.attributes[\"gpu.example.com\"].model == \"H100\": "
        "device.attributes[\"gpu.example.com\"].model is \"A100\"; 1 tainted"}},
      {"each tainted in its own way",
       [](DeviceWorld& w) {
         std::vector<std::string> all;
         for (int i = 0; i < 20; ++i) {
           all.push_back(
               device(fmt::format("d{}", i),
                      fmt::format("'taints': [{{'key': 't{}', 'effect': 'NoSchedule'}}]", i)));
         }
         w.node("n").devices("n", all).wants({exactly("r")});
       },
       {"0 of 20 devices free; 1 tainted t0:NoSchedule by driver gpu.example.com; 1 tainted t10:",
        "; 8 for other reasons."}},
      {"held only: it goes on by itself",
       [](DeviceWorld& w) {
         w.node("n")
             .devices("n", {device("a"), device("b")})
             .held("lab/x", "n", {"a"}, {"y"})
             .held("lab/z", "n", {"b"}, {})
             .wants({exactly("r")});
       },
       {"waiting TooFewDevices: No node has a free device for request \"r\" of claim \"c0\" (class "
        "\"any\"): n has 2 that match: a is held by claim lab/x of pod lab/y and b is held by "
        "claim "
        "lab/z, which no pod uses.",
        "as soon as one of these happens: claim lab/x is released, when pod lab/y ends; or claim "
        "lab/z is deallocated or deleted."}},
      {"no device has the property",
       [](DeviceWorld& w) {
         w.node("n1").node("n2").node("n3");
         w.devices("n1", {gpu("a", "A100"), gpu("b", "A100")})
             .devices("n2", {gpu("a", "A100"), gpu("b", "V100")})
             .wants({wants_model("r", "H100")});
       },
       {"stuck NoDeviceMatches: None of 4 devices on 3 nodes can be used for request \"r\"",
        "4 not matching selector #0 of the request, "
        "device.attributes[\"gpu.example.com\"].model == \"H100\": "
        "device.attributes[\"gpu.example.com\"].model is \"A100\" (3) and "
        "device.attributes[\"gpu.example.com\"].model is \"V100\" (1)",
        "a claim's spec cannot be changed",
        "note NodeDevices: n1 and n2 (2 nodes, each): request \"r\" wants 1, 0 of 2 devices free",
        "note NodeDevices: n3: request \"r\" wants 1, there is no device."}},
      {"the class selects other devices",
       [](DeviceWorld& w) {
         w.device_class("nic", R"(device.driver == \"nic.example.com\")")
             .node("n")
             .devices("n", {device("a")})
             .wants({exactly("r", "'count': 1, 'deviceClassName': 'nic'")});
       },
       {"1 not matching selector #0 of class \"nic\", device.driver == \"nic.example.com\": "
        "device.driver is \"gpu.example.com\""}},
      {"no slices at all",
       [](DeviceWorld& w) { w.node("n").wants({exactly("r")}); },
       {"stuck NoDevices: No ResourceSlice has devices for the only node, so there are none for "
        "request \"r\" of claim \"c0\" (class \"any\"). Check that the driver runs there."}},
      {"no nodes",
       [](DeviceWorld& w) { w.wants({exactly("r")}); },
       {"stuck NoNode: The cluster has no nodes."}},
      {"a class that is missing",
       [](DeviceWorld& w) {
         w.node("n")
             .devices("n", {device("a")})
             .wants({exactly("r", "'count': 1, 'deviceClassName': 'tpu'")});
       },
       {"stuck ClassMissing: There is no DeviceClass for request \"r\" of claim \"c0\" (class "
        "\"tpu\"). Create it"}},
      {"a feature that is off by default",
       [](DeviceWorld& w) {
         w.node("n")
             .devices("n", {device("a")})
             .wants({exactly("r",
                             "'count': 1, 'derivedAttributes': [{'name': 'e.com/x', "
                             "'expression': '1'}]")});
       },
       {"unknown GateUnknown: With the default feature gates of Kubernetes 1.37, kube-scheduler "
        "refuses request \"r\" of claim \"c0\" (class \"any\"): claim lab/c0, request r: cannot "
        "handle request with derived attributes, the feature is disabled. It is not known which "
        "gates it has."}},
      {"a mode of a newer API, whatever the request is called",
       [](DeviceWorld& w) {
         w.node("n")
             .devices("n", {device("a")})
             .wants({exactly("feature", "'allocationMode': 'Half'")});
       },
       {"stuck RequestRefused: kube-scheduler refuses request \"feature\" of claim \"c0\" (class "
        "\"any\"): claim lab/c0, request feature: unsupported count mode Half."}},
      {"a selector that fails on a device",
       [](DeviceWorld& w) {
         w.node("n").devices("n", {device("a")}).wants({wants_model("r", "H100")});
       },
       {"stuck SelectorFails: Selector #0 of the request fails with an error, and kube-scheduler "
        "then places the pod on no node: claim lab/c0: selector #0 on device gpu.example.com/n/a: "
        "CEL runtime error: no such key: model.",
        "device.attributes[\"gpu.example.com\"].model is not set. Guard the expression with has() "
        "or `.?` (in a new claim, as a claim cannot be changed), or let driver gpu.example.com "
        "publish what it asks for."}},
      {"an incomplete pool",
       [](DeviceWorld& w) {
         w.node("n")
             .devices("n", {device("a")},
                      "'pool': {'name': 'n', 'generation': 1, 'resourceSliceCount': 3}")
             .wants({exactly("r")});
       },
       {"stuck TooFewDevices: No node has a free device for request \"r\" of claim \"c0\" (class "
        "\"any\"): n has 1 that matches: a is in an incomplete pool (1 of 3 ResourceSlices are "
        "published).\n"}},
      {"an incomplete pool of others, whose devices do not match",
       [](DeviceWorld& w) {
         w.node("n")
             .devices("n", {device("a", "'taints': [{'key': 'hot', 'effect': 'NoSchedule'}]")})
             .slice(
                 "'driver': 'nic.example.com', 'nodeName': 'n', 'pool': {'name': 'n', "
                 "'generation': 1, 'resourceSliceCount': 2}, 'devices': [{'name': 'b'}]")
             .wants({exactly("r", "'count': 1, 'deviceClassName': 'gpu'")});
       },
       {"n has 1 that matches (and 1 other): a is tainted hot:NoSchedule by driver "
        "gpu.example.com.\n",
        "1 not matching selector #0 of class \"gpu\""}},
      {"held devices that are not what the request is after",
       [](DeviceWorld& w) {
         const std::string small = "'capacity': {'memory': {'value': '40Gi'}}";
         w.node("n")
             .devices("n",
                      {device("a", "'capacity': {'memory': {'value': '80Gi'}}"), device("b", small),
                       device("c"), device("d", "'allowMultipleAllocations': true, " + small)})
             .held("lab/x", "n", {"a"}, {"y"})
             .held("lab/z", "n", {"b", "c"}, {"w"})
             .held("lab/s", "n", {"d"}, {"v"},
                   ", 'shareID': 'u', 'consumedCapacity': {'memory': "
                   "'10Gi'}")
             .wants({exactly("r", "'count': 1, 'capacity': {'requests': {'memory': '60Gi'}}")});
       },
       {"n has 1 that matches (and 3 others): a is held by claim lab/x of pod lab/y.\n",
        "has devices for the pod as soon as claim lab/x is released, when pod lab/y ends.\n",
        "1 without capacity memory", "2 too small for 60Gi of capacity memory: it has 40Gi"}},
      {"a pool that contradicts itself",
       [](DeviceWorld& w) {
         w.node("n").devices("n", {device("a"), device("a")}).wants({exactly("r")});
       },
       {"2 in a pool that contradicts itself: duplicate device name a"}},
      {"a rule taints",
       [](DeviceWorld& w) {
         w.node("n").devices("n", {device("a")}).rule("burnt", "a", "hot").wants({exactly("r")});
       },
       {"a is tainted hot:NoExecute by DeviceTaintRule \"burnt\"",
        "taint hot:NoExecute by DeviceTaintRule \"burnt\" of a is removed, or tolerated by a new "
        "claim."}},
      {"a constraint",
       [](DeviceWorld& w) {
         w.node("n")
             .devices("n", {gpu("a", "A100"), gpu("b", "H100")})
             .wants({exactly("r", "'count': 2")},
                    "'constraints': [{'matchAttribute': 'gpu.example.com/model'}]");
       },
       {"stuck NotTogether: No node has 2 devices for request \"r\" of claim \"c0\" (class "
        "\"any\") together. "
        "On n, each of 2 devices is usable by itself, but not 2 of them together; constraint #0 of "
        "claim \"c0\", matchAttribute gpu.example.com/model, meets \"A100\" (a) and \"H100\" "
        "(b)."}},
      {"a constraint, while all devices are held",
       [](DeviceWorld& w) {
         w.node("n")
             .devices("n", {gpu("a", "A100"), gpu("b", "H100")})
             .held("lab/x", "n", {"a"}, {"p"})
             .held("lab/y", "n", {"b"}, {"q"})
             .wants({exactly("r", "'count': 2")},
                    "'constraints': [{'matchAttribute': 'gpu.example.com/model'}]");
       },
       {"stuck TooFewDevices", "b is held by claim lab/y",
        "note NothingToFree: Even if all were free: on n, each of 2 devices is usable by itself, "
        "but not 2 of them together; constraint #0 of claim \"c0\", matchAttribute "
        "gpu.example.com/model, meets \"A100\" (a) and \"H100\" (b).\n"}},
      {"a distinct attribute, while one device is tainted and another one the pod's",
       [](DeviceWorld& w) {
         w.node("n")
             .devices("n", {gpu("a", "A100", "'taints': [{'key': 'hot', 'effect': 'NoSchedule'}]"),
                            gpu("b", "A100"), gpu("c", "A100")})
             .held("lab/own", "n", {"c"}, {"p"})
             .wants({exactly("r", "'count': 2")},
                    "'constraints': [{'distinctAttribute': 'gpu.example.com/model'}]");
         w.question.allocated = {w.listed.claims[0].get()};
       },
       {"note NothingToFree: Even if all others were untainted: on n, each of 2 devices is usable "
        "by itself, but not 2 of them together; constraint #0 of claim \"c0\", distinctAttribute "
        "gpu.example.com/model, meets \"A100\" (a and b).\n"}},
      {"all of partitions that exclude each other, while one is held",
       [](DeviceWorld& w) {
         const std::string pool =
             "'driver': 'gpu.example.com', 'nodeName': 'n', 'pool': {'name': 'n', 'generation': 1, "
             "'resourceSliceCount': 2}, ";
         const auto part = [](std::string_view name, int memory) {
           return device(name, fmt::format("'consumesCounters': [{{'counterSet': 'set', "
                                           "'counters': {{'memory': {{'value': '{}'}}}}}}]",
                                           memory));
         };
         w.node("n")
             .slice(pool + "'devices': [{" + part("full", 8) + "}, {" + part("half", 4) + "}]")
             .slice(pool +
                    "'sharedCounters': [{'name': 'set', 'counters': {'memory': {'value': '8'}}}]")
             .held("lab/x", "n", {"half"}, {"y"})
             .wants({exactly("r", "'allocationMode': 'All'")});
       },
       {"note NothingToFree: Even if all were free: on n, each of 2 devices is usable by itself, "
        "but not 2 of them together; counter \"memory\" in counter set \"set\" does not suffice "
        "for all devices of request \"r\".\n"}},
      {"counters that one request overdraws",
       [](DeviceWorld& w) {
         const std::string pool =
             "'driver': 'gpu.example.com', 'nodeName': 'n', 'pool': {'name': 'n', 'generation': 1, "
             "'resourceSliceCount': 2}, ";
         const auto part = [](std::string_view name, int memory) {
           return fmt::format(
               "{{'name': '{}', 'consumesCounters': [{{'counterSet': 'set', "
               "'counters': {{'memory': {{'value': '{}'}}}}}}]}}",
               name, memory);
         };
         w.node("n")
             .slice(pool + "'devices': [" + part("full", 8) + ", " + part("half-0", 4) + ", " +
                    part("half-1", 4) + "]")
             .slice(pool +
                    "'sharedCounters': [{'name': 'set', 'counters': {'memory': {'value': '8'}}}]")
             .wants({exactly("r", "'count': 3")});
       },
       {"On n, each of 3 devices is usable by itself, but not 3 of them together; counter "
        "\"memory\" in counter set \"set\" does not suffice for all devices of request \"r\"."}},
      {"an attribute of a constraint that is missing",
       [](DeviceWorld& w) {
         w.node("n")
             .devices("n", {device("a")})
             .wants({exactly("r")}, "'constraints': [{'matchAttribute': 'gpu.example.com/numa'}]");
       },
       {"1 lacking attribute gpu.example.com/numa of constraint #0"}},
      {"a held device that lacks the attribute of a constraint",
       [](DeviceWorld& w) {
         w.node("n")
             .devices("n", {device("a"), device("b", "'attributes': {'numa': {'int': 1}}")})
             .held("lab/x", "n", {"a", "b"}, {"y"})
             .wants({exactly("r")}, "'constraints': [{'matchAttribute': 'gpu.example.com/numa'}]");
       },
       {"n has 1 that matches (and 1 other): b is held by claim lab/x"}},
      {"a claim of several pods",
       [](DeviceWorld& w) {
         w.node("n")
             .devices("n", {device("a")})
             .held("lab/x", "n", {"a"}, {"y", "z"})
             .wants({exactly("r")});
       },
       {"as soon as claim lab/x is released, when pod lab/y and pod lab/z end.\n"}},
      {"two requests for one device",
       [](DeviceWorld& w) {
         w.node("n").devices("n", {device("a")}).wants({exactly("r"), exactly("q")});
       },
       {"requests \"r\" and \"q\" compete: together they want 2 devices, and 1 is suitable."}},
      {"two claims for one device",
       [](DeviceWorld& w) {
         w.node("n").devices("n", {device("a")}).wants({exactly("r")}).wants({exactly("q")});
       },
       {"compete: together they want 2 devices, and 1 is suitable."}},
      {"two claims with requests of one name",
       [](DeviceWorld& w) {
         w.node("n").devices("n", {device("a")}).wants({exactly("r")}).wants({exactly("r")});
       },
       {"requests \"r\" of claim \"c0\" and \"r\" of claim \"c1\" compete",
        "n: request \"r\" of claim \"c0\" wants 1, 1 of 1 device free. request \"r\" of claim "
        "\"c1\" wants 1"}},
      {"more requests than are listed",
       [](DeviceWorld& w) {
         std::vector<std::string> requests;
         for (int i = 0; i < 10; ++i) requests.push_back(exactly(fmt::format("r{}", i)));
         w.node("n").devices("n", {device("a")}).wants(requests);
       },
       {"request \"r7\" wants 1, 1 of 1 device free. 2 more requests are not listed.\n"}},
      {"two requests for one shared device",
       [](DeviceWorld& w) {
         const auto memory = [](std::string_view name, int amount) {
           return exactly(name, fmt::format("'count': 1, 'capacity': {{'requests': {{'memory': "
                                            "'{}'}}}}",
                                            amount));
         };
         w.node("n")
             .devices("n", {device("a",
                                   "'allowMultipleAllocations': true, 'capacity': {'memory': "
                                   "{'value': '4'}}")})
             .wants({memory("r", 3), memory("q", 2)});
       },
       {"and 1 is suitable (a shared device serves several requests as far as its capacity "
        "suffices)."}},
      {"a constraint that a held device would meet",
       [](DeviceWorld& w) {
         w.node("n")
             .devices("n", {gpu("a", "A100"), gpu("b", "H100"), gpu("c", "H100")})
             .held("lab/x", "n", {"c"}, {"y"})
             .wants({exactly("r", "'count': 2")},
                    "'constraints': [{'matchAttribute': 'gpu.example.com/model'}]");
       },
       {"waiting NotTogether", "claim lab/x is released, when pod lab/y ends.\n"}},
      {"more claims than are named",
       [](DeviceWorld& w) {
         w.node("n").devices("n", {device("a"), device("b"), device("c"), device("d")});
         for (const char* name : {"a", "b", "c", "d"})
           w.held(fmt::format("lab/{}", name), "n", {name}, {name});
         w.wants({exactly("r")});
       },
       {"What would have to change, for example: n has devices for the pod as soon as one of these "
        "happens: claim lab/a is released"}},
      {"any two of three claims",
       [](DeviceWorld& w) {
         w.node("n").devices("n", {device("a"), device("b"), device("c")});
         for (const char* name : {"a", "b", "c"})
           w.held(fmt::format("lab/{}", name), "n", {name}, {name});
         w.wants({exactly("r", "'count': 2")});
       },
       {"What would have to change, for example: n has devices for the pod as soon as claim lab/"}},
      {"another node would do as well",
       [](DeviceWorld& w) {
         for (const char* name : {"n", "m"}) {
           w.node(name).devices(name, {device("a")});
           w.held(fmt::format("lab/{}", name), name, {"a"}, {name});
         }
         w.wants({exactly("r")});
       },
       {"What would have to change, for example: m has devices"}},
      {"a capacity that is published under its other name",
       [](DeviceWorld& w) {
         w.node("n")
             .devices("n", {device("a", "'capacity': {'memory': {'value': '4'}}")})
             .wants({exactly("r",
                             "'count': 1, 'capacity': {'requests': {'gpu.example.com/memory': "
                             "'1'}}")});
       },
       {"The only device on the only node cannot be used for request \"r\"",
        "1 without capacity gpu.example.com/memory (it is published as memory, and kube-scheduler "
        "compares these names literally). A driver"}},
      {"a capacity that is too small, of a device that is held",
       [](DeviceWorld& w) {
         w.node("n")
             .devices("n", {device("a", "'capacity': {'memory': {'value': '4'}}")})
             .held("lab/x", "n", {"a"}, {"y"})
             .wants({exactly("r", "'count': 1, 'capacity': {'requests': {'memory': '5'}}")});
       },
       {"1 too small for 5 of capacity memory: it has 4. A driver"}},
      {"a capacity that is consumed by others",
       [](DeviceWorld& w) {
         w.node("n")
             .devices("n", {device("a",
                                   "'allowMultipleAllocations': true, 'capacity': {'memory': "
                                   "{'value': '40Gi'}}")})
             .held("lab/x", "n", {"a"}, {"y"},
                   ", 'shareID': 'u', 'consumedCapacity': {'memory': '30Gi'}")
             .wants({exactly("r", "'count': 1, 'capacity': {'requests': {'memory': '20Gi'}}")});
       },
       {"a is too small for 20Gi of capacity memory: it has 40Gi, of which 30Gi is consumed by "
        "claim "
        "lab/x of pod lab/y",
        "claim lab/x is released, when pod lab/y ends."}},
      {"a capacity that no device has",
       [](DeviceWorld& w) {
         w.node("n")
             .devices("n", {device("a")})
             .wants({exactly("r", "'count': 1, 'capacity': {'requests': {'memory': '20Gi'}}")});
       },
       {"stuck NoDeviceMatches", "1 without capacity memory."}},
      {"counters that another claim uses",
       [](DeviceWorld& w) {
         const std::string pool =
             "'driver': 'gpu.example.com', 'nodeName': 'n', 'pool': {'name': 'n', 'generation': 1, "
             "'resourceSliceCount': 2}, ";
         const std::string uses =
             "'consumesCounters': [{'counterSet': 'set', 'counters': {'memory': {'value': '3'}}}]";
         w.node("n")
             .slice(pool + "'devices': [{'name': 'a', " + uses + "}, {'name': 'b', " + uses + "}]")
             .slice(pool +
                    "'sharedCounters': [{'name': 'set', 'counters': {'memory': {'value': "
                    "'4'}}}]")
             .held("lab/x", "n", {"a"}, {"y"})
             .wants({exactly("r")});
       },
       {"b is short of counter \"memory\" in counter set \"set\": 3 needed, 1 left, the rest is "
        "used by claim lab/x of pod lab/y",
        "claim lab/x is released, when pod lab/y ends."}},
      {"all devices, of which some are too small",
       [](DeviceWorld& w) {
         const auto of_size = [](std::string_view name, int size) {
           return device(name, fmt::format("'capacity': {{'memory': {{'value': '{}Gi'}}}}", size));
         };
         w.node("n")
             .devices("n", {of_size("a", 80), of_size("b", 80), of_size("c", 20)})
             .wants({exactly("r1",
                             "'allocationMode': 'All', 'capacity': {'requests': {'memory': "
                             "'40Gi'}}"),
                     exactly("r2", R"('count': 1, 'selectors': [{'cel': {'expression':
                         'device.driver == \"none\"'}}])")});
       },
       {"stuck NoDeviceMatches: None of 3 devices on the only node can be used for request "
        "\"r2\""}},
      {"more than all that match",
       [](DeviceWorld& w) {
         w.node("n")
             .devices("n", {device("a")})
             .held("lab/x", "n", {"a"}, {"y"})
             .wants({exactly("r", "'count': 2")});
       },
       {"stuck TooFewDevices: No node has 2 free devices",
        "note NothingToFree: No node has enough "
        "devices that match, even if all of them were free"}},
      {"subrequests",
       [](DeviceWorld& w) {
         w.node("n")
             .devices("n", {gpu("a", "A100")})
             .held("lab/x", "n", {"a"}, {"y"})
             .wants({R"('name': 'r', 'firstAvailable': [{'name': 'one', 'deviceClassName': 'gpu',
                 'allocationMode': 'ExactCount', 'count': 2}, {'name': 'two', 'deviceClassName':
                 'gpu', 'allocationMode': 'ExactCount', 'count': 1}])"});
       },
       {"No node has 2 free devices for request \"r/one\"",
        ", or a free device for request \"r/two\""}},
      {"the alternative with most devices is the one whose devices are named",
       [](DeviceWorld& w) {
         w.node("n")
             .devices("n", {gpu("a", "A100")})
             .held("lab/x", "n", {"a"}, {"y"})
             .wants({R"('name': 'r', 'firstAvailable': [{'name': 'one', 'deviceClassName': 'gpu',
                 'allocationMode': 'ExactCount', 'count': 1, 'selectors': [{'cel': {'expression':
                 'device.driver == \"none\"'}}]}, {'name': 'two', 'deviceClassName': 'gpu',
                 'allocationMode': 'ExactCount', 'count': 1}])"});
       },
       {"or a free device for request \"r/two\" of claim \"c0\" (class \"gpu\"): for request "
        "\"r/two\", n has 1 that matches: a is held by claim lab/x of pod lab/y.",
        "claim lab/x is released, when pod lab/y ends."}},
      {"many alternatives without devices",
       [](DeviceWorld& w) {
         std::string alternatives;
         for (int i = 0; i < 5; ++i)
           alternatives += fmt::format(
               R"({}{{'name': 's{}', 'deviceClassName': 'gpu', 'allocationMode': 'ExactCount',
               'count': 1, 'selectors': [{{'cel': {{'expression':
               'device.driver == \"none\"'}}}}]}})",
               i == 0 ? "" : ", ", i);
         w.node("n")
             .devices("n", {device("a")})
             .wants({fmt::format("'name': 'r', 'firstAvailable': [{}]", alternatives)});
       },
       {"Nor can one be used for 2 more alternatives. A driver has to publish devices for one of "
        "these alternatives, or a new claim has to ask"}},
      {"all devices",
       [](DeviceWorld& w) {
         w.node("n")
             .devices("n", {device("a"), device("b")})
             .held("lab/x", "n", {"a"}, {"y"})
             .wants({exactly("r", "'allocationMode': 'All'")});
       },
       {"No node has all devices free for request \"r\"", "a is held by claim lab/x of pod lab/y",
        "claim lab/x is released, when pod lab/y ends."}},
  });
}

// Of a faulty request nothing is known, not even whether there are devices.
TEST(ExplainDevices, says_nothing_of_nodes_for_faulty_request) {
  DeviceWorld world;
  world.node("n")
      .devices("n", {device("a")})
      .wants({exactly("q")})
      .wants({exactly("r", "'count': 1, 'deviceClassName': 'tpu'")});
  const std::string text = world.explain();
  EXPECT_NE(
      text.find(
          "note NodeDevices: n: request \"q\" of claim \"c0\" wants 1, 1 of 1 device free.\n"),
      text.npos)
      << text;
  world.wanted.erase(world.wanted.begin());
  world.question.claims.clear();
  EXPECT_EQ(world.explain().find("NodeDevices"), text.npos) << world.explain();
}

TEST(ExplainDevices, clears_devices_of_blame) {
  expect({
      {"free devices",
       [](DeviceWorld& w) { w.node("n").devices("n", {device("a")}).wants({exactly("r")}); },
       {"waiting DevicesFree: Node n has devices for all claims of the pod that are not allocated. "
        "So devices do not keep the pod off that node: see what the scheduler says.\n"}},
      {"a claim by itself",
       [](DeviceWorld& w) {
         w.question.is_of_pod = false;
         w.node("n").devices("n", {device("a")}).wants({exactly("r")});
       },
       {"note DevicesFree: Node n has devices for the claim. The scheduler allocates them when it "
        "places a pod with this claim."}},
  });
}

// kube-scheduler's filters NodeUnschedulable and TaintToleration come before its look at devices.
TEST(ExplainDevices, leaves_out_cordoned_and_tainted_nodes) {
  const auto close = [](DeviceWorld& w) {
    w.node({.name = "n", .is_unschedulable = true}).devices("n", {device("a")});
    w.node({.name = "t", .taints = {{.key = "tolerated"}, {.key = "dedicated", .value = "infra"}}})
        .devices("t", {device("a")});
    w.question.tolerations = {{.key = "tolerated"}};
  };
  expect({
      {"all nodes are closed",
       [&](DeviceWorld& w) {
         close(w);
         w.wants({exactly("r")});
       },
       {"stuck NoNode: The pod may go to none of the 2 nodes.",
        "note NodesLeftOut: 2 nodes left out: the pod does not tolerate that n is cordoned and t "
        "has taint dedicated=infra:NoSchedule."}},
      {"devices that would be there are no remedy",
       [&](DeviceWorld& w) {
         close(w);
         w.node("m").wants({exactly("r")});
       },
       {"stuck NoDevices: No ResourceSlice has devices for the only node that the pod may go to",
        "note NodesLeftOut: 2 nodes left out: "}},
      {"a selector that fails there is not evaluated",
       [&](DeviceWorld& w) {
         close(w);
         w.node("m")
             .devices("m", {device("a", "'attributes': {'x': {'int': 1}}")})
             .wants({exactly("r", R"('count': 1, 'selectors': [{'cel': {'expression': )"
                                  R"('device.attributes[\"gpu.example.com\"].x == 1'}}])")});
       },
       {"waiting DevicesFree: Node m has devices", "note NodesLeftOut: 2 nodes left out: "}},
      {"a claim by itself can be for a pod that tolerates them",
       [&](DeviceWorld& w) {
         close(w);
         w.question.is_of_pod = false;
         w.wants({exactly("r")});
       },
       {"note DevicesFree: Nodes n and t have devices for the claim."}},
  });
}

TEST(ExplainDevices, tells_that_claim_is_named_twice) {
  const auto name_twice = [](DeviceWorld& w) {
    w.wants({exactly("r")});
    w.wanted.push_back(w.wanted.front());
  };
  expect({
      {"with a device for one of them",
       [&](DeviceWorld& w) {
         w.node("n").devices("n", {device("a")});
         name_twice(w);
       },
       {"stuck NotTogether",
        "note ClaimNamedTwice: Several pod claims name ResourceClaim \"c0\"."}},
      {"with devices for both",
       [&](DeviceWorld& w) {
         w.node("n").devices("n", {device("a"), device("b")});
         name_twice(w);
       },
       {"waiting DevicesFree", "note ClaimNamedTwice"}},
  });
}

TEST(ExplainDevices, mentions_pod_groups) {
  expect({
      {"a group holds the device as long as it is there",
       [](DeviceWorld& w) {
         w.node("n")
             .devices("n", {device("a")})
             .held_by_group("lab/x", "n", "a", "team")
             .wants({exactly("r")});
       },
       {"a is held by claim lab/x of pod group lab/team",
        "claim lab/x is released, when pod group lab/team is deleted."}},
      {"the group's claim that the pod's status names",
       [](DeviceWorld& w) {
         w.node("n")
             .wants({exactly("r")})
             .pod(
                 "'resourceClaims': [{'name': 'shared', "
                 "'resourceClaimTemplateName': 't'}]");
         w.asking->claim_statuses.push_back({.name = "shared", .claim_name = "c0"});
         w.wanted.clear();
       },
       {"stuck NoDevices: ", "request \"r\" of claim \"c0\""}},
  });
}

TEST(ExplainDevices, mentions_extended_resources) {
  expect({
      {"held by another claim",
       [](DeviceWorld& w) {
         w.serving("fast", "example.com/gpu")
             .node("n")
             .devices("n", {device("a")})
             .held("lab/x", "n", {"a"}, {"y"})
             .pod_with_resource("example.com/gpu");
       },
       {"waiting TooFewDevices: No node has a free device for extended resource example.com/gpu "
        "of container \"c\" (request \"container-0-request-1\", class \"fast\"): n has 1 that "
        "matches: a is held by claim lab/x of pod lab/y.",
        "as soon as claim lab/x is released, when pod lab/y ends."}},
      {"by the name of a class; what is tainted cannot be tolerated",
       [](DeviceWorld& w) {
         w.node("n")
             .devices("n", {gpu("a", "A100", "'taints': [{'key': 'k', 'effect': 'NoSchedule'}]")})
             .pod_with_resource("deviceclass.resource.kubernetes.io/gpu");
       },
       {"for extended resource deviceclass.resource.kubernetes.io/gpu of container \"c\"",
        "n has devices for the pod as soon as taint k:NoSchedule of a is removed.\n"}},
      {"the newest of the classes with that name serves it",
       [](DeviceWorld& w) {
         w.serving("b-old", "example.com/gpu")
             .serving("new", "example.com/gpu", "2026-02-01T00:00:00Z")
             .serving("a-old", "example.com/gpu")
             .node("n")
             .pod_with_resource("example.com/gpu");
       },
       {"class \"new\""}},
      {"the claim of a failed binding is gone, and the scheduler makes another one",
       [](DeviceWorld& w) {
         w.serving("fast", "example.com/gpu")
             .node("n")
             .devices("n", {device("a")})
             .pod_with_resource("example.com/gpu");
         w.asking->extended_claim = "p-extended-resources-x";
       },
       {"waiting DevicesFree: Node n has devices"}},
      {"no class serves it",
       [](DeviceWorld& w) {
         w.node("n").devices("n", {device("a")}).pod_with_resource("example.com/gpu");
       },
       {"stuck ResourceNotServed: No DeviceClass serves the extended resource example.com/gpu, and "
        "no device plugin has it on 1 node that the pod may go to. A DeviceClass has to name it as "
        "its extendedResourceName."}},
      {"the class that it names is missing",
       [](DeviceWorld& w) {
         w.node("n").pod_with_resource("deviceclass.resource.kubernetes.io/tpu");
       },
       {"stuck ResourceNotServed: No DeviceClass has the name in the extended resource "
        "deviceclass.resource.kubernetes.io/tpu"}},
      {"a device plugin has it, and nobody knows what is free there",
       [](DeviceWorld& w) {
         w.node({.name = "n", .plugin_resources = {"example.com/gpu"}});
         w.pod_with_resource("example.com/gpu");
       },
       {"unknown ResourceNotServed: No DeviceClass serves the extended resource example.com/gpu. ",
        "1 node left out: a device plugin has an extended resource of the pod there"}},
      {"a device plugin has what a class serves as well",
       [](DeviceWorld& w) {
         w.serving("fast", "example.com/gpu")
             .node({.name = "n", .plugin_resources = {"example.com/gpu"}});
         w.pod_with_resource("example.com/gpu");
       },
       {"unknown DevicePlugin: Wherever the pod may go, a device plugin has its extended "
        "resource: see what the scheduler says."}},
  });
}

TEST(ExplainDevices, omits_nodes_closed_to_pod) {
  expect({
      {"its nodeSelector",
       [](DeviceWorld& w) {
         w.question.node_affinity.node_selector = {{"zone", "y"}};
         w.node("n").devices("n", {device("a")}).node("m", "y").wants({exactly("r")});
       },
       {"stuck NoDevices: No ResourceSlice has devices for the only node that the pod may go to",
        "note NodesLeftOut: 1 node left out: the pod's nodeSelector or node affinity rules them "
        "out."}},
      {"no node is left",
       [](DeviceWorld& w) {
         w.question.node_affinity.node_selector = {{"zone", "y"}};
         w.node("n").devices("n", {device("a")}).wants({exactly("r")});
       },
       {"stuck NoNode: The pod may not go to the only node.", "note NodesLeftOut"}},
      {"another claim is allocated for another node",
       [](DeviceWorld& w) {
         w.listed.claims.emplace_back(allocation::parse<allocation::ClaimFields, allocation::Claim>(
             "{'metadata': {'namespace': 'lab', 'name': 'k'}, 'status': {'allocation': "
             "{'devices': {'results': []}, 'nodeSelector': {'nodeSelectorTerms': "
             "[{'matchFields': [{'key': 'metadata.name', 'operator': 'In', 'values': "
             "['m']}]}]}}}}"));
         w.question.allocated = {w.listed.claims.back().get()};
         w.node("n").devices("n", {device("a")}).wants({exactly("r")});
       },
       {"stuck NoNode: The devices of claim \"k\" cannot be used on any node that the pod may go "
        "to: it is allocated already."}},
  });
}

TEST(ExplainDevices, concludes_nothing_from_unread_nodes) {
  DeviceWorld world;
  world.node("a").node("b").devices("b", {device("x")}).wants({exactly("r")});
  const std::string text = world.explain(1);
  EXPECT_NE(text.find("unknown NotLookedAt: 1 of 2 nodes were not looked at, to answer in time."),
            text.npos)
      << text;
  EXPECT_EQ(text.find("No ResourceSlice has devices for any"), text.npos) << text;
  EXPECT_EQ(text.find("No node"), text.npos) << text;
}

TEST(ExplainDevices, concludes_nothing_from_half_a_node) {
  DeviceWorld world;
  world.node("a").node("b").devices("a", {device("x")});
  std::vector<std::string> devices;
  for (int i = 0; i < 100; ++i) devices.push_back(device(fmt::format("gpu-{}", i)));
  world.devices("b", devices)
      .wants(
          {exactly("r", R"('selectors': [{'cel': {'expression': 'device.driver == \"none\"'}}])")});
  for (int looks_max = 1; looks_max < 150; ++looks_max) {
    world.question.is_time_up = [looks_max, looks = 0] mutable { return ++looks > looks_max; };
    const std::string text = world.explain();
    EXPECT_NE(text.find(" of 2 nodes were not looked at, to answer in time."), text.npos)
        << looks_max << ": " << text;
    EXPECT_EQ(text.find("b:"), text.npos) << looks_max << ": " << text;
  }
}

TEST(ExplainDevices, hides_other_namespaces_from_tenants) {
  DeviceWorld world;
  world.question.names = Names::own_namespace;
  world.node("n")
      .devices("n", {device("a"), device("b"), device("c")})
      .held("secret/x", "n", {"a"}, {"plan"})
      .held("lab/mine", "n", {"b"}, {"q"})
      .held("secret/w", "n", {"c"}, {"plan-2"})
      .wants({exactly("r", "'count': 3")});
  const std::string text = world.explain();
  for (const char* const name : {"secret", "plan", "/x", "/w"}) {
    EXPECT_EQ(text.find(name), text.npos) << name << "\n" << text;
  }
  EXPECT_NE(text.find("a is held by a claim of another namespace"), text.npos) << text;
  EXPECT_NE(text.find("claim lab/mine is released, when pod lab/q ends"), text.npos) << text;
}

TEST(ExplainDevices, promises_only_what_allocator_confirms) {
  DeviceWorld world;
  // Either claim frees a device, but only "y" frees one of the same model.
  world.node("n")
      .devices("n", {gpu("a", "A100"), gpu("b", "H100"), gpu("c", "A100")})
      .held("lab/x", "n", {"b"}, {"p1"})
      .held("lab/y", "n", {"c"}, {"p2"})
      .wants({exactly("r", "'count': 2")},
             "'constraints': [{'matchAttribute': 'gpu.example.com/model'}]");
  const std::string text = world.explain();
  EXPECT_NE(text.find("as soon as claim lab/y is released, when pod lab/p2 ends.\n"), text.npos)
      << text;
}

// The pod needs the claim that it has.
TEST(ExplainDevices, does_not_advise_to_release_claims_of_the_pod) {
  DeviceWorld world;
  world.node("n")
      .devices("n", {device("a"), device("b")})
      .held("lab/own", "n", {"a"}, {"p"})
      .held("lab/x", "n", {"b"}, {"q"})
      .wants({exactly("r")});
  world.question.allocated = {world.listed.claims[0].get()};
  const std::string text = world.explain();
  EXPECT_NE(text.find("as soon as claim lab/x is released, when pod lab/q ends.\n"), text.npos)
      << text;
  EXPECT_EQ(text.find("claim lab/own is released"), text.npos) << text;
}

// A device that is held is not looked at for taints.
TEST(ExplainDevices, names_all_devices_with_a_taint) {
  DeviceWorld world;
  const std::string hot = "'taints': [{'key': 'hot', 'effect': 'NoSchedule'}]";
  world.node("n")
      .devices("n", {device("a", hot), device("b", hot), device("c", hot)})
      .held("lab/x", "n", {"b"}, {"y"})
      .wants({exactly("r", "'count': 3")});
  const std::string text = world.explain();
  EXPECT_NE(text.find("taint hot:NoSchedule of a, b and c is removed, or tolerated"), text.npos)
      << text;
}

TEST(ExplainDevices, groups_nodes_with_same_answer_and_bounds_the_rest) {
  DeviceWorld world;
  for (int i = 0; i < 40; ++i) {
    const std::string name = fmt::format("n{:02}", i);
    world.node(name).devices(name, {device("a")}).held("lab/x" + name, name, {"a"}, {"p" + name});
  }
  for (int i = 1; i < 20; ++i) {  // each with a different number of devices
    const std::string name = fmt::format("x{:02}", i);
    std::vector<std::string> devices;
    for (int k = 0; k < i + 1; ++k)
      devices.push_back(
          device(fmt::format("d{}", k), "'taints': [{'key': 'k', 'effect': 'NoExecute'}]"));
    world.node(name).devices(name, devices);
  }
  world.wants({exactly("r")});
  const std::string text = world.explain();
  EXPECT_NE(
      text.find("n00, n01, n02, n03, n04 and 35 more (40 nodes, each): request \"r\" wants 1, "
                "0 of 1 device free; 1 held by another claim: claim lab/xn00 of pod lab/pn00"),
      text.npos)
      << text;
  EXPECT_NE(text.find(" and others"), text.npos) << text;
  EXPECT_NE(text.find("12 more nodes have other numbers of such devices"), text.npos) << text;
}

TEST(ExplainDevices, handles_thousands_of_holders_quickly) {
  DeviceWorld world;
  world.node("n").devices("n", {device("a",
                                       "'allowMultipleAllocations': true, 'capacity': "
                                       "{'memory': {'value': '10000'}}")});
  for (int i = 0; i < 10'000; ++i) {
    world.held(fmt::format("lab/x{}", i), "n", {"a"}, {"y"},
               ", 'shareID': 'u', 'consumedCapacity': {'memory': '1'}");
  }
  world.wants({exactly("r", "'count': 1, 'capacity': {'requests': {'memory': '2'}}")});
  const std::string text = world.explain();
  EXPECT_LT(text.size(), 2000U) << text;
  EXPECT_TRUE(text.contains("claim lab/x2 of pod lab/y and 9997 more")) << text;
}

}  // namespace
}  // namespace dcm::explain
