#include "manager/rows.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace dcm::manager {

void Rows::require(const Row& row, std::string_view name) const {
  if (!paths_ || std::ranges::find(*paths_, row.path) != paths_->end()) return;
  throw std::logic_error(
      fmt::format("the cache \"{}\" does not read {} into `{}`: add the row {{\"{}\", &T::{}}} to "
                  "its fields",
                  name, row.path, row.member, row.path, row.member));
}

}  // namespace dcm::manager
