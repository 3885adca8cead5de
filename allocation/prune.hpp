// Searches that explode: devices that are alike, and requests that nothing can satisfy.
#pragma once

#include "allocation/search.hpp"

namespace dcm::allocation {

// Runs the search. One that takes long is begun again with what is known by then: only if no error
// can come from any device, so that nothing but the first solution matters.
Search::Outcome search_pruned(Search& search, Candidates& candidates, Allocator& allocator,
                              const Options& options);

}  // namespace dcm::allocation
