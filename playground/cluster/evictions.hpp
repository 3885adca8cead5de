// Pods of a namespace evicted by taints, and when: from a watch of pods.
#pragma once

#include <map>
#include <string>

#include "client/api/decoder.hpp"
#include "playground/objects/objects.hpp"
#include "runtime/time.hpp"

namespace dcm::playground {

class Evictions {
 public:
  explicit Evictions(std::string namespace_) : namespace_(std::move(namespace_)) {}

  // Records a change as passed to observers; null: there is no such pod.
  void observe_pod(const api::ObjectPtr<Pod>& before, const api::ObjectPtr<Pod>& after,
                   runtime::WallTime now);

  // Deleted pods with the eviction condition, by name; when that was first seen.
  const std::map<std::string, runtime::WallTime>& all() const { return all_; }

 private:
  std::string namespace_;
  std::map<std::string, runtime::WallTime> all_;
};

}  // namespace dcm::playground
