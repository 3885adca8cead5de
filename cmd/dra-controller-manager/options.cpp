#include "cmd/dra-controller-manager/options.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "client/config/file.hpp"
#include "cmd/dra-controller-manager/build_info.hpp"
#include "cmd/dra-controller-manager/options/config_file.hpp"
#include "cmd/dra-controller-manager/options/kubernetes.hpp"
#include "cmd/dra-controller-manager/options/manager_help.hpp"
#include "cmd/dra-controller-manager/options/settings.hpp"

namespace dcm::dra_manager {
namespace {

std::unexpected<Exit> refuse(const std::string& why) {
  return options::refuse(kProgram, why);
}

// Applies the command line after the file that one of its flags names.
std::expected<std::vector<Given>, std::string> gather(const Settings& table,
                                                      std::vector<Given> flags) {
  const auto config = std::ranges::find(flags, find_flag(table, "config"), &Given::setting);
  // Empty: not given, as for --kubeconfig.
  const std::string file = config == flags.end() ? std::string() : to_text(config->value);
  if (file.empty()) return flags;
  const auto text = client::read_file(file);
  if (!text) return std::unexpected("--config: " + text.error().message);
  auto given = parse_config_file(table, *text, file);
  if (!given) return given;
  given->insert(given->end(), std::move_iterator(flags.begin()), std::move_iterator(flags.end()));
  return given;
}

std::vector<Flag> flags_of(const Settings& table, const Effective& effective) {
  std::vector<Flag> flags;
  for (std::size_t i = 0; i < table.size(); ++i) {
    flags.push_back({table[i].text.flag, to_text(effective.values[i])});
  }
  return flags;
}

}  // namespace

std::string version_and_commit() {
  const BuildInfo built = build_info();
  return fmt::format("{} (commit {}, {})", version_line(), built.commit, built.date);
}

std::expected<Options, options::Exit> parse_options(const std::vector<std::string>& arguments) {
  Draft draft;
  const Settings table = make_settings(draft);
  auto line = parse_command_line(table, arguments, kubernetes::flag_type);
  if (!line) return refuse(line.error());
  if (line->wants_help) return std::unexpected(Exit{0, usage_help(manager_usage(), table)});
  if (line->wants_version) {
    return std::unexpected(Exit{0, version_and_commit() + "\n"});
  }
  if (!line->words.empty()) {
    return refuse(refuse_word(line->words.front(), manager_usage().commands));
  }
  const auto given = gather(table, std::move(line->given));
  if (!given) return refuse(given.error());
  const auto effective = apply_settings(table, *given);
  if (!effective) return refuse(effective.error());
  for (const OtherFlag& flag : line->others) {
    const std::string why = kubernetes::why_refused(std::string_view(flag.shown).substr(2),
                                                    flag.value, draft.options.cluster.kubeconfig);
    if (!why.empty()) return refuse(fmt::format("{}: {}", flag.shown, why));
    draft.options.without_effect.push_back(flag.shown);
  }
  if (const auto conflict = settle(draft)) return refuse(describe(*conflict, table, *effective));
  draft.options.flags = flags_of(table, *effective);
  draft.options.configuration = to_json(table, effective->values);
  return std::move(draft.options);
}

ConnectionOptions connection_options(const Options& options) {
  return {.user_agent = client::make_user_agent(kProgram, runtime::kVersion),
          .qps = options.kube_api_qps,
          .burst = options.kube_api_burst,
          .inflight_max = options.max_inflight_requests,
          .http2 = options.kube_api_http2};
}

}  // namespace dcm::dra_manager
