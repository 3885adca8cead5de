#include "cel/kubernetes/selector.hpp"

#include <gtest/gtest.h>

namespace dcm::cel {
namespace {

constexpr std::string_view kModels[] = {"A100", "H100"};

const Attribute kAttributes[] = {
    Attribute::string("model", "A100"),
    Attribute::integer("index", 3),
    Attribute::boolean("ready", true),
    Attribute::version("version", "1.2.3"),
    Attribute::integer("other.example.com/numa", 0),
    Attribute::strings("models", kModels),
};
const Capacity kCapacity[] = {Capacity("memory", Quantity::parse("40Gi").value())};
const DeviceView kDevice{"gpu.example.com", false, kAttributes, kCapacity};

std::string outcome_of(std::string_view expression,
                       Environment environment = Environment::stored_expressions) {
  SelectorCompiler compiler;
  const auto selector = compiler.compile(expression, environment);
  if (!selector) return "compile: " + selector.error().substr(0, selector.error().find('\n'));
  const auto match = (*selector)->matches(kDevice);
  if (!match) return "error: " + match.error();
  return *match ? "true" : "false";
}

struct Row {
  std::string_view expression, outcome;
};

constexpr std::string_view kMissing =
    "error: no such key: nosuch. consider using CEL optional chaining (.? followed by orValue()) "
    "or guarding the check "
    "with has() for optional fields";

const Row kRows[] = {
    {R"(device.driver == "gpu.example.com")", "true"},
    {R"(device.attributes["gpu.example.com"].model == "A100")", "true"},
    {R"(device.attributes["gpu.example.com"]["model"] in ["H100", "A100"])", "true"},
    {R"(device.attributes["gpu.example.com"].ready)", "true"},
    {R"(device.attributes["gpu.example.com"].model)",
     "error: CEL result of type string could not be converted to bool: unsupported native "
     "conversion from string to 'bool'"},
    {R"(device.attributes["gpu.example.com"].nosuch == 1)", kMissing},
    {R"(device.attributes["gpu.example.com"].nosuch == 1 || true)", "true"},
    {R"(has(device.attributes["unknown.example.com"].x))", "false"},
    {R"("unknown.example.com" in device.attributes)", "false"},
    {R"("other.example.com" in device.attributes && device.attributes.size() == 2)", "true"},
    {R"(device.attributes["unknown.example.com"] == {})", "true"},
    {R"(device.attributes["gpu.example.com"].?nosuch.orValue(7) == 7)", "true"},
    {R"(device.attributes["other.example.com"].numa == 0)", "true"},
    {R"(device.attributes["gpu.example.com"].version.isGreaterThan(semver("1.2.0")))", "true"},
    {R"(device.attributes["gpu.example.com"].version == "1.2.3")", "error: no such overload"},
    {R"(device.attributes["gpu.example.com"].models.includes("H100"))", "true"},
    {R"(device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0)", "true"},
    {R"(device.capacity["gpu.example.com"].memory.isGreaterThan(quantity("40Gi")))", "false"},
    {R"(device.capacity["gpu.example.com"].memory.add(quantity("1Gi")) == quantity("41Gi"))",
     "true"},
    {R"(device.allowMultipleAllocations)", "false"},
    {R"([1].map(device, .device.driver)[0] == "gpu.example.com")", "true"},
    {"type(ip('1.1.1.1')) == net.IP", "true"},
    {"type(quantity('1')) == kubernetes.Quantity",
     "compile: compilation failed: ERROR: <input>:1:24: undeclared reference to 'kubernetes' (in "
     "container '')"},
    {"quantity('1').value",
     "compile: compilation failed: ERROR: <input>:1:14: unexpected failed resolution of "
     "'kubernetes.Quantity'"},
    {"ip('1.1.1.1').value",
     "compile: compilation failed: ERROR: <input>:1:14: type 'net.IP' does not support field "
     "selection"},
    {"1", "compile: must evaluate to bool or the unknown type, not int"},
    {"int('x')", "compile: must evaluate to bool or the unknown type, not int"},
    {"device.attributes",
     "compile: must evaluate to bool or the unknown type, not map(string, map(string, "
     "dyn))"},
    {"dyn(1)",
     "error: CEL result of type int could not be converted to bool: unsupported type conversion "
     "from 'int' to bool"},
    {"dyn(semver('1.0.0'))",
     "error: CEL result of type kubernetes.Semver could not be converted to bool: type conversion "
     "error "
     "from 'Semver' to 'bool'"},
    {"semver('é', true).major() == 1", "error: Invalid character(s) found in major number \"0é\""},
    {"semver(dyn('x\\n.1.1')).major() == 1",
     "error: Invalid character(s) found in major number \"x\\n\""},
    {"dyn('1.0.0').compareTo(semver('1.0.0')) == 0",
     "error: no such overload: compareTo(string, kubernetes.Semver)"},
    {"device.nosuch", "compile: compilation failed: ERROR: <input>:1:7: undefined field 'nosuch'"},
    {R"(cidr("10.0.0.0/8").containsIP("10.1.2.3") && !isIP("::ffff:1.2.3.4"))", "true"},
    {R"(string(ip("2001:db8:0:0:1:0:0:1")) == "2001:db8::1:0:0:1")", "true"},
    {R"(url("https://example.com:8080/a?b=c").getHost() == "example.com:8080")", "true"},
    {R"(isCIDR("1.2.3/8") || cidr(dyn("1.2.3.04/8")).prefixLength() == 8)",
     R"(error: network address parse error during conversion from string: network address parse )"
     R"(error during conversion from string: netip.ParsePrefix("1.2.3.04/8"): )"
     R"(ParseAddr("1.2.3.04"): IPv4 field has octet with leading zero)"},
    {R"(ip(dyn("1.2.3")).family() == 4)",
     R"(error: IP Address "1.2.3" parse error during conversion from string: ParseAddr("1.2.3"): )"
     R"(IPv4 address too short)"},
    {R"(ip(dyn("1:2::3::4")).family() == 4)",
     R"(error: IP Address "1:2::3::4" parse error during conversion from string: )"
     R"(ParseAddr("1:2::3::4"): multiple :: in address (at ":4"))"},
    {R"(ip(dyn("1:2%eth0")).family() == 4)",
     R"(error: IP Address "1:2%eth0" parse error during conversion from string: )"
     R"(ParseAddr("1:2%eth0"): address string too short)"},
    {R"(ip(dyn("::1.2.3")).family() == 4)",
     R"(error: IP Address "::1.2.3" parse error during conversion from string: )"
     R"(ParseAddr("::1.2.3"): IPv4 address too short)"},
    {R"(isURL("http://[::1]:80/") && isURL("postgres://a:80,b:81/") && isURL("http://a@b@c/"))",
     "true"},
    {R"(isURL("http://[fe80::1%25en0]/"))", "true"},
    {R"(isURL("http://a:80:80/") || isURL("HTTPS://a:80:80/") || isURL("http://[1.2.3.4]/"))",
     "false"},
    {R"(isURL("http://a[::1]/") || isURL("http://[::1%25]/") || isURL("http://a%20b/"))", "false"},
    {R"(url(dyn("http://a:80:80/")).getHost() == "")",
     R"(error: URL parse error during conversion from string: parse "http://a:80:80/": invalid )"
     R"(port ":80:80" after host)"},
    {R"(url(dyn("http://a b/")).getHost() == "")",
     R"(error: URL parse error during conversion from string: parse "http://a b/": invalid )"
     R"(character " " in host name)"},
    {R"(url(dyn("/%")).getHost() == "")",
     R"(error: URL parse error during conversion from string: parse "/%": invalid URL escape "%")"},
    {R"(format.datetime().validate("2024-01-01T5:00:00Z").hasValue())", "true"},
    {R"(format.datetime().validate("2024-01-01t00:00:00+99:99").hasValue())", "false"},
    {R"(format.byte().validate("").hasValue() && !format.byte().validate("YWJj").hasValue())",
     "true"},
    {R"(format.dns1123Label().validate("abc") == optional.none())", "true"},
    {R"(format.named("uuid").value().validate("x").hasValue())", "true"},
};

TEST(Selector, reads_device) {
  for (const Row& row : kRows) EXPECT_EQ(outcome_of(row.expression), row.outcome) << row.expression;
}

TEST(Selector, fails_on_attribute_without_value) {
  SelectorCompiler compiler;
  const auto selector = compiler.compile("true");
  ASSERT_TRUE(selector);
  const Attribute unsupported[] = {Attribute::unsupported("x")};
  EXPECT_EQ(
      (*selector)->matches({.driver = "d", .attributes = unsupported, .capacity = {}}).error(),
      "attribute x: unsupported attribute value");
  const Attribute malformed[] = {Attribute::version("d/v", "1.2")};
  EXPECT_EQ((*selector)->matches({.driver = "d", .attributes = malformed, .capacity = {}}).error(),
            "attribute d/v: parse semantic version: No Major.Minor.Patch elements found");
}

TEST(Selector, estimates_its_cost) {
  SelectorCompiler compiler;
  EXPECT_EQ((*compiler.compile(R"(device.driver == "gpu.example.com")"))->max_cost(), 4);
}

TEST(Selector, counts_cost_of_evaluation) {
  const auto cost_of = [](std::string_view expression) {
    SelectorCompiler compiler;
    EvaluationCost cost;
    static_cast<void>((*compiler.compile(expression))->matches(kDevice, &cost));
    return cost.actual;
  };
  EXPECT_EQ(cost_of(R"(device.driver == "gpu.example.com")"), 4);
  EXPECT_EQ(cost_of("[1, 2][true ? 0 : 1] == 1"), 3) << "a choice as an index costs as any other";
  EXPECT_EQ(cost_of("[1, 2][?0].hasValue()"), 3);
  EXPECT_EQ(cost_of("[1, 2][?int(device.driver)].hasValue()"), 5) << "a failed index costs nothing";
}

TEST(SelectorCompiler, shares_compiled_selectors) {
  SelectorCompiler compiler({}, 2);
  const auto first = compiler.compile("true");
  EXPECT_EQ(*first, *compiler.compile("true"));
  EXPECT_NE(*first, *compiler.compile("true", Environment::new_expressions));
  EXPECT_EQ(*first, *compiler.compile("true"));
  static_cast<void>(compiler.compile("false"));
  static_cast<void>(compiler.compile("!true"));
  EXPECT_NE(*first, *compiler.compile("true")) << "the one used least recently went";
}

TEST(SelectorCompiler, rejects_features_not_yet_allowed_in_new_objects) {
  constexpr std::string_view kIncludes = R"([1].includes(1))";
  EXPECT_EQ(outcome_of(kIncludes), "true");
  EXPECT_TRUE(outcome_of(kIncludes, Environment::new_expressions)
                  .contains("undeclared reference to 'includes'"));
}

TEST(DerivedAttribute, has_type_of_its_value) {
  SelectorCompiler compiler({.consumable_capacity = true, .list_attributes = true});
  const auto value = [&](std::string_view expression) {
    return (*compiler.compile_derived(expression))->evaluate(kDevice);
  };
  EXPECT_EQ(std::get<std::string>(value("device.driver")->value), "gpu.example.com");
  EXPECT_EQ(std::get<std::int64_t>(value("1 + 1")->value), 2);
  const auto version = value("semver('1.2.3')");
  EXPECT_TRUE(version->is_version);
  EXPECT_EQ(std::get<std::string>(version->value), "1.2.3");
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(value("[1, 2]")->value),
            (std::vector<std::int64_t>{1, 2}));
  EXPECT_FALSE(compiler.compile_derived("{}"));
}

}  // namespace
}  // namespace dcm::cel
