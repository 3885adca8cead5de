// Reads an eviction from an API server's audit log: who sent how many requests, and when the first
// and the last of them were sent.
#pragma once

#include <cstddef>
#include <string>

namespace dcm::bench {

// Requests about single pods, by one caller.
struct PodRequests {
  std::size_t all = 0;      // any operation on a pod named in the path
  std::size_t deletes = 0;  // among them, accepted
  std::size_t events = 0;   // events written, in addition
  double first = 0;         // received, seconds of Unix time
  double last = 0;          // answered
};

// Lines of audit.k8s.io/v1 in JSON, one for each answered request. `caller` is part of the
// User-Agent. Throws std::runtime_error for an invalid file.
PodRequests read_pod_requests(const std::string& file, const std::string& caller);
// When a DeviceTaintRule was created: the time at which the request was received.
double read_rule_creation(const std::string& file);

}  // namespace dcm::bench
