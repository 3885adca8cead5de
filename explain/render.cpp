#include "explain/render.hpp"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "manager/serving/html.hpp"
#include "options/help.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::explain {
namespace {

using options::wrap;

using manager::escape_html;
using manager::html_document;

namespace json = boost::json;

using common::Explanation;
using common::Finding;
using common::Identity;
using common::Outlook;
using common::Topic;

constexpr std::size_t kWidth = 100;

// Wraps `text` into lines, with `label` before the first line.
std::string labelled(std::string_view label, std::size_t indent, std::string_view text) {
  std::string lines = wrap(text, indent, kWidth);
  return lines.replace(0, std::min(label.size(), indent), label);
}

std::string name_of(const Identity& about) {
  return about.namespace_.empty() ? about.name : fmt::format("{}/{}", about.namespace_, about.name);
}

std::string_view headline(Outlook outlook) {
  switch (outlook) {
    case Outlook::stuck:
      return "It cannot make progress on its own:";
    case Outlook::waiting:
      return "It waits:";
    case Outlook::acting:
      return "A controller is working on it:";
    case Outlook::unknown:
      return "No obstacle was found in what could be read. That is not all:";
    case Outlook::note:
    case Outlook::fine:
      break;
  }
  return "No obstacle is known here.";
}

std::string_view words(Teller::Role role) {
  switch (role) {
    case Teller::Role::works:
      return "works";
    case Teller::Role::stands_by:
      return "standsBy";
    case Teller::Role::watches:
      return "watches";
    case Teller::Role::reads:
      break;
  }
  return "reads";
}

std::string describe(const Teller& teller) {
  const std::string who = teller.identity.empty() ? "" : " " + teller.identity;
  switch (teller.role) {
    case Teller::Role::works:
      return fmt::format("the active dra-controller-manager{}.", who);
    case Teller::Role::stands_by:
      return teller.leader.empty()
                 ? fmt::format(
                       "the standby dra-controller-manager{}. No leader is known, so no work is "
                       "done.",
                       who)
                 : fmt::format(
                       "the standby dra-controller-manager{}. The leader, {}, does the work and "
                       "knows of failed attempts.",
                       who, teller.leader);
    case Teller::Role::watches:
      return "a dra-controller-manager with --dry-run, which writes nothing.";
    case Teller::Role::reads:
      break;
  }
  return "this command, which does not watch the cluster. A running manager also knows of failed "
         "attempts and of the next one: use --server.";
}

std::string render_text(const Told& told) {
  const Explanation& explanation = told.explanation;
  const Identity& about = explanation.about();
  std::string out = fmt::format("{} {} (UID {}): {}\n\n", about.kind, name_of(about), about.uid,
                                about.description);
  if (!told.teller.missing.empty()) {
    out += wrap(fmt::format("CAUTION: the caches are incomplete: {}.", told.teller.missing), 0,
                kWidth) +
           "\n";
  }
  const Outlook outlook = outlook_of(explanation);
  if (const auto unknowns = explanation.unknowns();
      !unknowns.empty() && outlook != Outlook::unknown) {
    out += "Not known:\n";
    for (const std::string& text : unknowns) out += wrap(text, 2, kWidth);
    out += "\n";
  }
  out += fmt::format("{}\n", headline(outlook));
  for (const std::string& text : summary_of(explanation)) out += wrap(text, 2, kWidth);
  for (const Topic& topic : explanation.topics()) {
    out += fmt::format("\n{}\n", topic.title);
    for (const Finding& finding : topic.findings) {
      out += labelled(fmt::format("  {}", to_string(finding.outlook)), 11, finding.text);
    }
  }
  out += "\n" + wrap(fmt::format("Explained at {} by {}", runtime::timestamp(told.at),
                                 describe(told.teller)),
                     0, kWidth);
  return out;
}

json::object to_json(const Topic& topic) {
  json::array findings;
  for (const Finding& finding : topic.findings) {
    findings.push_back(json::object{{"outlook", to_string(finding.outlook)},
                                    {"reason", finding.reason},
                                    {"text", finding.text}});
  }
  return {{"title", topic.title}, {"findings", std::move(findings)}};
}

std::string render_json(const Told& told) {
  const Explanation& explanation = told.explanation;
  const Identity& about = explanation.about();
  json::object subject{{"kind", about.kind}, {"name", about.name}, {"uid", about.uid}};
  if (!about.namespace_.empty()) subject["namespace"] = about.namespace_;
  json::array topics;
  for (const Topic& topic : explanation.topics()) topics.push_back(to_json(topic));
  json::array summary;
  for (const std::string& text : summary_of(explanation)) summary.push_back(json::string(text));
  json::array unknown;
  for (const std::string& text : explanation.unknowns()) unknown.push_back(json::string(text));
  json::object teller{{"role", words(told.teller.role)}, {"at", runtime::timestamp(told.at)}};
  if (!told.teller.identity.empty()) teller["identity"] = told.teller.identity;
  if (!told.teller.leader.empty()) teller["leader"] = told.teller.leader;
  if (!told.teller.missing.empty()) teller["missing"] = told.teller.missing;
  const json::object document{{"kind", "Explanation"},
                              {"subject", std::move(subject)},
                              {"description", about.description},
                              {"outlook", to_string(outlook_of(explanation))},
                              {"summary", std::move(summary)},
                              {"unknown", std::move(unknown)},
                              {"topics", std::move(topics)},
                              {"toldBy", std::move(teller)}};
  return json::serialize(document) + "\n";
}

std::string paragraph(std::string_view text) {
  return fmt::format("<p>{}</p>\n", escape_html(text));
}

std::string to_html(const Topic& topic) {
  std::string out = fmt::format("<h2>{}</h2>\n<ul>\n", escape_html(topic.title));
  for (const Finding& finding : topic.findings) {
    out += fmt::format("<li><b>{}</b> {}</li>\n", to_string(finding.outlook),
                       escape_html(finding.text));
  }
  return out + "</ul>\n";
}

std::string render_html(const Told& told) {
  const Explanation& explanation = told.explanation;
  const Identity& about = explanation.about();
  std::string body = paragraph(fmt::format("UID {}: {}", about.uid, about.description));
  if (!told.teller.missing.empty()) {
    body += paragraph(fmt::format("CAUTION: the caches are incomplete: {}.", told.teller.missing));
  }
  const auto unknowns = explanation.unknowns();
  if (!unknowns.empty()) body += "<h2>Not known</h2>\n";
  for (const std::string& text : unknowns) body += paragraph(text);
  body += fmt::format("<h2>{}</h2>\n", headline(outlook_of(explanation)));
  for (const std::string& text : summary_of(explanation)) body += paragraph(text);
  for (const Topic& topic : explanation.topics()) body += to_html(topic);
  body += paragraph(
      fmt::format("Explained at {} by {}", runtime::timestamp(told.at), describe(told.teller)));
  return html_document(fmt::format("{} {}", about.kind, name_of(about)), body);
}

}  // namespace

