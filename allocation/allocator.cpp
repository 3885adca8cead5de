#include "allocation/allocator.hpp"

#include <algorithm>

#include "allocation/candidates.hpp"
#include "allocation/prune.hpp"
#include "allocation/result.hpp"
#include "allocation/search.hpp"

namespace dcm::allocation {
namespace {

Allocation error(AllocationError what, std::uint64_t steps = 0) {
  return {.error = std::move(what), .steps = steps};
}

Allocation no_fit(const Candidates& candidates, std::uint64_t steps) {
  const bool has_invalid_pool = std::ranges::any_of(
      candidates.pools(), [](const Pool& pool) { return pool.state == Pool::State::invalid; });
  if (!has_invalid_pool) return {.steps = steps};
  return error({"invalid resource pools were encountered", true}, steps);
}

}  // namespace

Allocator::Allocator(Cluster cluster, std::span<const ClaimView> claims,
                     const FindClass& find_class, cel::SelectorCompiler& compiler)
    : cluster_(cluster), claims_(claims, find_class, cluster_.features, compiler) {}

Allocation Allocator::allocate(const Node& node, const Options& options) {
  auto pools = gather_pools(cluster_.slices, node, cluster_.features);
  if (!pools) return error({"gather pool information: " + pools.error()});
  Candidates candidates(*this, node, std::move(*pools));
  Search search(*this, candidates, options);
  if (!search.prepare()) return error(*search.error());
  const Search::Status outcome = search_pruned(search, candidates, *this, options);
  if (outcome == Search::Status::error) return error(*search.error(), search.steps());
  if (outcome != Search::Status::found) return no_fit(candidates, search.steps());
  Allocation result{.fits = true, .steps = search.steps()};
  for (std::size_t i = 0; i < claims_.claims().size(); ++i) {
    auto allocation = make_result(search, candidates, claims_.claims()[i], i, options.new_share_id);
    if (!allocation) return error({std::move(allocation.error())}, search.steps());
    result.results.push_back(std::move(*allocation));
  }
  return result;
}

}  // namespace dcm::allocation
