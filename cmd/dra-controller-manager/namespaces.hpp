// Lets the manager's files use the names of the frame, of explanations and of options without a
// prefix.
#pragma once

namespace dcm::manager {}
namespace dcm::explain {}
namespace dcm::options {}

namespace dcm::dra_manager {

using namespace manager;
using namespace explain;
using namespace options;

}  // namespace dcm::dra_manager
