// Reads an eviction from an API server's audit log: who sent how many requests, and when the first
// and the last of them were sent.
#pragma once

#include <cstddef>
#include <string>

namespace dcm::bench {

// Requests about single pods, by one caller.
struct PodRequests {
  std::size_t all = 0;      // whatever they do with a pod that they name
  std::size_t deletes = 0;  // among them, accepted
  std::size_t events = 0;   // events written, besides
  double first = 0;         // received, seconds of Unix time
  double last = 0;          // answered
};

// Lines of audit.k8s.io/v1 in JSON, one for each request that was answered. `caller` is part of the
// User-Agent. Throws std::runtime_error for a file that is none.
PodRequests read_pod_requests(const std::string& file, const std::string& caller);
// When somebody created a DeviceTaintRule: the moment at which that was received.
double read_rule_creation(const std::string& file);

}  // namespace dcm::bench