std::string_view content_type_of(Format format) {
  switch (format) {
    case Format::json:
      return "application/json";
    case Format::html:
      return "text/html; charset=utf-8";
    case Format::text:
      break;
  }
  return "text/plain; charset=utf-8";
}

std::string render(const Told& told, Format format) {
  switch (format) {
    case Format::json:
      return render_json(told);
    case Format::html:
      return render_html(told);
    case Format::text:
      break;
  }
  return render_text(told);
}

ExplainStatus status_of(const Explanation& explanation) {
  return explanation.unknowns().empty() ? ExplainStatus::explained
                                        : ExplainStatus::explained_in_part;
}

std::string render_problem(std::string_view problem, Format format) {
  if (format == Format::text) return fmt::format("{}\n", problem);
  if (format == Format::html) return html_document("Not explained", paragraph(problem));
  return json::serialize(json::object{{"kind", "Problem"}, {"message", problem}}) + "\n";
}

// The last failure is omitted if a finding about the state says the same.
std::vector<std::string> summary_of(const Explanation& explanation) {
  const Outlook worst = outlook_of(explanation);
  std::vector<std::string> texts;
  std::vector<std::string> failures;
  if (worst <= Outlook::fine) return texts;
  for (const Topic& topic : explanation.topics()) {
    for (const Finding& finding : topic.findings) {
      if (finding.outlook != worst) continue;
      (finding.reason == "LastProblem" ? failures : texts).push_back(finding.text);
    }
  }
  return texts.empty() ? failures : texts;
}

}  // namespace dcm::explain
