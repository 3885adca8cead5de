// The commit that this binary was built from. Separate from runtime/version.hpp, so that a commit
// recompiles only one file.
#pragma once

#include <string_view>

namespace dcm::dra_manager {

struct BuildInfo {
  std::string_view commit;  // with "-modified" if the sources differed; "unknown" without git
  std::string_view date;    // the commit's: "2026-11-25T04:06:00Z"
};

BuildInfo build_info();

}  // namespace dcm::dra_manager
