// What managers say in Events: not too often, and what was done at least once.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "apiserver/store/store.hpp"
#include "runtime/time.hpp"
#include "test/simulation/breach.hpp"

namespace dcm::simulation {

struct Report {
  std::string process;  // its first writer
  std::string uid;      // of the object that it is about
  std::string reason, message;
  std::int64_t count = 0;
};

class Reports {
 public:
  // `time` must outlive it.
  explicit Reports(const runtime::TimeSource& time) : time_(time) {}

  // A process has written an Event. Returns a breach if it says too much about one object.
  std::optional<Breach> observe(const std::string& process, const apiserver::Change& change);
  // A manager has deleted a pod.
  void observe_eviction(const std::string& pod_uid) { evicted_.push_back(pod_uid); }

  // Whether managers have said something about the object for that reason.
  bool are_there(const std::string& uid, std::string_view reason) const;
  // What is wrong at the end of a world in which each process lives as long as the world.
  std::optional<Breach> breach_at_end() const;

 private:
  using Topic = std::tuple<std::string, std::string, std::string>;  // process, UID, reason
  struct Total {
    std::int64_t count = 0;
    runtime::MonoTime since;
  };

  std::int64_t count(const std::string& uid, std::string_view message) const;

  const runtime::TimeSource& time_;
  std::map<std::string, Report> reports_;  // by the key of their Event
  std::map<Topic, Total> totals_;
  std::vector<std::string> evicted_;
};

}  // namespace dcm::simulation
