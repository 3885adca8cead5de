// How many files and connections the process may have open.
#pragma once

#include <cstddef>

namespace dcm::runtime {

// Raises the limit to what the system allows (the hard limit), as every Go program does: the usual
// soft limit of 1,024 exists for programs that call select().
void allow_all_open_files();

// The soft limit, which applies now.
std::size_t open_files_max();

}  // namespace dcm::runtime
