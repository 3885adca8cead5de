// The file `dra_manager_state` in the format of kubelet 1.37
// (pkg/kubelet/cm/dra/state): one JSON object with a string of JSON and its CRC-32.
//
// Byte for byte as kubelet writes it, apart from the key `dcm` of an entry, which kubelet ignores.
// So kubelet and this agent can take over each other's file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "node/checkpoint/entry.hpp"
#include "runtime/error.hpp"

namespace dcm::node {

enum class NoEntries : std::uint8_t {
  null,   // in a file created at the start
  array,  // in any other file
};

std::string encode_checkpoint(const std::vector<Entry>& entries,
                              NoEntries no_entries = NoEntries::array);

// Errors: malformed. Unknown fields are ignored, missing ones are empty. kubelet checks neither
// kind nor version; a file of another kind, or of a version above v1, is rejected here, because
// only half of it would be understood.
runtime::Result<std::vector<Entry>> decode_checkpoint(std::string_view file);

}  // namespace dcm::node
