// Counts the changes of pods and claims of one namespace, as a watch shows them: for the demo's
// table, and for its verdict.
//
// The ledger uses only the API, not the controllers' own reports.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "client/api/decoder.hpp"
#include "playground/objects/objects.hpp"

namespace dcm::playground {

struct Tally {
  // Now.
  std::size_t pods_pending = 0;
  std::size_t pods_running = 0;
  std::size_t claims = 0;            // all
  std::size_t claims_generated = 0;  // of these, the claims generated for pods
  std::size_t claims_allocated = 0;
  std::size_t reservations = 0;
  std::size_t devices_in_use = 0;
  // So far.
  std::size_t pods_seen = 0;
  std::size_t pods_finished = 0;
  std::size_t pods_deleted = 0;
  std::size_t pod_claims = 0;  // entries of pods that name a template
  std::size_t claims_made = 0;
  std::size_t names_written = 0;
  std::size_t reserved = 0;
  std::size_t released = 0;
  std::size_t deallocated = 0;
  std::size_t claims_deleted = 0;

  friend bool operator==(const Tally&, const Tally&) = default;
};

class Ledger {
 public:
  explicit Ledger(std::string namespace_) : namespace_(std::move(namespace_)) {}

  // Record changes as passed to observers; null: no such object. Other namespaces are ignored.
  void observe_pod(const api::ObjectPtr<Pod>& before, const api::ObjectPtr<Pod>& after);
  void observe_claim(const api::ObjectPtr<Claim>& before, const api::ObjectPtr<Claim>& after);

  const Tally& tally() const { return tally_; }
  // Whether all pods have ended, no generated claim is left, and no device is in use.
  bool is_over() const;
  // All mistakes so far, one line each; empty: none.
  std::vector<std::string> mistakes() const;

 private:
  using PodClaimKey = std::pair<api::Uid, api::InternedString>;

  void count_claim(const Claim& claim, int change);
  void see_made(const Claim& claim);

  std::string namespace_;
  Tally tally_;
  std::unordered_set<api::Uid> finished_;  // pods that still exist
  std::map<PodClaimKey, std::size_t> made_;
  std::unordered_map<api::DeviceId, std::size_t> users_;
  std::vector<std::string> mistakes_;
};

}  // namespace dcm::playground
