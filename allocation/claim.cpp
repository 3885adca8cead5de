#include "allocation/claim.hpp"

#include <algorithm>
#include <string_view>

namespace dcm::allocation {

bool Constraint::concerns(const Request& request, const Ask& ask) const {
  if (requests.empty()) return true;
  const auto names = [&](std::string_view name) {
    return std::ranges::find(requests, name) != requests.end();
  };
  return names(request.name) || (request.is_prioritized && names(request.name_of(ask)));
}

}  // namespace dcm::allocation
