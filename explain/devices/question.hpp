// A question about devices: the claims that request some, and the restrictions on nodes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "allocation/claim.hpp"
#include "allocation/extended_resources.hpp"
#include "allocation/node_selector.hpp"
#include "client/api/object_ptr.hpp"

namespace dcm::explain {

// What a pod's containers request as extended resources (KEP-5004).
struct ExtendedQuestion {
  // Each resource with its class; empty: no class.
  std::map<std::string, std::string> classes = {};
  // The claim that the scheduler would create, the last of DeviceQuestion::claims; null if none.
  api::ObjectPtr<allocation::Claim> claim = {};
  std::vector<allocation::RequestMapping> mappings = {};

  bool lacks_class() const {
    return std::ranges::any_of(classes, [](const auto& each) { return each.second.empty(); });
  }
};

// Which claims and pods an answer may name.
enum class Names : std::uint8_t {
  all,
  own_namespace,  // for a reader who may only read that object: others are "of another namespace"
};

struct DeviceQuestion {
  std::string namespace_ = {};
  Names names = Names::all;
  bool is_of_pod = true;  // false: the question is about a claim by itself
  // Claims to allocate, in the pod's order; and the pod's claims that are allocated already. Both
  // must outlive the question.
  std::vector<const allocation::Claim*> claims = {};
  std::vector<const allocation::Claim*> allocated = {};
  // The pod's own node selection.
  allocation::RequiredNodeAffinity node_affinity = {};
  std::vector<allocation::Toleration> tolerations = {};
  ExtendedQuestion extended = {};
  // A longer search is "not decided": a question must not stop a manager's work.
  std::uint64_t steps_max = 20'000;
  // Polled often; true: answer now, with what is known.
  std::function<bool()> is_time_up = [] { return false; };
};

}  // namespace dcm::explain
