// How to reach an API server: the parts of a kubeconfig that tests use.
//
// Unlike the product, it supports only files, tokens and CAs as written by the test servers.
#pragma once

#include <string>

namespace dcm::support {

struct Access {
  std::string server = {};   // URL
  std::string ca_file = {};  // empty: none, or the system's
  std::string token = {};
};

// Reads `context`, or the current context if that is empty. Throws std::runtime_error.
Access read_access(const std::string& kubeconfig, std::string context = {});

// Writes a kubeconfig with one context, `test`.
void write_kubeconfig(const std::string& file, const Access& access);

}  // namespace dcm::support
