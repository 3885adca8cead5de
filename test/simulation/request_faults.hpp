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

// And where pod groups are used.
inline constexpr const char* kGroups = "podgroups";

inline constexpr runtime::Duration kLagMax = std::chrono::minutes(1);

// Shares are of requests, from 0 to 1.
struct RequestFaults {
  runtime::Duration latency_max = std::chrono::milliseconds(20);  // each way, drawn per message
  // Come to the server late, by seconds or minutes, when their client has long been gone.
  double delayed = 0;
  runtime::Duration delay_max = std::chrono::minutes(5);
  double doubled = 0;      // come twice, the second time as late
  double lost_before = 0;  // the connection breaks before the server reads the request
  double lost_after = 0;   // it is carried out, and the connection breaks before the answer
  double cut = 0;          // the connection breaks in the middle of the answer
  double disowned = 0;     // are carried out, and a proxy answers 503
  double refused = 0;      // get `refusal` as an answer
  int refusal = 503;
  std::string stalled_watches;  // of this resource ("*": all) bring nothing
  bool loses_bookmarks = false;
  // Watches of these resources are answered by a cache that is so far behind, at most kLagMax: each
  // resource has its own. Lists and single reads are consistent, as Kubernetes promises.
  std::map<std::string, runtime::Duration> lags;
  std::size_t page_max = 0;          // a list's page has no more objects; 0: as many as asked for
  std::vector<Forbidden> forbidden;  // of what managers ask
  // A role, quota or webhook (403), a ValidatingAdmissionPolicy (422), or a webhook that fails
  // (500).
  int forbidden_by = 403;
  // A budget lets one pod go in so much time, and answers other evictions with a 429; 0: there is
  // none.
  runtime::Duration budget_every{};
  // Managers may not read this resource ("*": any watched one).
  std::string forbidden_kind;
  std::string slow_lists;  // of this resource ("*": all) wait for the end of the fault
  // All writes of managers in this namespace are refused so; empty: in none.
  std::string troubled_namespace;
  int troubled_by = 0;
  double conflicting = 0;  // of managers' writes: somebody else writes right before
};

// Whether such a choice of resources has this one.
inline bool is_one_of(std::string_view choice, std::string_view resource) {
  if (choice != "*") return !choice.empty() && choice == resource;
  return resource == kGroups || std::ranges::find(kWatched, resource) != kWatched.end();
}

}  // namespace dcm::simulation
