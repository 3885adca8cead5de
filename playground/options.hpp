// The command line of dra-playground.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/model/resource_table.hpp"
#include "options/program.hpp"
#include "playground/demo/demo.hpp"
#include "playground/parts.hpp"
#include "playground/programs.hpp"
#include "playground/taint/taint.hpp"

namespace dcm::playground {

struct Options {
  Size size;
  std::uint16_t port = 0;  // 0: a free one
  apiserver::ServedVersions served;
  std::vector<std::string> accept_hosts;  // accepted host names of the port, besides loopback ones
  std::string kubeconfig_out;             // empty: in the state folder of the user
  std::string kubeconfig;                 // an existing cluster; empty: the in-memory API server
  OwnScheduler scheduler = OwnScheduler::runs;
  Programs programs;
  std::string real_drivers;  // the folder of a node for real drivers; empty: none
  int verbosity = 0;
  // `dra-playground demo …`: a run of the demo instead; other options are ignored then.
  std::optional<DemoOptions> demo;
  // `dra-playground taint …`, likewise.
  std::optional<TaintOptions> taint;
};

// The rows that say which cluster a client uses. The arguments must outlive them.
options::Settings kubeconfig_settings(std::string& kubeconfig, std::string& context);

// Parses `arguments` (without the program's name). An error is one line that names the flag.
std::expected<Options, options::Exit> parse_options(const std::vector<std::string>& arguments);

}  // namespace dcm::playground
