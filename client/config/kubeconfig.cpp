#include "client/config/kubeconfig.hpp"

#include <iterator>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "client/config/yaml_json.hpp"

namespace dcm::client {
namespace {

using runtime::Result;

// Keys that are allowed but not used here.
void ignore(YamlFields& fields, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) fields.any(key);
}

bool is_given(const YAML::Node& node) {
  if (node.IsNull()) return false;
  return node.IsScalar() ? !node.Scalar().empty() : node.size() > 0;
}

void note_unsupported(KubeconfigEntry& entry, YamlFields& fields,
                      std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    const YAML::Node node = fields.any(key);
    if (is_given(node)) entry.unsupported.push_back({std::string(key), line_of(node)});
  }
}

// The cluster's configuration for plugins: a named extension, passed on unchanged (KEP-541).
std::string read_exec_config(YamlReader& reader, YamlFields& fields) {
  for (const YAML::Node& node : fields.list("extensions")) {
    YamlFields entry(reader, node, "an entry of extensions");
    const YAML::Node extension = entry.any("extension");
    if (entry.text("name").value != "client.authentication.k8s.io/exec") continue;
    if (auto json = to_json(extension)) return *json;
    reader.warn(line_of(extension),
                "the extension client.authentication.k8s.io/exec is ignored, because it is too "
                "large, nested too deeply, or not UTF-8");
  }
  return {};
}

void read_fields(KubeconfigCluster& cluster, YamlReader& reader, YamlFields& fields) {
  cluster.server = fields.text("server");
  cluster.certificate_authority = fields.text("certificate-authority");
  cluster.certificate_authority_data = fields.text("certificate-authority-data");
  cluster.tls_server_name = fields.text("tls-server-name");
  cluster.insecure_skip_tls_verify = fields.flag("insecure-skip-tls-verify").value_or(false);
  cluster.proxy_url = fields.text("proxy-url");
  // Only a hint: uncompressed answers are accepted as well.
  cluster.disable_compression = fields.flag("disable-compression").value_or(false);
  cluster.exec_config_json = read_exec_config(reader, fields);
}

KubeconfigExec read_exec(YamlReader& reader, const YAML::Node& node, const std::string& what) {
  YamlFields fields(reader, node, what);
  KubeconfigExec exec;
  exec.line = fields.line();
  exec.api_version = fields.text("apiVersion");
  exec.command = fields.text("command");
  exec.install_hint = fields.text("installHint");
  exec.interactive_mode = fields.text("interactiveMode");
  exec.arguments = fields.texts("args");
  for (const YAML::Node& element : fields.list("env")) {
    YamlFields variable(reader, element, what + ".env");
    exec.environment.emplace_back(variable.text("name"), variable.text("value"));
  }
  exec.provide_cluster_info = fields.flag("provideClusterInfo").value_or(false);
  return exec;
}

void read_fields(KubeconfigUser& user, YamlReader& reader, YamlFields& fields) {
  user.token = fields.text("token");
  user.token_file = fields.text("tokenFile");
  user.client_certificate = fields.text("client-certificate");
  user.client_certificate_data = fields.text("client-certificate-data");
  user.client_key = fields.text("client-key");
  user.client_key_data = fields.text("client-key-data");
  user.username = fields.text("username");
  user.password = fields.text("password");
  user.impersonate = fields.text("as");
  user.impersonate_uid = fields.text("as-uid");
  user.impersonate_groups = fields.texts("as-groups");
  user.impersonate_extra = fields.text_lists("as-user-extra");
  if (const YAML::Node exec = fields.any("exec"); !exec.IsNull()) {
    user.exec = read_exec(reader, exec, fmt::format("user \"{}\": exec", user.name));
  }
  note_unsupported(user, fields, {"auth-provider"});
  ignore(fields, {"extensions"});
}

