// Pods that could not be placed, in lines of equal requirements.
//
// When devices become free, only the first pod of each line is tried; after it, the next one. So
// a full cluster with thousands of waiting pods costs nearly nothing.
#pragma once

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

  void wait(const PodName& pod, const std::string& line);
  // Returns the new first pod of its line, if the pod was the first.
  std::optional<PodName> leave(const PodName& pod);
  // The first of each line.
  std::vector<PodName> heads() const;
  std::size_t size() const noexcept { return places_.size(); }

 private:
  using Line = std::list<PodName>;
  struct Place {
    std::string line;
    Line::iterator position;
  };

  std::map<std::string, Line> lines_;
  std::unordered_map<PodName, Place> places_;
};

}  // namespace dcm::playground
