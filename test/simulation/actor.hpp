// An actor of the simulation, and the context shared by all actors except the manager.
//
// Actors write directly into the server, each under its own name; operations of several writes
// (binding a pod) take time in between, so that others may interfere. Their actions are drawn from
// the seed.
#pragma once

#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include "apiserver/front/direct.hpp"
#include "runtime/loop.hpp"
#include "runtime/rng.hpp"
#include "test/simulation/cluster.hpp"
#include "test/simulation/timeline.hpp"

namespace dcm::simulation {

// The common part of all actors. All references must outlive it.
struct ActorContext {
  runtime::VirtualLoop& loop;
  apiserver::Server& server;
  const Cluster& cluster;
  Timeline& timeline;
  runtime::Duration until;  // when all actors stop

  // Sends a request in the name of `who`; a PATCH is a merge patch unless `type` says otherwise.
  // Errors are expected: they are only recorded. Most callers ignore the answer.
  apiserver::Response send(const std::string& who, std::string_view method,
                           const std::string& target, std::string body,
                           std::string_view type = apiserver::kMerge) const;
  // Whether the actors have stopped: afterwards only kubelets and the garbage collector continue.
  bool is_over() const { return loop.time().now().time_since_epoch() >= until; }
};

// Where objects are: "/api/v1/namespaces/lab/pods".
std::string pods_in(const std::string& ns);
std::string claims_in(const std::string& ns);
std::string templates_in(const std::string& ns);
std::string groups_in(const std::string& ns);
inline const std::string kNamespaces = "/api/v1/namespaces";
inline const std::string kSlices = "/apis/resource.k8s.io/v1/resourceslices";
inline const std::string kRules = "/apis/resource.k8s.io/v1/devicetaintrules";
inline constexpr const char* kDriver = "gpu.example.com";

// "metadata":{"name":"…"}
std::string meta(const std::string& name);
// A merge patch that sets an irrelevant label.
std::string edit(std::uint64_t number);
// The body of a DELETE of only the object with that UID, extended by `more`.
std::string delete_only(const std::string& uid, std::string_view more = "");

// Sets the holder, like an admin; empty: nobody holds it. Does nothing if there is no lease.
void put_into_lease(apiserver::Server& server, std::string_view holder);

// Empty: nobody, or there is no lease.
std::string lease_holder(const apiserver::Server& server);

// An actor: its random draws do not depend on the others'.
class Actor {
 protected:
  Actor(ActorContext context, runtime::Rng rng) : context_(context), rng_(rng) {}
  ~Actor() = default;

  runtime::Task<> pause(double seconds_at_most);
  bool chance(double share) { return rng_.unit() < share; }
  // Null if there is none.
  template <class T>
  const T* any_of(const std::map<std::string, T>& all) {
    if (all.empty()) return nullptr;
    auto found = all.begin();
    std::advance(found, rng_.below(all.size()));
    return &found->second;
  }

  ActorContext context_;
  runtime::Rng rng_;
};

}  // namespace dcm::simulation
