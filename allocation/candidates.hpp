// The devices that a node reaches, in the order in which they are tried, and properties of each
// that do not depend on the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allocation/allocator.hpp"
#include "allocation/capacity.hpp"
#include "allocation/counters.hpp"
#include "allocation/pools.hpp"

namespace dcm::allocation {

struct Candidate {
  const Slice* slice;
  const Device* device;
  std::size_t pool;
  bool is_allocated;  // allocated as a whole by another claim
  // Taken by this search:
  std::uint32_t taken = 0;    // number of requests that took it as a whole
  std::uint32_t shares = 0;   // taken from a shared device
  Consumption consumed = {};  // requested by these shares; empty if there are none
};

class Candidates {
 public:
  // `pools` are those of the node.
  Candidates(Allocator& allocator, const Node& node, std::vector<Pool> pools);

  std::vector<Candidate>& all() { return all_; }
  const std::vector<Pool>& pools() const { return pools_; }
  const Node& node() const { return node_; }
  const Features& features() const { return allocator_.cluster().features; }
  bool is_shared(const Device& device) const {
    return features().consumable_capacity && device.allow_multiple;
  }

  // Whether class, request and the device's own node selection accept it. Cached. An error is
  // fatal.
  std::expected<bool, std::string> is_selected(const PreparedClaim& claim, PreparedAsk& ask,
                                               std::size_t candidate);
  // Whether the result is cached already.
  bool is_known(const PreparedAsk& ask, std::size_t candidate) const {
    return matched_[ask.index * all_.size() + candidate] != Match::unknown;
  }

  // The capacities that a request consumes, if enough is left. An error is fatal. nullopt if too
  // little is left.
  std::expected<std::optional<Consumption>, std::string> consumption(const PreparedClaim& claim,
                                                                     const PreparedAsk& ask,
                                                                     const Candidate& candidate,
                                                                     bool is_empty = false) const;

  // The first taint, of the device or a rule, that the request does not tolerate.
  struct TaintFound {
    const Taint* taint;
    const TaintRule* rule;  // null: of the device
  };
  std::optional<TaintFound> taint(const PreparedAsk& ask, const Candidate& candidate) const;
  // Whether the features that the device needs are enabled.
  bool is_supported(const Candidate& candidate) const;

  // Takes counters and joins compatibility groups. Returns false, and takes nothing, if that is
  // impossible. Only for devices that consume counters.
  bool take_counters(const Candidate& candidate);
  void give_back_counters(const Candidate& candidate);
  // Whether the device's counters are already taken by another share of it.
  bool has_counters(const Candidate& candidate) const;
  CounterLedger& counters(std::size_t pool);
  GroupLedger& groups(std::size_t pool);

  // The attribute for a constraint: derived by the request, or of the device. Null if there is
  // none. An error is fatal.
  std::expected<const cel::Attribute*, std::string> attribute(PreparedAsk& ask,
                                                              std::size_t candidate,
                                                              const std::string& name);

 private:
  enum class Match : std::uint8_t { unknown, no, yes };
  struct Derived {
    cel::DerivedValue value;
    std::vector<std::string_view> texts = {};
    std::unique_ptr<bool[]> flags = {};
    std::optional<cel::Attribute> attribute = {};
  };

  static void expose(Derived& derived, std::string_view name);

  Allocator& allocator_;
  const Node& node_;
  std::vector<Pool> pools_;
  std::vector<Candidate> all_;
  std::vector<Match> matched_;                          // by ask and candidate
  std::map<std::size_t, CounterLedger> counters_ = {};  // by pool
  std::map<std::size_t, GroupLedger> groups_ = {};
  std::map<std::pair<std::size_t, std::string_view>, std::unique_ptr<Derived>> derived_ = {};
};

}  // namespace dcm::allocation
