// Deletes what was owned, in the API server in memory: the garbage collector of
// kube-controller-manager, for all kinds.
//
// The collector runs inside the server and hears of each change as it happens. So it knows all
// owners and needs no watches, no look-ups and no grace for caches that lag.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "apiserver/front/direct.hpp"
#include "apiserver/front/server.hpp"
#include "runtime/condition.hpp"

namespace dcm::apiserver {

// As kube-controller-manager does: what has owners and none of them is there any more is deleted;
// `propagationPolicy` Orphan takes the owner off its dependents first, Foreground deletes them
// first and waits for those with blockOwnerDeletion. Loop thread only.
class GarbageCollector {
 public:
  // Both must outlive it. Looks at what the server has already, and at each change from then on.
  GarbageCollector(Server& server, runtime::TimeSource& time);
  ~GarbageCollector();
  GarbageCollector(const GarbageCollector&) = delete;
  GarbageCollector& operator=(const GarbageCollector&) = delete;

  // Ends by cancellation only.
  runtime::Task<> run();

 private:
  using Uid = std::string;
  struct Object {
    std::string path;
    std::map<Uid, bool> owners;  // whether the owner's deletion waits for this one
    JsonArray finalizers;
    bool is_deleting = false;

    bool has(std::string_view finalizer) const;
    bool waits_for_dependents() const { return is_deleting && has(kForeground); }
  };
  static constexpr std::string_view kOrphan = "orphan";
  static constexpr std::string_view kForeground = "foregroundDeletion";

  void observe(std::string_view resource, const Change& change);
  void forget(const Uid& uid);
  void add(const Uid& uid);
  void look_at(const Uid& uid);
  void orphan_dependents(const Uid& uid, const Object& object);
  void delete_dependents(const Uid& uid, const Object& object);
  void release(const Uid& dependent, const Uid& owner);
  void remove(const Uid& uid, std::string_view propagation);
  void finish(const Object& object, std::string_view finalizer);
  std::set<Uid> dependents_of(const Uid& uid) const;
  // Whether it has an owner that is there to stay, or that is deleted only after it was released.
  bool has_lasting_owner(const Object& object) const;
  bool has_owner(const Object& object) const;

  Server& server_;
  Direct api_;
  std::unordered_map<Uid, Object> objects_;  // all there are
  std::unordered_map<Uid, std::set<Uid>> dependents_;
  std::deque<Uid> queue_;
  std::set<Uid> queued_;
  runtime::Condition news_;
};

}  // namespace dcm::apiserver
