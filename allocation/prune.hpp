// Shortens searches: skips equivalent devices, and detects requests that cannot be satisfied.
#pragma once

#include "allocation/search.hpp"

namespace dcm::allocation {

// Runs the search. A long search is restarted with what has been learned by then, provided that no
// device can cause an error: then only the first solution matters.
Search::Status search_pruned(Search& search, Candidates& candidates, Allocator& allocator,
                             const Options& options);

}  // namespace dcm::allocation
