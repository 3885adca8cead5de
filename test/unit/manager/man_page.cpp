#include "test/unit/manager/man_page.hpp"

#include <fmt/format.h>

#include "cmd/dra-controller-manager/options.hpp"
#include "cmd/dra-controller-manager/options/config_file.hpp"
#include "cmd/dra-controller-manager/options/manager_help.hpp"
#include "options/help.hpp"

namespace dcm::dra_manager {
namespace {

// In man(7) a backslash and a leading dot or quote are commands, and "-" is a hyphen.
std::string escape(std::string_view text) {
  std::string escaped;
  if (text.starts_with('.') || text.starts_with('\'')) escaped += "\\&";
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string flag_entry(const Setting& row) {
  const std::string place =
      row.text.key.empty() ? ""
                           : fmt::format(".br\nIn the file: \\fB{}\\fR\n", escape(row.text.key));
  return fmt::format(".TP\n\\fB{}\\fR\n{}\n{}", escape(flag_usage(row)), escape(full_help(row)),
                     place);
}

std::string flag_entries(std::span<const Setting> table) {
  std::string text;
  std::string_view group;
  for (const Setting& row : table) {
    if (row.group != group) text += fmt::format(".SS {}\n", group = row.group);
    text += flag_entry(row);
  }
  return text;
}

std::string command_entry(const Command& command) {
  return fmt::format(".TP\n\\fB{}\\fR {}\n{}\n", escape(command.name), escape(command.synopsis),
                     escape(command.help));
}

constexpr std::string_view kFiles =
    "The configuration file is YAML, of\n"
    ".nf\n"
    "\n"
    "  apiVersion: {}\n"
    "  kind: {}\n"
    "\n"
    ".fi\n"
    "Each key stands for a flag and is given with it above; dots separate nested keys. An "
    "unknown key, one that is given twice, and a value of another type are errors. Flags win over "
    "the file, and \\fB\\-\\-feature\\-gates\\fR do so gate by gate.\n";

constexpr std::string_view kEnd =
    ".SH ENVIRONMENT\n"
    ".TP\n\\fBKUBECONFIG\\fR\n"
    "Kubeconfig files, separated by colons, where \\fB\\-\\-kubeconfig\\fR is not given.\n"
    ".TP\n\\fBHTTPS_PROXY\\fR, \\fBHTTP_PROXY\\fR, \\fBNO_PROXY\\fR\n"
    "The way to the API server where the kubeconfig names no proxy.\n"
    ".SH EXIT STATUS\n"
    ".TP\n0\nAsked to stop by SIGTERM or SIGINT; work in flight was finished.\n"
    ".TP\n1\nThe lease is lost, or a second signal came while work in flight was being finished.\n"
    ".TP\n2\nBad flags or configuration file; a kubeconfig, credential or certificate cannot be "
    "used; or a port is in use.\n"
    ".TP\n3\nA defect of the manager.\n"
    ".PP\nThe command\n.B explain\nhas statuses of its own:\n"
    ".BR \"dra-controller-manager explain --help\" .\n"
    ".SH SEE ALSO\n"
    ".BR kubectl (1)\n";

}  // namespace

std::string make_man_page(std::span<const Setting> table, std::span<const Command> commands) {
  std::string page = fmt::format(
      ".\\\" Made from the table of settings by a test, GeneratedTexts; do not edit.\n"
      ".TH DRA\\-CONTROLLER\\-MANAGER 8 \"\" \"{}\" \"System Administration\"\n"
      ".SH NAME\n"
      "dra\\-controller\\-manager \\- controllers of dynamic resource allocation for Kubernetes\n"
      ".SH SYNOPSIS\n"
      "\\fBdra\\-controller\\-manager\\fR [flags]\n",
      version_line());
  for (const Command& command : commands) {
    page += fmt::format(".br\n\\fBdra\\-controller\\-manager {}\\fR {}\n", escape(command.name),
                        escape(command.synopsis));
  }
  page += fmt::format(".SH DESCRIPTION\n{}\n.SH FLAGS\n", escape(kSummary));
  page += flag_entries(table);
  page +=
      ".SS Global\n.TP\n\\fB\\-h, \\-\\-help\\fR\nPrints all flags.\n"
      ".TP\n\\fB\\-\\-version\\fR\nPrints the version.\n.SH COMMANDS\n";
  for (const Command& command : commands) {
    page += command_entry(command);
    page += flag_entries(command.settings());
  }
  page += ".SH FILES\n" + fmt::format(kFiles, kConfigVersion, kConfigKind);
  return page + std::string(kEnd);
}

}  // namespace dcm::dra_manager
