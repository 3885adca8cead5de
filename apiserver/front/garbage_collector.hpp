// Deletes dependents in the in-memory API server, like the garbage collector of
// kube-controller-manager, for all kinds. It runs inside the server and sees each change
// immediately, so it needs no watches, look-ups or allowance for stale caches.
// pkg/controller/garbagecollector/garbagecollector.go.
#pragma once

#include <deque>
#include <functional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "apiserver/front/direct.hpp"
#include "apiserver/front/server.hpp"
#include "runtime/condition.hpp"

namespace dcm::apiserver {

// Like kube-controller-manager, deletes objects none of whose owners exist; `propagationPolicy`
// Orphan first removes the owner from its dependents, Foreground first deletes them and waits for
// those with blockOwnerDeletion. Retries refused writes. Loop thread only.
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
  struct Owner {
    Uid uid;
    std::string group;
    std::string kind;
    std::string name;
    bool blocks = false;   // its deletion waits for the dependent
    bool is_gone = false;  // it was deleted, maybe with its kind
  };
  struct Object {
    std::string resource;  // as the store names it
    std::string ns;
    std::string name;
    std::vector<Owner> owners;
    JsonArray finalizers;
    bool is_deleting = false;

    bool has(std::string_view finalizer) const;
    bool waits_for_dependents() const { return is_deleting && has(kForeground); }
  };
  // What is at the other end of an owner reference.
  enum class Standing { gone, stays, waits_for_dependents, misplaced, of_unknown_kind };
  struct Retry {
    runtime::Duration wait{};
    runtime::MonoTime at;
  };
  static constexpr std::string_view kOrphan = "orphan";
  static constexpr std::string_view kForeground = "foregroundDeletion";

  void observe(std::string_view resource, const Change& change);
  void forget(const Uid& uid);
  void add(const Uid& uid);
  void add_due();
  void retry_later(const Uid& uid);
  void forget_retry(const Uid& uid);
  // All that write return false if they must be tried again.
  bool look_at(const Uid& uid);
  bool orphan_dependents(const Uid& uid);
  bool follow_owners(const Uid& uid, const Object& object);
  bool delete_in_foreground(const Uid& uid);
  bool release(const Uid& dependent, const std::set<Uid>& owners);
  bool unblock_owners(const Uid& dependent);
  bool write_owners(const Uid& dependent, const std::function<void(JsonArray&)>& change);
  bool remove(const Uid& uid, std::string_view propagation);
  bool finish(const Uid& uid, std::string_view finalizer);
  // Empty if it is gone, or no version of its kind is served: a request for it gets a 404.
  std::string path_of(const Uid& uid) const;
  std::set<Uid> dependents_of(const Uid& uid) const;
  Standing standing_of(const Owner& owner, const Object& dependent) const;
  bool is_blocked(const Uid& owner) const;

  Server& server_;
  runtime::TimeSource& time_;
  Direct api_;
  std::unordered_map<Uid, Object> objects_;  // every object
  std::unordered_map<Uid, std::set<Uid>> dependents_;
  std::deque<Uid> queue_;
  std::set<Uid> queued_;
  std::unordered_map<Uid, Retry> retries_;
  std::set<std::pair<runtime::MonoTime, Uid>> due_;  // when to retry, earliest first
  runtime::Condition news_;
};

}  // namespace dcm::apiserver
