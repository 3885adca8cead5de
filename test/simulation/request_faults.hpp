// The current effect of the network and the API server on requests.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/time.hpp"

namespace dcm::simulation {

// Requests that authorization or admission refuses.
struct Forbidden {
  std::string_view verb, resource, subresource;
};

// The message of that refusal.
inline constexpr std::string_view kDeniedByAdmission = "admission does not want it";

// The resources that managers watch.
inline constexpr std::array<const char*, 5> kWatched = {
    "pods", "resourceclaims", "resourceclaimtemplates", "resourceslices", "devicetaintrules"};

// Also watched in worlds with pod groups.
inline constexpr const char* kGroups = "podgroups";

inline constexpr runtime::Duration kLagMax = std::chrono::minutes(1);

// Fractions of requests, from 0 to 1.
struct RequestFaults {
  runtime::Duration latency_max = std::chrono::milliseconds(20);  // each way, drawn per message
  // Arrive at the server late, by seconds or minutes, long after their client has disconnected.
  double delayed = 0;
  runtime::Duration delay_max = std::chrono::minutes(5);
  double doubled = 0;      // arrive twice, the second time as late
  double lost_before = 0;  // the connection breaks before the server reads the request
  double lost_after = 0;   // it is executed, and the connection breaks before the answer
  double cut = 0;          // the connection breaks in the middle of the answer
  double disowned = 0;     // are executed, and a proxy answers 503
  double refused = 0;      // get `refusal` as an answer
  int refusal = 503;
  std::string stalled_watches;  // of this resource ("*": all) bring nothing
  bool loses_bookmarks = false;
  // Watches of these resources are answered by a cache that lags this far, at most kLagMax: each
  // resource has its own lag. Lists and single reads are consistent, as Kubernetes promises.
  std::map<std::string, runtime::Duration> lags;
  std::size_t page_max = 0;          // the maximum of objects in a list's page; 0: as requested
  std::vector<Forbidden> forbidden;  // of managers' requests
  // A role, quota or webhook (403), a webhook that misses an object of its own (404), a
  // ValidatingAdmissionPolicy (422), or a webhook that fails (500).
  int forbidden_by = 403;
  // A budget releases one pod per this time, and answers other evictions with a 429; 0: there is
  // none.
  runtime::Duration budget_every{};
  // Managers may not read this resource ("*": any watched one).
  std::string forbidden_kind;
  std::string slow_lists;  // of this resource ("*": all) wait for the end of the fault
  // All writes of managers in this namespace are refused like this; empty: in none.
  std::string troubled_namespace;
  int troubled_by = 0;
  runtime::Duration troubled_after{};  // as by a webhook that times out
  // A policy moves the annotation of generated claims aside when they are created.
  bool strips_annotations = false;
  double conflicting = 0;  // of managers' writes: somebody else writes right before
};

// Whether such a choice of resources includes this one.
inline bool is_one_of(std::string_view choice, std::string_view resource) {
  if (choice != "*") return !choice.empty() && choice == resource;
  return resource == kGroups || std::ranges::find(kWatched, resource) != kWatched.end();
}

}  // namespace dcm::simulation
