// The search for devices on one node: exhaustive, depth first, and the first solution wins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "allocation/allocator.hpp"
#include "allocation/candidates.hpp"
#include "allocation/constraints.hpp"

namespace dcm::allocation {

// A device that is assigned to a request.
struct Taken {
  std::size_t candidate;
  PreparedAsk* ask;
  bool is_shared;             // a share of the device, not the whole of it
  bool has_counters = false;  // counters were taken for it
  Consumption consumed = {};  // for a share of a device
};

struct SearchPlace {
  std::size_t claim = 0;
  std::size_t request = 0;
};

// Follows the steps of kube-scheduler's allocator, except those that lead nowhere. So it finds the
// same devices and fails in the same cases.
class Search {
 public:
  // A position before a request, or after the last one of a claim.
  using At = SearchPlace;
  enum class Status : std::uint8_t {
    found,
    failed,
    over_limit,  // the claim would get too many devices: only other subrequests can help
    error,
  };

  // `candidates` must be fresh: nothing is taken.
  Search(Allocator& allocator, Candidates& candidates, const Options& options);

  // Computes what each request needs. Returns false on error.
  bool prepare();
  // Searches from one position to the end, or to another position. After any result but `found`,
  // nothing is taken.
  Status run(At from = {}, std::optional<At> end = {});

  // Gives back what `found` took and clears the error; the next run may take that many steps.
  void restart(std::uint64_t steps_max);
  // Skips devices that are equivalent to one that has failed. `classes`: equal numbers for
  // equivalent devices.
  void skip_equals(std::vector<std::uint32_t> classes) { classes_ = std::move(classes); }

  // The devices of one claim, after `found`.
  const std::vector<Taken>& taken(std::size_t claim) const { return taken_[claim]; }
  const PreparedAsk& chosen(std::size_t claim, std::size_t request) const;

  const std::optional<AllocationError>& error() const { return error_; }
  bool is_out_of_steps() const { return is_out_of_steps_; }
  std::uint64_t steps() const { return steps_; }
  std::int64_t count_of(const PreparedAsk& ask) const { return counts_[ask.index]; }
  const std::vector<std::size_t>& all_of(const PreparedAsk& ask) const { return all_[ask.index]; }

 private:
  struct RequestContext;
  struct Place {
    std::size_t claim = 0;
    std::size_t request = 0;
    PreparedAsk* ask = nullptr;  // null: the alternatives of the request are still to be tried
    std::int64_t device = 0;     // how many devices the ask has already
    std::size_t from = 0;        // the first candidate to try
    RequestContext* context = nullptr;
  };
  enum class Take : std::uint8_t { taken, refused, error };

  bool prepare_claim(PreparedClaim& claim);
  bool prepare_ask(const PreparedClaim& claim, PreparedAsk& ask);
  bool collect_all(const PreparedClaim& claim, PreparedAsk& ask);

  Status next(Place place);
  Status visit(Place place);
  Status next_claim(Place place);
  Status try_asks(Place place);
  Status take_all(Place place);
  Status take_one(Place place);
  Status go_on_with(Place place, std::size_t candidate);
  bool is_hopeless(Place place, std::size_t from);
  bool may_be_taken(Place place, std::size_t candidate);

  bool is_in_use(const Place& place, std::size_t candidate) const;
  bool is_taken_by_claim(const Place& place, std::size_t candidate) const;
  // `consumed` is nullopt until it is computed, as for devices of a request for all devices.
  Take take(const Place& place, std::size_t candidate, std::optional<Consumption> consumed);
  Take add_constraints(const Place& place, std::size_t candidate);
  void remove_constraints(const Place& place, std::size_t count);
  void give_back(const Place& place);

  bool fail(std::string text);
  bool interrupt(std::string text);
  bool is_over();

  Candidates& candidates_;
  const Options& options_;
  std::vector<PreparedClaim>& claims_;
  std::vector<std::int64_t> counts_;           // by ask
  std::vector<std::vector<std::size_t>> all_;  // by ask: the devices of a request for all devices
  std::vector<std::vector<ConstraintState>> constraints_;  // by claim
  std::vector<std::vector<Taken>> taken_;                  // by claim
  std::vector<std::vector<std::size_t>> chosen_;           // by claim and request: the chosen ask
  std::vector<std::uint32_t> classes_;
  At end_;
  std::optional<AllocationError> error_;
  std::uint64_t steps_ = 0;
  std::uint64_t steps_max_;
  bool is_out_of_steps_ = false;
  // next() calls itself once for a device, and twice for a request; more could overflow the stack.
  static constexpr std::size_t kDepthMax = 3'000;
  std::size_t depth_ = 0;
};

}  // namespace dcm::allocation
