// The lock of a node's folder.
#pragma once

#include <string>

#include "runtime/error.hpp"
#include "runtime/file_descriptor.hpp"

namespace dcm::playground {

// Held by the process that uses the node's folder, so that no two of them write its checkpoint.
using FolderLock = runtime::FileDescriptor;

// Errors: configuration.
runtime::Result<FolderLock> lock_folder(const std::string& folder);

}  // namespace dcm::playground
