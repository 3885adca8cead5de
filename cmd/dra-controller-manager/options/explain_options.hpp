// The options of `dra-controller-manager explain`.
#pragma once

#include <expected>
#include <string>

#include "cmd/dra-controller-manager/commands.hpp"
#include "cmd/dra-controller-manager/options.hpp"
#include "explain/render.hpp"
#include "explain/subject.hpp"
#include "options/setting.hpp"
#include "runtime/time.hpp"

namespace dcm::dra_manager {

struct ExplainOptions {
  // A running manager to ask; empty: the cluster is read instead.
  std::string server;
  std::string token_file;
  std::string ca_file;
  std::string tls_server_name;
  std::string client_certificate_file;
  std::string client_key_file;
  bool skips_verification = false;

  // The cluster.
  std::string kubeconfig;
  std::string context;
  Switches feature_gates;
  std::string partition_type_attribute;  // of pools
  std::string lease_name = kProgram;
  std::string lease_namespace = kLeaseNamespace;

  std::string namespace_;
  Format format = Format::text;
  runtime::Duration timeout = std::chrono::seconds(30);

  Strings words;
  bool wants_help = false;
};

// The command's flags. `options` must outlive the table.
Settings explain_settings(ExplainOptions& options);

// Errors: one line that names the flag and the reason.
std::expected<ExplainOptions, std::string> parse_explain_options(const Strings& arguments);

}  // namespace dcm::dra_manager
