// The kubeconfig file (k8s.io/client-go/tools/clientcmd/api/v1, `kind: Config`): its raw entries
// with line numbers, and how several files are merged.
//
// Checks only the structure. The content of an entry (URL, base64, PEM, unsupported features) is
// checked when a context is chosen (kubeconfig_context.hpp): people keep many clusters in one file,
// and an unused broken entry does no harm.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/config/yaml_fields.hpp"
#include "runtime/error.hpp"

namespace dcm::client {

// The common part of all named entries.
struct KubeconfigEntry {
  std::string name;
  std::string file;  // for messages, and the base of relative paths
  int line = 0;
  std::vector<Text> unsupported;   // keys that would change our behaviour, but are not supported
  std::vector<Text> unknown_keys;  // ignored, but may be typing errors
};

// A user identified by a program: the raw `exec` entry.
struct KubeconfigExec {
  int line = 0;
  Text api_version;
  Text command;
  Text install_hint;
  Text interactive_mode;
  std::vector<std::string> arguments;
  std::vector<std::pair<Text, Text>> environment;
  bool provide_cluster_info = false;
};

struct KubeconfigCluster : KubeconfigEntry {
  Text server;
  Text certificate_authority;
  Text certificate_authority_data;
  Text tls_server_name;
  bool insecure_skip_tls_verify = false;
  Text proxy_url;
  bool disable_compression = false;
  std::string exec_config_json;  // the extension client.authentication.k8s.io/exec
};

struct KubeconfigUser : KubeconfigEntry {
  Text token;
  Text token_file;
  Text client_certificate;
  Text client_certificate_data;
  Text client_key;
  Text client_key_data;
  Text username;
  Text password;
  std::optional<KubeconfigExec> exec;
  Text impersonate;
  Text impersonate_uid;
  std::vector<std::string> impersonate_groups;
  std::vector<std::pair<std::string, std::vector<std::string>>> impersonate_extra;
};

struct KubeconfigContext : KubeconfigEntry {
  Text cluster;
  Text user;
  Text namespace_;
};

struct Kubeconfig {
  std::vector<std::string> files;
  Text current_context;
  std::string current_context_file;
  std::vector<KubeconfigCluster> clusters;
  std::vector<KubeconfigUser> users;
  std::vector<KubeconfigContext> contexts;
  std::vector<std::string> warnings;  // about keys outside of the entries

  bool empty() const { return clusters.empty() && users.empty() && contexts.empty(); }
};

// `file` is the name for messages. An empty text is an empty Kubeconfig. Errors: configuration,
// "file:line: entry: what".
runtime::Result<Kubeconfig> parse_kubeconfig(const std::string& text, const std::string& file);

// Adds entries of `further` that `into` lacks: the first file that names an entry, or a current
// context, wins.
void merge_kubeconfig(Kubeconfig& into, Kubeconfig further);

// The entry of that name, or null.
template <class Entry>
const Entry* find_entry(const std::vector<Entry>& entries, std::string_view name) {
  for (const Entry& entry : entries) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace dcm::client
