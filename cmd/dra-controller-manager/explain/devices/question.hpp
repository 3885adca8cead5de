// A question about devices: which claims want some, and what restricts the nodes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "allocation/claim.hpp"
#include "allocation/node_selector.hpp"

namespace dcm::manager {

// Whose claims and pods an answer may name.
enum class Names : std::uint8_t {
  all,
  own_namespace,  // for a reader of whom only that is known: others are "of another namespace"
};

struct DeviceQuestion {
  std::string name_space = {};
  Names names = Names::all;
  bool is_of_pod = true;  // or of a claim by itself
  // To be allocated, in the pod's order; and the pod's claims that are allocated already. Both must
  // outlive the question.
  std::vector<const allocation::Claim*> claims = {};
  std::vector<const allocation::Claim*> allocated = {};
  // The pod's own choice of nodes.
  allocation::RequiredNodeAffinity node_affinity = {};
  // Asked often; true: the answer has to come now, with what is known.
  std::function<bool()> is_time_up = [] { return false; };
};

}  // namespace dcm::manager
