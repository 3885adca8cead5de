#include <boost/json/array.hpp>
#include <boost/json/value_to.hpp>

#include "allocation/json/encode.hpp"
#include "test/allocation/kinds.hpp"
#include "test/allocation/world.hpp"

namespace dcm::allocation_judge {
namespace {

using allocation::Options;

Options options_of(const boost::json::object& request) {
  Options options{.steps_max = 20'000'000};  // instead of a time limit
  options.new_share_id = [] { return std::string("00000000-0000-4000-8000-000000000000"); };
  const auto* limit = request.if_contains("timeoutMs");
  if (limit != nullptr && limit->to_number<std::int64_t>() == 0)
    options.is_time_up = [] { return true; };
  return options;
}

}  // namespace

boost::json::object answer_allocate(const boost::json::object& request) {
  const World world(request);
  cel::SelectorCompiler compiler(world.selector_features());
  allocation::Allocator allocator = world.allocator(compiler);
  const allocation::Allocation found = allocator.allocate(world.node(), options_of(request));
  boost::json::object answer{{"steps", found.steps}};
  if (found.error) {
    answer["error"] = found.error->text;
    answer["onlyThisNode"] = found.error->is_only_this_node;
    answer["interrupted"] = found.error->is_interrupted;
  }
  if (!found.fits) return answer;
  boost::json::array results;
  for (const auto& result : found.results) results.push_back(to_json(result));
  answer["results"] = std::move(results);
  return answer;
}

}  // namespace dcm::allocation_judge
