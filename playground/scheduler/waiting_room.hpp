// Pods that could not be placed, in lines of equal requirements.
//
// When devices become free, only the first pod of each line is tried; after it, the next one. So
// a full cluster with thousands of waiting pods costs nearly nothing.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "client/api/meta.hpp"

namespace dcm::playground {

// Invariant: a pod is in at most one line, and keeps its place while its requests stay the same.
class WaitingRoom {
 public:
  using PodName = api::NamespacedName;

  // All pods of a line have the same priority. Returns the new first pod of the line that the pod
  // leaves for this one, if the pod was the first there.
  std::optional<PodName> wait(const PodName& pod, const std::string& line, std::int64_t priority);
  // Returns the new first pod of its line, if the pod was the first.
  std::optional<PodName> leave(const PodName& pod);
  // The first of each line: higher priorities first, then earlier arrivals.
  std::vector<PodName> heads() const;
  std::size_t size() const noexcept { return places_.size(); }

 private:
  struct Waiting {
    PodName pod;
    std::uint64_t arrival;
  };
  struct Line {
    std::int64_t priority = 0;
    std::list<Waiting> pods;
  };
  struct Place {
    std::string line;
    std::list<Waiting>::iterator position;
  };

  std::map<std::string, Line> lines_;
  std::unordered_map<PodName, Place> places_;
  std::uint64_t arrivals_ = 0;
};

}  // namespace dcm::playground
