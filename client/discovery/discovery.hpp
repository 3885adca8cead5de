// Which version of each kind the API server serves (Kubernetes API discovery).
//
// Groups are queried one by one, not through the aggregated document: we know few kinds, and
// another product's broken extension API server must not matter to us.
#pragma once

#include <set>
#include <string>
#include <variant>
#include <vector>

#include "client/api/resource.hpp"
#include "client/request/rest_client.hpp"
#include "runtime/problem.hpp"

namespace dcm::client {

// Kinds that are used in the same version, because their objects refer to each other.
using KindSet = std::vector<const api::ResourceKind*>;

// The server could not be asked.
struct Unknown {
  runtime::Error error;
};
// The server answered, and serves no version that we know; `why` is a line for operators.
struct NotServed {
  std::string why;
};
// The best version of a set for which the server serves all kinds.
struct Served {
  std::string version;
  bool has_status = false;  // all kinds of the set have the subresource "status"
  friend bool operator==(const Served&, const Served&) = default;
};
using Availability = std::variant<Unknown, NotServed, Served>;

// What is served, or why nothing is: the error of an unknown answer, or `not_served`.
runtime::Result<Served> served_of(const Availability& availability);

// Why nothing is served, which must be so.
runtime::Problem why_not(const Availability& availability);

// Core kinds have only ever had v1.
inline const Served kCoreV1{"v1"};

// How long to wait after this answer before asking again. An unreachable server may just be
// starting, and a credential may soon be repaired; an API that is not served needs an operator.
runtime::Duration ask_again_after(const Availability& availability);

class Discovery {
 public:
  // `rest` must outlive it.
  explicit Discovery(RestClient& rest) : rest_(rest) {}

  // Asks exactly once, so that errors show at once. Call it at the start, later while something is
  // missing (ask_again_after), and when a whole resource turns out to be gone (not_served).
  // Remembers nothing. All kinds of a set are of one group.
  runtime::Task<Availability> find(KindSet kinds, runtime::Deadline deadline);

 private:
  using Names = std::set<std::string>;

  runtime::Task<runtime::Result<std::vector<std::string>>> served_versions(
      std::string group, runtime::Deadline deadline);
  runtime::Task<runtime::Result<Names>> served_names(std::string group, std::string version,
                                                     runtime::Deadline deadline);

  RestClient& rest_;
};

// The kinds of a set with their paths in the discovered version.
api::Resource resource_of(const api::ResourceKind& kind, const Served& served);

}  // namespace dcm::client
