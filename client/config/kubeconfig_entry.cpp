#include "client/config/kubeconfig_entry.hpp"

#include <filesystem>
#include <ranges>

#include <fmt/format.h>

#include "runtime/base64.hpp"

namespace dcm::client {

using runtime::fail;
using runtime::Reason;
using runtime::Result;

std::string locate_in(const KubeconfigEntry& entry, std::string_view kind, int line,
                      std::string_view what) {
  return locate(entry.file, line != 0 ? line : entry.line,
                fmt::format("{} \"{}\": {}", kind, entry.name, what));
}

std::unexpected<runtime::Error> refuse(const KubeconfigEntry& entry, std::string_view kind,
                                       int line, std::string_view what) {
  return fail(Reason::configuration, locate_in(entry, kind, line, what));
}

Result<> check_supported(const KubeconfigEntry& entry, std::string_view kind) {
  if (entry.unsupported.empty()) return {};
  const Text& key = entry.unsupported.front();
  return refuse(entry, kind, key.line, fmt::format("{} is not supported", key.value));
}

void warn_of_unknown_keys(ClusterConfig& config, const KubeconfigEntry& entry,
                          std::string_view kind) {
  constexpr std::size_t kWarningsMax = 20;
  for (const Text& key : entry.unknown_keys | std::views::take(kWarningsMax))
    config.warnings.push_back(
        locate_in(entry, kind, key.line, fmt::format("unknown key \"{}\" is ignored", key.value)));
}

std::string resolve_path(const KubeconfigEntry& entry, const std::string& path) {
  if (path.empty()) return path;
  return (std::filesystem::path(entry.file).parent_path() / path).lexically_normal().string();
}

Result<PemSource> read_pem_source(const KubeconfigEntry& entry, std::string_view kind,
                                  std::string_view key, const Text& data, const Text& file,
                                  PemKind expected) {
  if (data.empty()) return PemSource{"", resolve_path(entry, file.value)};
  if (!file.empty())
    return refuse(entry, kind, file.line,
                  fmt::format("has both {0} and {0}-data; expected one of them", key));
  const auto decoded = runtime::decode_base64(data.value);
  if (!decoded) return refuse(entry, kind, data.line, fmt::format("{}-data is not base64", key));
  if (!has_pem_block(*decoded, expected))
    return refuse(entry, kind, data.line,
                  fmt::format("{}-data does not hold {}", key, to_string(expected)));
  return PemSource{*decoded, ""};
}

}  // namespace dcm::client
