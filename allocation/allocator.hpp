// The structured allocator of dynamic resource allocation (KEP-4381): which devices the claims of a
// pod get on a node. Chooses the same devices as kube-scheduler 1.37. README.md shows how to call
// it. Pure: it writes nothing, and equal input gives equal output.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "allocation/claim.hpp"
#include "allocation/features.hpp"
#include "allocation/prepared.hpp"
#include "allocation/slice_index.hpp"
#include "allocation/taints.hpp"
#include "allocation/usage.hpp"

namespace dcm::allocation {

// Input that does not depend on the pod; must outlive the allocator.
struct Cluster {
  const SliceIndex& slices;
  const Usage& usage;
  std::span<const TaintRule> rules = {};
  Features features = {};
};

struct Options {
  // After this many steps the search gives up, and says so: devices, requests and claims tried. It
  // takes no more steps than kube-scheduler's search.
  std::uint64_t steps_max = 2'000'000;
  // Called at each step and before a device's selectors are evaluated, and true for good once it is
  // true; empty: never stop.
  std::function<bool()> is_time_up = {};
  // Returns a new UUID for each share of a device. If empty, all shares get the same one, which is
  // enough to ask whether there is a fit.
  std::function<std::string()> new_share_id = {};

  bool is_over() const { return is_time_up && is_time_up(); }
};

struct AllocationError {
  std::string text;
  bool is_only_this_node = false;  // else the pod cannot be scheduled at all
  bool is_interrupted = false;     // not decided: a limit was reached
};

struct Allocation {
  bool fits = false;
  std::vector<AllocationResult> results = {};  // one for each claim, in order, if it fits
  std::optional<AllocationError> error = {};
  std::uint64_t steps = 0;  // of the search that decided the result
};

class Allocator {
 public:
  // What `claims` refers to, and `compiler`, must outlive it.
  Allocator(Cluster cluster, std::span<const ClaimView> claims, const FindClass& find_class,
            cel::SelectorCompiler& compiler);

  Allocation allocate(const Node& node, const Options& options = {});

  const Cluster& cluster() const { return cluster_; }
  PreparedClaims& claims() { return claims_; }

 private:
  Cluster cluster_;
  PreparedClaims claims_;
};

}  // namespace dcm::allocation
