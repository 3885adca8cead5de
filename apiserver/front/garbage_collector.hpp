// Deletes dependents in the in-memory API server, like the garbage collector of
// kube-controller-manager, for all kinds. It runs inside the server and sees each change
// immediately, so it needs no watches, look-ups or allowance for stale caches.
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

// Like kube-controller-manager, deletes objects none of whose owners exist; `propagationPolicy`
// Orphan first removes the owner from its dependents, Foreground first deletes them and waits for
// those with blockOwnerDeletion. Loop thread only.
class GarbageCollector {
 public:
  // Both must outlive it. Looks at existing objects, and at each later change.
  GarbageCollector(Server& server, runtime::TimeSource& time);
  ~GarbageCollector();
  GarbageCollector(const GarbageCollector&) = delete;
  GarbageCollector& operator=(const GarbageCollector&) = delete;

  // Ends only by cancellation.
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
  // Whether it has an owner that stays, or that is deleted only after this one.
  bool has_lasting_owner(const Object& object) const;
  bool has_owner(const Object& object) const;

  Server& server_;
  Direct api_;
  std::unordered_map<Uid, Object> objects_;  // every object
  std::unordered_map<Uid, std::set<Uid>> dependents_;
  std::deque<Uid> queue_;
  std::set<Uid> queued_;
  runtime::Condition news_;
};

}  // namespace dcm::apiserver
