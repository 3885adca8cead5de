// `dra-controller-manager explain TYPE NAME`: asks a running manager, or reads the cluster itself.
#pragma once

#include "cmd/dra-controller-manager/commands.hpp"

namespace dcm::dra_manager {

// The command's row in the table of commands.
Command explain_command();

}  // namespace dcm::dra_manager
