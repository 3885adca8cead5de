// The IP addresses of hollow nodes and their pods, which are unreachable: nodes use the range for
// benchmarks (198.18.0.0/15), pods the shared address space (100.64.0.0/10).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "client/api/meta.hpp"

namespace dcm::playground {

// The address is always the same for a name; two nodes may share one.
std::string address_of_node(std::string_view name);

// Loop thread only. No two pods of this process have the same address at the same time.
class PodAddresses {
 public:
  // The pod's address: its current one, or a free one that it keeps.
  const std::string& address_of(const api::Uid& pod);
  // Records the address from its status.
  void observe(const api::Uid& pod, const std::string& address);
  void give_back(const api::Uid& pod);

 private:
  std::unordered_map<api::Uid, std::string> by_pod_;
  std::unordered_set<std::string> taken_;
  std::uint32_t next_ = 1;
};

}  // namespace dcm::playground
