// The allocation of a claim, built from the devices that the search has found.
#pragma once

#include <expected>
#include <functional>
#include <string>

#include "allocation/search.hpp"

namespace dcm::allocation {

// An error is fatal.
std::expected<AllocationResult, std::string> make_result(
    const Search& search, Candidates& candidates, const PreparedClaim& claim,
    std::size_t claim_index, const std::function<std::string()>& new_share_id);

}  // namespace dcm::allocation
