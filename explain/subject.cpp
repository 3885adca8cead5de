#include "explain/subject.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "controllers/api/resources.hpp"
#include "runtime/ascii.hpp"
#include "runtime/dns_names.hpp"

namespace dcm::explain {
namespace {

using runtime::lower;
using runtime::Result;

struct KindNames {
  Subject::Kind kind;
  const api::ResourceKind* resource;
  std::string_view other;  // kubectl's short form, or ours
  common::Input input;
};

constexpr std::array kKinds = {
    KindNames{Subject::Kind::pod, &api::kPods, "po", common::Input::pods},
    KindNames{Subject::Kind::claim, &api::kResourceClaims, "claim", common::Input::claims},
    KindNames{Subject::Kind::group, &api::kPodGroups, "group", common::Input::groups},
    KindNames{Subject::Kind::rule, &api::kDeviceTaintRules, "rule", common::Input::rules},
};

std::string_view plural_of(const KindNames& names) {
  return names.resource->plural;
}

const KindNames& names_of(Subject::Kind kind) {
  return *std::ranges::find(kKinds, kind, &KindNames::kind);
}

// "pods", "Pod", "po", "resourceclaims.resource.k8s.io"
std::optional<Subject::Kind> kind_named(std::string_view word) {
  const std::string name = lower(word);
  for (const KindNames& kind : kKinds) {
    const auto& [group, plural, singular, scope, versions] = *kind.resource;
    for (const std::string& known :
         {lower(singular), std::string(plural), std::string(kind.other)}) {
      if (name == known) return kind.kind;
      if (!group.empty() && name == fmt::format("{}.{}", known, group)) return kind.kind;
    }
  }
  return std::nullopt;
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t slash = std::min(text.find('/', from), text.size());
    parts.emplace_back(text.substr(from, slash - from));
    from = slash + 1;
  }
  return parts;
}

std::unexpected<runtime::Error> no_such_path() {
  return runtime::fail(runtime::Reason::bad_request,
                       fmt::format("there are {0}pods/<namespace>/<name>, "
                                   "{0}resourceclaims/<namespace>/<name>, "
                                   "{0}podgroups/<namespace>/<name> and "
                                   "{0}devicetaintrules/<name>",
                                   kExplainPath));
}

std::unexpected<runtime::Error> bad_words(std::string why) {
  return runtime::fail(runtime::Reason::configuration, std::move(why));
}

Result<Subject> subject_named(Subject::Kind kind, std::string_view name,
                              const std::string& default_namespace) {
  const std::vector<std::string> parts = split(name);
  const bool is_namespaced = resource_of(kind).scope == api::Scope::namespaced;
  if (parts.size() > (is_namespaced ? 2U : 1U)) {
    return bad_words(
        fmt::format("\"{}\" is not a valid name of a {}", name, resource_of(kind).kind));
  }
  Subject subject{kind, {{}, parts.back()}};
  if (is_namespaced) {
    subject.key.namespace_ = parts.size() == 2 ? parts.front() : default_namespace;
  }
  const bool is_good = runtime::can_be_name(subject.key.name) &&
                       (!is_namespaced || runtime::can_be_name(subject.key.namespace_.str()));
  if (!is_good)
    return bad_words(
        fmt::format("\"{}\" is not a valid name of a {}", name, resource_of(kind).kind));
  return subject;
}

}  // namespace

const api::ResourceKind& resource_of(Subject::Kind kind) {
  return *names_of(kind).resource;
}

common::Input input_of(Subject::Kind kind) {
  return names_of(kind).input;
}

std::string path_of(const Subject& subject) {
  return fmt::format("{}{}/{}", kExplainPath, resource_of(subject.kind).plural, subject.key.str());
}

Result<Subject> subject_from_path(std::string_view path) {
  const std::vector<std::string> parts = split(path);
  const auto kind = std::ranges::find(kKinds, parts.front(), plural_of);
  if (kind == kKinds.end()) return no_such_path();
  const std::size_t wanted = kind->resource->scope == api::Scope::cluster ? 2 : 3;
  if (parts.size() != wanted) return no_such_path();
  auto subject = subject_named(kind->kind, path.substr(parts.front().size() + 1), "");
  if (!subject) return no_such_path();
  return subject;
}

Result<Subject> subject_from_words(const std::vector<std::string>& words,
                                   const std::string& default_namespace) {
  constexpr std::string_view kWanted =
      "expected pod, resourceclaim, podgroup, devicetaintrule or pool, and a name: "
      "explain pod lab/trainer-0";
  if (words.empty() || words.size() > 2) return bad_words(std::string(kWanted));
  std::string kind_word = words.front();
  std::string name = words.back();
  if (words.size() == 1) {  // pod/trainer-0
    const std::size_t slash = kind_word.find('/');
    if (slash == std::string::npos) return bad_words(std::string(kWanted));
    name = kind_word.substr(slash + 1);
    kind_word.resize(slash);
  }
  const auto kind = kind_named(kind_word);
  if (!kind) return bad_words(fmt::format("\"{}\" cannot be explained: {}", kind_word, kWanted));
  return subject_named(*kind, name, default_namespace);
}

}  // namespace dcm::explain