void read_fields(KubeconfigContext& context, YamlReader& /*reader*/, YamlFields& fields) {
  context.cluster = fields.text("cluster");
  context.user = fields.text("user");
  context.namespace_ = fields.text("namespace");
  ignore(fields, {"extensions"});
}

// Reads an element of a list: `name`, and the entry itself under `kind` ("cluster").
template <class Entry>
Entry read_entry(YamlReader& reader, const YAML::Node& node, const std::string& kind) {
  YamlFields outer(reader, node, fmt::format("an entry of {}s", kind));
  Entry entry;
  entry.name = outer.text("name").value;
  entry.file = reader.file();
  entry.line = outer.line();
  YamlFields inner(reader, outer.any(kind), fmt::format("{} \"{}\"", kind, entry.name));
  read_fields(entry, reader, inner);
  for (const YamlFields* fields : {&outer, &inner}) {
    for (Text& key : fields->unread()) entry.unknown_keys.push_back(std::move(key));
  }
  return entry;
}

template <class Entry>
std::vector<Entry> read_entries(YamlReader& reader, YamlFields& top, const std::string& kind) {
  std::vector<Entry> entries;
  std::unordered_set<std::string> names;
  for (const YAML::Node& node : top.list(kind + "s")) {
    Entry entry = read_entry<Entry>(reader, node, kind);
    if (entry.name.empty()) reader.warn(entry.line, fmt::format("a {} without a name", kind));
    if (!names.insert(entry.name).second)
      reader.fail(entry.line, fmt::format("{} \"{}\" is given twice", kind, entry.name));
    entries.push_back(std::move(entry));
  }
  return entries;
}

void check_type(YamlReader& reader, YamlFields& top) {
  const Text version = top.text("apiVersion");
  const Text kind = top.text("kind");
  if (!version.empty() && version.value != "v1")
    reader.fail(version.line, "no kubeconfig: apiVersion must be v1");
  if (!kind.empty() && kind.value != "Config")
    reader.fail(kind.line, "no kubeconfig: kind must be Config");
}

template <class Entry>
void merge_entries(std::vector<Entry>& into, std::vector<Entry>&& further) {
  for (Entry& entry : further) {
    if (find_entry(into, entry.name) == nullptr) into.push_back(std::move(entry));
  }
}

template <class T>
void append(std::vector<T>& into, std::vector<T>&& further) {
  into.insert(into.end(), std::move_iterator(further.begin()), std::move_iterator(further.end()));
}

}  // namespace

Result<Kubeconfig> parse_kubeconfig(const std::string& text, const std::string& file) {
  YamlReader reader(file, YamlRules::as_client_go);
  YamlFields top(reader, reader.parse(text), "the file");
  check_type(reader, top);
  Kubeconfig config;
  config.files = {file};
  config.current_context = top.text("current-context");
  if (!config.current_context.empty()) config.current_context_file = file;
  config.clusters = read_entries<KubeconfigCluster>(reader, top, "cluster");
  config.users = read_entries<KubeconfigUser>(reader, top, "user");
  config.contexts = read_entries<KubeconfigContext>(reader, top, "context");
  ignore(top, {"preferences", "extensions"});
  for (const Text& key : top.unread())
    reader.warn(key.line, fmt::format("unknown key \"{}\" is ignored", key.value));
  if (reader.error()) return runtime::fail(*reader.error());
  config.warnings = reader.warnings();
  return config;
}

void merge_kubeconfig(Kubeconfig& into, Kubeconfig further) {
  append(into.files, std::move(further.files));
  append(into.warnings, std::move(further.warnings));
  if (into.current_context.empty()) {
    into.current_context = std::move(further.current_context);
    into.current_context_file = std::move(further.current_context_file);
  }
  merge_entries(into.clusters, std::move(further.clusters));
  merge_entries(into.users, std::move(further.users));
  merge_entries(into.contexts, std::move(further.contexts));
}

}  // namespace dcm::client
