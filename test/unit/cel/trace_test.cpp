#include "cel/trace.hpp"

#include <gtest/gtest.h>

#include "cel/kubernetes/selector.hpp"

namespace dcm::cel {
namespace {

const Attribute kAttributes[] = {
    Attribute::string("model", "A100"),    Attribute::integer("index", 3),
    Attribute::boolean("ready", false),    Attribute::version("version", "1.2.3"),
    Attribute::string("odd", "a \"b\"\n"), Attribute::integer("other.example.com/numa", 0),
};
const Capacity kCapacity[] = {Capacity("memory", Quantity::parse("40Gi").value())};
const DeviceView kDevice{"gpu.example.com", false, kAttributes, kCapacity};

// "part: expression is value; …"
std::string why(std::string_view expression) {
  SelectorCompiler compiler;
  const auto selector = compiler.compile(expression);
  if (!selector) return selector.error();
  const Reason reason = SelectorTrace(**selector).why(kDevice);
  std::string text = reason.part + ":";
  for (const Met& met : reason.met) text += " " + met.expression + " is " + met.value + ";";
  return text;
}

struct Row {
  const char* sentence;
  std::string_view expression, why;
};

const Row kRows[] = {
    {"a comparison", R"(device.attributes['gpu.example.com'].model == 'H100')",
     R"(device.attributes["gpu.example.com"].model == "H100": )"
     R"(device.attributes["gpu.example.com"].model is "A100";)"},
    {"the first false term of a conjunction",
     R"(device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].index > 5)",
     R"(device.attributes["gpu.example.com"].index > 5: )"
     R"(device.attributes["gpu.example.com"].index is 3;)"},
    {"all terms of a disjunction",
     R"(true && (device.driver == "x" || device.attributes["gpu.example.com"].index in [1, 2]))",
     R"(device.driver == "x" || device.attributes["gpu.example.com"].index in [1, 2]: )"
     R"(device.driver is "gpu.example.com"; device.attributes["gpu.example.com"].index is 3;)"},
    {"a bare attribute", R"(device.attributes["gpu.example.com"].ready)",
     R"(device.attributes["gpu.example.com"].ready: device.attributes["gpu.example.com"].ready is )"
     "false;"},
    {"a negation", R"(!(device.attributes["gpu.example.com"]["model"].startsWith("A")))",
     R"(!device.attributes["gpu.example.com"]["model"].startsWith("A"): )"
     R"(device.attributes["gpu.example.com"]["model"] is "A100";)"},
    {"a quantity", R"(device.capacity["gpu.example.com"].memory.compareTo(quantity("80Gi")) >= 0)",
     R"(device.capacity["gpu.example.com"].memory.compareTo(quantity("80Gi")) >= 0: )"
     R"(device.capacity["gpu.example.com"].memory is 40Gi;)"},
    {"a version", R"(device.attributes["gpu.example.com"].version.isGreaterThan(semver("2.0.0")))",
     R"(device.attributes["gpu.example.com"].version.isGreaterThan(semver("2.0.0")): )"
     R"(device.attributes["gpu.example.com"].version is 1.2.3;)"},
    {"an attribute that is not there", R"(has(device.attributes["gpu.example.com"].uuid))",
     R"(has(device.attributes["gpu.example.com"].uuid): )"
     R"(device.attributes["gpu.example.com"].uuid is not set;)"},
    {"an optional attribute that is not there",
     R"(device.attributes["gpu.example.com"].?uuid.orValue("") == "x")",
     R"(device.attributes["gpu.example.com"].?uuid.orValue("") == "x": )"
     R"(device.attributes["gpu.example.com"].?uuid is not set;)"},
    {"an error", R"(device.driver != "x" && device.attributes["gpu.example.com"].uuid == "x")",
     R"(device.attributes["gpu.example.com"].uuid == "x": )"
     R"(device.attributes["gpu.example.com"].uuid is not set;)"},
    {"a false term behind an error",
     R"(device.attributes["gpu.example.com"].uuid == "x" && device.driver == "y")",
     R"(device.driver == "y": device.driver is "gpu.example.com";)"},
    {"a conditional",
     R"(has(device.attributes["gpu.example.com"].index) ? device.attributes["gpu.example.com"].index < 1 : true)",
     R"(has(device.attributes["gpu.example.com"].index) ? )"
     R"(device.attributes["gpu.example.com"].index < 1 : true: )"
     R"(device.attributes["gpu.example.com"].index is 3;)"},
    {"a loop, which has no text of its own",
     R"(["x"].exists(m, m == device.attributes["gpu.example.com"].model))",
     R"(: device.attributes["gpu.example.com"].model is "A100";)"},
    {"a binding", R"(cel.bind(a, device.attributes["other.example.com"], a.numa == 1))",
     R"(: device.attributes["other.example.com"] is {"numa": 0};)"},
    {"a value with quotes", R"(device.attributes["gpu.example.com"].odd == "b")",
     R"(device.attributes["gpu.example.com"].odd == "b": )"
     R"(device.attributes["gpu.example.com"].odd is "a \"b\"\n";)"},
    {"parentheses that matter",
     R"((device.attributes["gpu.example.com"].index + 1) * 2 == -(1 - (2 - 3)))",
     R"((device.attributes["gpu.example.com"].index + 1) * 2 == -(1 - (2 - 3)): )"
     R"(device.attributes["gpu.example.com"].index is 3;)"},
    {"a constant", "false", "false:"},
};

TEST(TraceTest, names_deciding_part_and_its_values) {
  for (const Row& row : kRows) EXPECT_EQ(why(row.expression), row.why) << row.sentence;
}

TEST(TraceTest, omits_details_that_take_long) {
  std::string numbers = "[1";
  for (int i = 0; i < 300; ++i) numbers += ",1";
  numbers += "]";
  const std::string loop = numbers + ".all(a, " + numbers + ".all(b, " + numbers +
                           ".all(c, device.driver == \"gpu.example.com\")))";
  EXPECT_EQ(why(loop), ": device.driver is \"gpu.example.com\";");
  EXPECT_FALSE(why(loop + " && device.driver == \"x\"").empty());
}

TEST(TraceTest, looks_once_at_a_node_in_many_places) {
  std::string chain = R"(device.attributes["gpu.example.com"].?index)";
  for (int i = 0; i < 50; ++i) chain += ".optMap(x, x)";
  EXPECT_EQ(why(chain + ".orValue(0) == 1"),
            R"(: device.attributes["gpu.example.com"].?index is 3;)");
}

TEST(TraceTest, shortens_long_values) {
  const std::string long_text(500, 'x');
  const Attribute attributes[] = {Attribute::string("text", long_text)};
  SelectorCompiler compiler;
  const auto selector = compiler.compile(R"(device.attributes["d"].text == "")");
  const Reason reason = SelectorTrace(**selector).why({"d", false, attributes, {}});
  ASSERT_EQ(reason.met.size(), 1U);
  EXPECT_LT(reason.met[0].value.size(), 120U);
}

}  // namespace
}  // namespace dcm::cel
