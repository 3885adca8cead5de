// The IP addresses of hollow nodes and their pods, which lead nowhere: nodes have theirs out of the
// range for benchmarks (198.18.0.0/15), pods out of the shared address space (100.64.0.0/10).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "client/api/meta.hpp"

namespace dcm::playground {

// The same for a name always; two nodes may have the same one.
std::string address_of_node(std::string_view name);

// Loop thread only. No two pods of this process have the same address at the same time.
class PodAddresses {
 public:
  // The pod's address: the one that it has, else a free one from then on.
  const std::string& address_of(const api::Uid& pod);
  // It has this one, as its status says.
  void observe(const api::Uid& pod, const std::string& address);
  void give_back(const api::Uid& pod);

 private:
  std::unordered_map<api::Uid, std::string> by_pod_;
  std::unordered_set<std::string> taken_;
  std::uint32_t next_ = 1;
};

}  // namespace dcm::playground
