// Decides the work for a pod from the book alone: which entries change, which driver is called for
// which claims, and what an answer means.
#pragma once

#include <expected>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "node/claims/allocation.hpp"
#include "node/claims/book.hpp"

namespace dcm::node {

// A claim as a driver is told about it.
struct ClaimRef {
  std::string namespace_;
  std::string name;
  std::string uid;

  friend bool operator==(const ClaimRef&, const ClaimRef&) = default;
};
using Calls = std::map<std::string, std::vector<ClaimRef>>;  // by driver

struct PreparePlan {
  std::vector<Held> entries;  // as they must be on disk before the first call
  Calls calls;
  std::vector<std::string> skipped = {};  // a driver for each claim that it is not called for

  friend bool operator==(const PreparePlan&, const PreparePlan&) = default;
};

ClaimKey key_of(const ClaimView& view);

// `views` are the claims that the pod was found to need.
std::expected<PreparePlan, std::string> decide_prepare(const Book& book, const std::string& pod_uid,
                                                       const std::vector<ClaimView>& views);

// The entries that stand in the way of these claims: of another claim under the same name, of an
// allocation that the claim no longer has, or of a claim that still holds a device that was
// allocated to one of these since (its pod was deleted by force).
std::set<ClaimKey> entries_in_the_way(const Book& book, const std::vector<ClaimView>& views);
// Why these claims cannot be prepared yet: a device of theirs is in the book for another claim.
// Shares of a device, and devices with adminAccess, are for several claims.
std::optional<std::string> refuse_devices(const Book& book, const std::vector<ClaimView>& views);

struct UnpreparePlan {
  std::vector<ClaimKey> shared;           // other pods go on: this one is taken out
  std::vector<ClaimKey> last;             // no other pod: to be unprepared and forgotten
  Calls calls;                            // without drivers that have answered already
  std::vector<std::string> skipped = {};  // as in PreparePlan

  friend bool operator==(const UnpreparePlan&, const UnpreparePlan&) = default;
};

// `keys` are claims that the pod may have; entries that name only other pods are left alone. An
// entry without a pod is dropped.
UnpreparePlan decide_unprepare(const Book& book, const std::string& pod_uid,
                               const std::set<ClaimKey>& keys);

// A driver's answer for one claim. An unprepare has no devices.
struct ClaimAnswer {
  std::string error = {};  // empty: success
  std::vector<PreparedDevice> devices = {};
};
using Answers = std::map<std::string, ClaimAnswer>;  // by claim UID

struct Verdict {
  std::vector<ClaimRef> succeeded;
  std::optional<std::string> error;  // in kubelet's words; nothing: all succeeded
};

// `method`: "NodePrepareResources" or "NodeUnprepareResources".
Verdict judge_answers(std::string_view method, const std::vector<ClaimRef>& asked,
                      const Answers& answers);

// Devices of an answer that were not allocated to the claim and driver, for a report.
std::vector<std::string> unallocated_devices(const Entry& entry, const std::string& driver,
                                             const std::vector<PreparedDevice>& devices);

}  // namespace dcm::node
