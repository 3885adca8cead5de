#include <chrono>
#include <stdexcept>

#include <fmt/format.h>
#include <malloc.h>

#include "test/allocation/kinds.hpp"
#include "test/allocation/world.hpp"

namespace dcm::allocation_judge {
namespace {

using Clock = std::chrono::steady_clock;
using Nanoseconds = std::chrono::duration<double, std::nano>;

// A figure is the mean of as many questions as fit into this time.
constexpr Clock::duration kMeasured = std::chrono::milliseconds(300);

template <class Question>
double mean(bool once, Question&& question) {
  const auto begin = Clock::now();
  std::uint64_t count = 0;
  do {
    question();
    ++count;
  } while (!once && Clock::now() - begin < kMeasured);
  return Nanoseconds(Clock::now() - begin).count() / static_cast<double>(count);
}

std::size_t bytes_in_use() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

boost::json::object measure_memory(const boost::json::object& request) {
  const std::size_t before = bytes_in_use();
  const auto slices = slices_of(request);
  return {{"bytes", bytes_in_use() - before}};
}

boost::json::object measure_selector(const boost::json::object& request) {
  const auto selector = selector_of(request).value();
  const DeviceJson device = device_of(request);
  return {{"nanoseconds", mean(false, [&] {
             if (!selector->matches(device.view()).value())
               throw std::runtime_error("the selector must match");
           })}};
}

std::vector<allocation::Node> nodes_of(const World& world, const boost::json::object& measure) {
  std::vector<allocation::Node> nodes;
  const auto* count = measure.if_contains("nodes");
  if (count == nullptr) return {world.node()};
  for (std::int64_t i = 0; i < count->to_number<std::int64_t>(); ++i) {
    nodes.emplace_back().name = fmt::format("node-{}", i);
  }
  return nodes;
}

// The allocator is there already; as the scheduler does, it is asked about one node after the
// other.
boost::json::object measure_nodes(const boost::json::object& request) {
  const auto& measure = request.at("measure").as_object();
  const World world(request);
  cel::SelectorCompiler compiler(world.selector_features());
  allocation::Allocator allocator = world.allocator(compiler);
  const auto nodes = nodes_of(world, measure);
  double first = 0;
  const double all = mean(measure.contains("once"), [&] {
    const auto begin = Clock::now();
    bool is_found = false;
    for (const allocation::Node& node : nodes) {
      if (!allocator.allocate(node).fits || is_found) continue;
      first = Nanoseconds(Clock::now() - begin).count();
      is_found = true;
    }
  });
  return {{"nanoseconds", all}, {"firstNanoseconds", first}};
}

}  // namespace

boost::json::object answer_measure(const boost::json::object& request) {
  if (request.at("measure").at("what").as_string() == "memory")
    return {{"figures", measure_memory(request)}};
  const bool is_selector = request.at("kind").as_string() == "selector";
  return {{"figures", is_selector ? measure_selector(request) : measure_nodes(request)}};
}

}  // namespace dcm::allocation_judge
