// Which pods of a namespace taints have driven out, and when: from what a watch of pods shows.
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

  // A change as observers are told of it; null: not there.
  void observe_pod(const api::ObjectPtr<Pod>& before, const api::ObjectPtr<Pod>& after,
                   runtime::WallTime now);

  // Pods that were deleted with the condition that tells so, by name; when that was seen first.
  const std::map<std::string, runtime::WallTime>& all() const { return all_; }

 private:
  std::string namespace_;
  std::map<std::string, runtime::WallTime> all_;
};

}  // namespace dcm::playground
