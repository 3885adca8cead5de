#include "cmd/dra-controller-manager/options/explain_options.hpp"

#include <utility>

#include "options/command_line.hpp"
#include "options/effective.hpp"

namespace dcm::dra_manager {
namespace {

Settings manager_settings(ExplainOptions& options) {
  return {
      text_setting({"server", "", "URL",
                    "HTTPS port of a running manager, such as https://localhost:10257 through a "
                    "port-forward. Without it, the command reads the cluster."},
                   options.server),
      text_setting({"token-file", "", "FILE", "Bearer token to show to that manager."},
                   options.token_file),
      text_setting({"certificate-authority", "", "FILE",
                    "PEM CAs of that manager's certificate. Without it: the system's."},
                   options.ca_file),
      text_setting(
          {"tls-server-name", "", "NAME", "Name in its certificate, if it differs from the URL's."},
          options.tls_server_name),
      text_setting({"client-certificate", "", "FILE", "PEM certificate to show to that manager."},
                   options.client_certificate_file),
      text_setting({"client-key", "", "FILE", "PEM key that belongs to --client-certificate."},
                   options.client_key_file),
      switch_setting({"insecure-skip-tls-verify", "", "",
                      "Do not verify the server, as needed for a self-signed certificate. Any "
                      "server that answers gets the token."},
                     options.skips_verification),
  };
}

Settings cluster_read_settings(ExplainOptions& options) {
  return {
      text_setting({"kubeconfig", "", "FILE",
                    "Kubeconfig file. Without it: $KUBECONFIG, the service account of the pod, "
                    "~/.kube/config."},
                   options.kubeconfig),
      text_setting({"context", "", "NAME", "Context of the kubeconfig to use."}, options.context),
      switches_setting({"feature-gates", "", "LIST",
                        "NAME=true or NAME=false, separated by commas, as the manager has them."},
                       options.feature_gates),
      text_setting({"partition-type-attribute", "", "NAME",
                    "For pools: the attribute that groups partitions of devices, such as "
                    "gpu.example.com/profile, where ResourceSlices name none."},
                   options.partition_type_attribute),
      checked(
          text_setting({"leader-elect-resource-name", "", "NAME", "Name of the manager's lease."},
                       options.lease_name),
          why_no_dns_subdomain),
      checked(text_setting({"leader-elect-resource-namespace", "", "NAME",
                            "Namespace of the manager's lease."},
                           options.lease_namespace),
              why_no_dns_label),
  };
}

Settings output_settings(ExplainOptions& options) {
  return {
      text_setting(
          {"namespace", "", "NAME",
           "Namespace, if the name has none. Without it: the kubeconfig's, or default.", 'n'},
          options.namespace_),
      choice_setting<Format>({"output", "", "FORMAT", "text or json.", 'o'}, options.format,
                             {{"text", Format::text}, {"json", Format::json}}),
      duration_setting({"timeout", "", "DURATION", "How long to wait for the answer."},
                       options.timeout),
  };
}

// Returns which options conflict; empty if none do.
std::string conflict_of(const ExplainOptions& options) {
  if (options.client_certificate_file.empty() != options.client_key_file.empty()) {
    return "--client-certificate and --client-key need each other";
  }
  const bool is_about_manager = !options.token_file.empty() || !options.ca_file.empty() ||
                                !options.tls_server_name.empty() || options.skips_verification ||
                                !options.client_key_file.empty();
  if (options.server.empty() && is_about_manager) {
    return "--token-file, --certificate-authority, --tls-server-name, --client-certificate and "
           "--insecure-skip-tls-verify are for a manager: they need --server";
  }
  if (options.server.starts_with("http:") && !options.token_file.empty()) {
    return "--token-file: a token is not sent without TLS; --server must begin with https";
  }
  return {};
}

}  // namespace

Settings explain_settings(ExplainOptions& options) {
  Settings table;
  add_group(table, "Manager", manager_settings(options));
  add_group(table, "Cluster", cluster_read_settings(options));
  add_group(table, "Output", output_settings(options));
  return table;
}

std::expected<ExplainOptions, std::string> parse_explain_options(const Strings& arguments) {
  ExplainOptions options;
  const Settings table = explain_settings(options);
  auto line = parse_command_line(table, arguments);
  if (!line) return std::unexpected(std::move(line.error()));
  options.words = std::move(line->words);
  options.wants_help = line->wants_help;
  if (const auto applied = apply_settings(table, line->given); !applied) {
    return std::unexpected(applied.error());
  }
  if (std::string why = conflict_of(options); !why.empty()) return std::unexpected(std::move(why));
  return options;
}

}  // namespace dcm::dra_manager
