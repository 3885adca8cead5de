// resource.k8s.io ResourceClaimTemplate, projected to what it takes to make claims from it.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "client/api/meta.hpp"

namespace dcm::api {

struct ResourceClaimTemplate {
  ObjectMeta meta;
  // spec.metadata, copied onto each claim.
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> annotations;
  // spec.spec as it came over the wire, so that fields of a newer API are passed on. "{}" where the
  // template has none: the API server then says what is missing.
  std::string claim_spec_json = "{}";
  bool uses_admin_access = false;
  bool uses_prioritized_list = false;
};

// Bytes of memory: of its size and capacities, without the allocator's rounding and interned
// strings.
std::size_t footprint(const ResourceClaimTemplate& claim_template);

}  // namespace dcm::api
