// The signs of life of a node: its Lease (KEP-589) and the heartbeat of its
// status.
#pragma once

#include <string>
#include <vector>

#include "playground/objects/caches.hpp"
#include "playground/part.hpp"

namespace dcm::playground {

// As kubelet does by default: a Lease every 10 s, good for 40 s; the status every 5 minutes, and
// soon after another client has marked the node as not ready. A deleted node is left alone.
class Heartbeats {
 public:
  // `api` and `known` must outlive it.
  Heartbeats(Process process, Api& api, Cache<Node>& known, std::vector<std::string> nodes,
             std::vector<std::string> declared_features = {});

  // After the first sync. Ends by cancellation only.
  Task<> run();

 private:
  // Each node once, evenly over an interval.
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
