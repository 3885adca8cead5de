// Manifests as people write them: YAML documents, with `kind: List` expanded and aliases resolved.
#pragma once

#include <string>
#include <vector>

#include "runtime/error.hpp"

namespace dcm::playground {

struct Manifest {
  std::string kind;
  std::string name;
  std::string json;  // the whole object
};

// Errors: configuration, "file:line: what".
runtime::Result<std::vector<Manifest>> parse_manifests(const std::string& text,
                                                       const std::string& file);
runtime::Result<std::vector<Manifest>> read_manifests(const std::string& file);

}  // namespace dcm::playground
