// A kubeconfig, and the meaning of each of its contexts. Messages are printable; a file merged with
// itself is itself.
#include "client/config/kubeconfig.hpp"

#include "client/config/config.hpp"
#include "test/fuzz/fuzz.hpp"
#include "test/fuzz/memory_file.hpp"

namespace dcm::fuzz {
namespace {

void expect_merged_is_same(const client::Kubeconfig& kubeconfig) {
  client::Kubeconfig merged = kubeconfig;
  client::merge_kubeconfig(merged, kubeconfig);
  expect(merged.clusters.size() == kubeconfig.clusters.size() &&
             merged.users.size() == kubeconfig.users.size() &&
             merged.contexts.size() == kubeconfig.contexts.size(),
         "a file merged with itself is itself");
  expect_equal(merged.current_context.value, kubeconfig.current_context.value,
               "the current context stays");
}

void load(client::ConfigOverrides overrides, const std::string& file) {
  overrides.kubeconfig = file;
  client::Environment nothing;
  nothing.variable = [](const std::string&) { return std::optional<std::string>(); };
  const auto config = client::load_cluster_config(overrides, nothing);
  if (!config) {
    expect_readable(config.error().message);
    expect(config.error().reason == runtime::Reason::configuration, "it is the configuration",
           config.error().message);
    return;
  }
  expect_readable(config->origin);
  for (const std::string& warning : config->warnings) expect_readable(warning);
}

}  // namespace

void run(std::string_view input) {
  const MemoryFile file(input);
  load({}, file.path());
  load({.server = "https://10.0.0.1:6443"}, file.path());
  const auto kubeconfig = client::parse_kubeconfig(std::string(input), "kubeconfig");
  if (!kubeconfig) return;
  expect_merged_is_same(*kubeconfig);
  for (const client::KubeconfigContext& context : kubeconfig->contexts) {
    load({.context = context.name}, file.path());
  }
}

}  // namespace dcm::fuzz
