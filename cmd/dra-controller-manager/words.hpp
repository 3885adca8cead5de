// The words of the manager's files: their own, and those of the frame, explanations and options.
#pragma once

namespace dcm::manager {}
namespace dcm::explain {}
namespace dcm::options {}

namespace dcm::dra_manager {

using namespace manager;
using namespace explain;
using namespace options;

}  // namespace dcm::dra_manager
