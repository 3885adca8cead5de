// A node's heartbeats: its Lease (KEP-589) and its status.
#pragma once

#include <string>
#include <vector>

#include "playground/objects/caches.hpp"
#include "playground/part.hpp"

namespace dcm::playground {

// Like kubelet by default: a Lease every 10 s, valid for 40 s; the status every 5 minutes, and soon
// after another client has marked the node as not ready. A deleted node is left alone.
class Heartbeats {
 public:
  // `api` and `known` must outlive it.
  Heartbeats(Process process, Api& api, Cache<Node>& known, std::vector<std::string> nodes,
             std::vector<std::string> declared_features = {});

  // Call after the first sync. Ends only by cancellation.
  Task<> run();

 private:
  // Sends one heartbeat for each node, spread evenly over an interval.
  Task<> beat_once();
  Task<> beat(std::string node);

  Process process_;
  Api& api_;
  Cache<Node>& known_;
  std::vector<std::string> nodes_;
  std::vector<std::string> features_;
  int round_ = 0;
};

}  // namespace dcm::playground
