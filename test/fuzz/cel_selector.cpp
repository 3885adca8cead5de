// Device selectors: checked, and evaluated on a device with a value of each kind. An evaluation
// ends, is deterministic, and costs no more than its limit.
#include "cel/kubernetes/selector.hpp"
#include "test/fuzz/fuzz.hpp"

namespace dcm::fuzz {
namespace {

constexpr std::int64_t kNumbers[] = {1, 2};
constexpr std::string_view kTexts[] = {"a", "é"};
constexpr std::string_view kVersions[] = {"1.2.3"};

using cel::Attribute;

const Attribute kAttributes[] = {
    Attribute::string("model", "A100"),       Attribute::integer("index", 3),
    Attribute::boolean("ready", true),        Attribute::version("version", "1.2.3-rc.1"),
    Attribute::integer("b.example.com/n", 0), Attribute::integers("ns", kNumbers),
    Attribute::strings("ts", kTexts),         Attribute::versions("vs", kVersions),
};
const cel::Capacity kCapacity[] = {{"memory", cel::Quantity(40'000)}};
const cel::DeviceView kDevice{"a.example.com", true, kAttributes, kCapacity};

}  // namespace

void run(std::string_view input) {
  cel::SelectorCompiler compiler({}, 0);
  for (const auto environment :
       {cel::Environment::stored_expressions, cel::Environment::new_expressions}) {
    const auto selector = compiler.compile(input, environment);
    if (!selector) {
      expect(!selector.error().empty(), "a reason");
      continue;
    }
    cel::EvaluationCost first, second;
    const auto match = (*selector)->matches(kDevice, &first);
    const auto again = (*selector)->matches(kDevice, &second);
    expect(match == again && first.actual == second.actual, "the same twice");
    if (!match) expect(!match.error().empty(), "a reason");
  }
}

}  // namespace dcm::fuzz
