// The words of the manager's files: their own, those of the frame, and those of explanations.
#pragma once

namespace dcm::manager {}
namespace dcm::explain {}

namespace dcm::dra_manager {

using namespace manager;
using namespace explain;

}  // namespace dcm::dra_manager
