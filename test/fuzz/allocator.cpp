// Input for the allocator: classes, slices, claims, a node and devices in use, as JSON. Answers are
// deterministic, end within the step limit, contain no device twice and none in use, and a placed
// claim needs no explanation.
#include <set>

#include <boost/json/parse.hpp>

#include "allocation/explain.hpp"
#include "test/allocation/world.hpp"
#include "test/fuzz/fuzz.hpp"

namespace dcm::fuzz {
namespace {

using allocation::Allocation;

constexpr std::uint64_t kStepsMax = 5'000;

std::string text_of(const Allocation& found) {
  if (found.error) return found.error->text;
  std::string text;
  for (const auto& result : found.results) {
    for (const auto& device : result.devices) text += device.request + ":" + device.id.str() + " ";
  }
  return text;
}

void expect_no_device_twice(const Allocation& found) {
  std::set<std::string> taken;
  for (const auto& result : found.results) {
    expect(result.devices.size() <= allocation::kResultsMax, "within the limit of a claim");
    for (const auto& device : result.devices) {
      if (device.has_admin_access || !device.share_id.empty()) continue;
      expect(taken.insert(device.id.str()).second, "each device once", device.id.str());
    }
  }
}

void allocate(const allocation_judge::World& world) {
  cel::SelectorCompiler compiler(world.selector_features(), 0);
  auto allocator = world.allocator(compiler);
  const allocation::Options options{.steps_max = kStepsMax,
                                    .new_share_id = [] { return std::string("share"); }};
  const Allocation first = allocator.allocate(world.node(), options);
  const Allocation second = allocator.allocate(world.node(), options);
  expect(first.fits == second.fits && first.steps == second.steps, "the same twice");
  expect_equal(text_of(first), text_of(second), "the same devices");
  expect(first.steps <= kStepsMax + 1, "no more steps than it may take");
  if (first.fits) expect_no_device_twice(first);
  static_cast<void>(allocation::explain_node(allocator, world.node()));
}

}  // namespace

void run(std::string_view input) {
  boost::system::error_code fault;
  const auto json = boost::json::parse({input.data(), input.size()}, fault);
  if (fault || !json.is_object()) return;
  std::optional<allocation_judge::World> world;
  try {
    world.emplace(json.as_object());
  } catch (const std::exception&) {
    return;  // rejected by the API
  }
  allocate(*world);
}

}  // namespace dcm::fuzz
