// An actor of the simulation, and the context that all actors except the manager share.
//
// Actors write straight into the server, each in its own name; what takes several writes (binding a
// pod) takes time in between, so that others come first. What they do is drawn from the seed.
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
  runtime::Duration until;  // when everybody goes home

  // Sends a request in the name of `who`; a PATCH is a merge patch unless `type` says more. Errors
  // are part of life: they are noted. Most do not look at the answer.
  apiserver::Response send(const std::string& who, std::string_view method,
                           const std::string& target, std::string body,
                           std::string_view type = apiserver::kMerge) const;
  // Then only what ends by itself goes on: kubelets, the garbage collector.
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
// A merge patch that sets a label, which concerns nobody.
std::string edit(std::uint64_t number);
// The body of a DELETE of the object with that UID alone, and `more` of its members.
std::string delete_only(const std::string& uid, std::string_view more = "");

// By an admin's hand; empty: nobody holds it. Where there is no lease, nothing happens.
void put_into_lease(apiserver::Server& server, std::string_view holder);

// Empty: nobody, or there is no lease.
std::string lease_holder(const apiserver::Server& server);

// An actor: its random draws are its own, whatever the others draw.
class Actor {
 protected:
  Actor(ActorContext context, runtime::Rng rng) : context_(context), rng_(rng) {}
  ~Actor() = default;

  runtime::Task<> pause(double seconds_at_most);
  bool chance(double share) { return rng_.unit() < share; }
  // Null: there is none.
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
