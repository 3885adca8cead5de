// Decides the work for a pod from the book alone: which entries change, which drivers are called
// for which claims, and what an answer means.
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

// A claim as passed to a driver.
struct ClaimRef {
  std::string namespace_;
  std::string name;
  std::string uid;

  api::NamespacedName key() const { return {namespace_, name}; }
  friend bool operator==(const ClaimRef&, const ClaimRef&) = default;
};
using Calls = std::map<std::string, std::vector<ClaimRef>>;  // by driver

struct PreparePlan {
  std::vector<Held> entries;  // as they must be on disk before the first call
  Calls calls;
  std::vector<std::string> skipped = {};  // the driver's name for each skipped call

  friend bool operator==(const PreparePlan&, const PreparePlan&) = default;
};

api::NamespacedName key_of(const ClaimView& view);

// `views` are the claims that the pod needs.
std::expected<PreparePlan, std::string> decide_prepare(const Book& book, const std::string& pod_uid,
                                                       const std::vector<ClaimView>& views);

// The entries that conflict with these claims: entries for another claim of the same name, for an
// allocation that the claim no longer has, or for a claim that still holds a device that is now
// allocated to one of these (the pod of the former was force-deleted).
std::set<api::NamespacedName> entries_in_the_way(const Book& book,
                                                 const std::vector<ClaimView>& views);
// Why these claims cannot be prepared yet: a device of theirs is in the book for another claim.
// Shares of a device, and devices with adminAccess, may belong to several claims.
std::optional<std::string> refuse_devices(const Book& book, const std::vector<ClaimView>& views);

// The data that an entry written by kubelet lacks, from its claim. nullopt if the claim is another
// one, or no longer has the prepared devices.
std::optional<EntryExtra> extra_from(const Entry& entry, const ClaimView& view);

struct UnpreparePlan {
  std::vector<api::NamespacedName> shared;  // other pods remain: this one is removed
  std::vector<api::NamespacedName> last;    // no other pod: to be unprepared and forgotten
  Calls calls;                              // excluding drivers that have answered already
  std::vector<std::string> skipped = {};    // as in PreparePlan

  friend bool operator==(const UnpreparePlan&, const UnpreparePlan&) = default;
};

// `keys` are claims that the pod may have; entries that name only other pods are left alone. An
// entry without a pod is dropped.
UnpreparePlan decide_unprepare(const Book& book, const std::string& pod_uid,
                               const std::set<api::NamespacedName>& keys);

// A driver's answer for one claim. The answer to an unprepare has no devices.
struct ClaimAnswer {
  std::string error = {};  // empty: success
  std::vector<PreparedDevice> devices = {};
};
using Answers = std::map<std::string, ClaimAnswer>;  // by claim UID

struct Verdict {
  std::vector<ClaimRef> succeeded;
  std::optional<std::string> error;  // in kubelet's words; nullopt: all succeeded
};

// `method`: "NodePrepareResources" or "NodeUnprepareResources".
Verdict judge_answers(std::string_view method, const std::vector<ClaimRef>& asked,
                      const Answers& answers);

// Devices of an answer that were not allocated to the claim and driver, to be reported.
std::vector<std::string> unallocated_devices(const Entry& entry, const std::string& driver,
                                             const std::vector<PreparedDevice>& devices);

}  // namespace dcm::node
