// Which version of each kind the API server serves (Kubernetes API discovery).
//
// Asked group by group, not through the aggregated document: we know few kinds, and another
// product's broken extension API server must not matter to us.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "client/api/resource.hpp"
#include "client/request/rest_client.hpp"

namespace dcm::client {

// Kinds that are used in one version, because their objects meet.
using KindSet = std::vector<const api::ResourceKind*>;

// The server could not be asked.
struct Unknown {
  runtime::Error error;
};
// The server answered, and there is no version that we know. Why, as one line for operators.
struct NotServed {
  std::string why;
};
// The best version of a set that the server serves with all its kinds.
struct Served {
  std::string version;
  friend bool operator==(const Served&, const Served&) = default;
};
using Availability = std::variant<Unknown, NotServed, Served>;

// How long to wait before the next question after this answer. A server that cannot be reached may
// be just starting, a credential may be about to be repaired; an API that is not served needs an
// operator.
runtime::Duration ask_again_after(const Availability& availability);

class Discovery {
 public:
  // `rest` must outlive it.
  explicit Discovery(RestClient& rest) : rest_(rest) {}

  // Asks now, and once, so that what is wrong shows at once; for the start, for later while
  // something is missing (ask_again_after), and for when a whole resource turns out not to be there
  // any more (not_served). Remembers nothing. All kinds of a set are of one group.
  runtime::Task<Availability> find(KindSet kinds, runtime::Deadline deadline);

 private:
  using Names = std::set<std::string>;

  runtime::Task<runtime::Result<std::vector<std::string>>> served_versions(
      std::string group, runtime::Deadline deadline);
  runtime::Task<runtime::Result<Names>> served_names(std::string group, std::string version,
                                                     runtime::Deadline deadline);

  RestClient& rest_;
};

// The kinds of a set as they are addressed in the version that was found.
api::Resource resource_of(const api::ResourceKind& kind, const Served& served);

}  // namespace dcm::client
