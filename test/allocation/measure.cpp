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

// A figure is the mean of as many calls as fit into this time.
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

std::vector<allocation::Node> nodes_of(const boost::json::object& measure) {
  const auto* count = measure.if_contains("nodes");
  std::vector<allocation::Node> nodes(count == nullptr ? 1 : count->to_number<std::size_t>());
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].name = fmt::format("node-{}", i);
  return nodes;
}

// The allocator exists already; like the scheduler, the test asks it about one node after the
// other.
boost::json::object measure_nodes(const boost::json::object& request) {
  const auto& measure = request.at("measure").as_object();
  const World world(request);
  cel::SelectorCompiler compiler(world.selector_features());
  allocation::Allocator allocator = world.allocator(compiler);
  const auto nodes = nodes_of(measure);
  double first = 0;
  std::size_t fits = 0;
  std::string error;
  const double all = mean(measure.contains("once"), [&] {
    const auto begin = Clock::now();
    fits = 0;
    for (const allocation::Node& node : nodes) {
      const allocation::Allocation found = allocator.allocate(node);
      if (found.error) error = found.error->text;
      if (found.fits && ++fits == 1) first = Nanoseconds(Clock::now() - begin).count();
    }
  });
  const std::string outcome = fmt::format("fits on {} of {} nodes", fits, nodes.size());
  return {{"nanoseconds", all},
          {"firstNanoseconds", first},
          {"outcome", error.empty() ? outcome : error}};
}

}  // namespace

boost::json::object answer_measure(const boost::json::object& request) {
  if (request.at("measure").at("what").as_string() == "memory")
    return {{"figures", measure_memory(request)}};
  const bool is_selector = request.at("kind").as_string() == "selector";
  return {{"figures", is_selector ? measure_selector(request) : measure_nodes(request)}};
}

}  // namespace dcm::allocation_judge
