// The bodies of the scheduler's writes, as JSON.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "allocation/extended_resources.hpp"
#include "playground/objects/objects.hpp"
#include "runtime/time.hpp"

namespace dcm::playground {

// Strategic merge on a claim, with the version that was read.
std::string encode_add_protection(const Claim& claim);
// JSON merge, with the version; the claim then has no finalizer.
std::string encode_remove_protection(const Claim& claim);
// Strategic merge on /status: allocation and first reservation in one write. With the version.
std::string encode_allocation(const Claim& claim, const allocation::AllocationResult& allocation,
                              const Pod& pod);
// Without the version: others reserve at the same time.
std::string encode_reservation(const Claim& claim, const Pod& pod);
// Removes the pod's reservation; the allocation stays.
std::string encode_unreserve(const Claim& claim, const Pod& pod);
// With the version: nobody may have reserved it meanwhile.
std::string encode_deallocation(const Claim& claim);

// POST: the claim for a pod's extended resources.
std::string encode_extended_claim(const Pod& pod, const allocation::ClaimSpec& spec);
// Strategic merge on the pod's /status.
std::string encode_extended_status(const Pod& pod, std::string_view claim,
                                   std::span<const allocation::RequestMapping> mappings);

// POST on /binding.
std::string encode_binding(const Pod& pod, std::string_view node);
// Strategic merge on a pod's /status: the condition PodScheduled=False.
std::string encode_unschedulable(const Pod& pod, std::string_view reason, std::string_view why,
                                 runtime::WallTime now);

}  // namespace dcm::playground
