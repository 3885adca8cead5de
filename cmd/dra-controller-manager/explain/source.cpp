#include "cmd/dra-controller-manager/explain/source.hpp"

#include <utility>

#include "controllers/resource_claim/explain/explain.hpp"

namespace dcm::manager {
namespace {

using common::Explanation;
using common::Outlook;
using common::Topic;

Explanation about(Subject::Kind kind, const api::ObjectMeta& meta, std::string description) {
  return {.kind = std::string(kind_of(kind)),
          .namespace_ = meta.key.namespace_.str(),
          .name = meta.key.name,
          .uid = meta.uid.str(),
          .description = std::move(description),
          .topics = {}};
}

Topic not_run(const char* controller) {
  Topic topic{.title = controller, .findings = {}};
  topic.add(Outlook::note, "NotRun", "This instance does not run it (--controllers).");
  return topic;
}

std::string describe(const api::ResourceClaim& claim) {
  std::string text = claim.is_allocated ? "allocated" : "not allocated";
  text += claim.reserved_for.empty() ? ", not reserved" : ", reserved";
  if (claim.meta.is_being_deleted) text += ", being deleted";
  return text;
}

void append(Explanation& explanation, std::vector<Topic> topics) {
  for (Topic& topic : topics) explanation.topics.push_back(std::move(topic));
}

}  // namespace

std::optional<Explanation> ControllersSource::explain(const Subject& subject) const {
  switch (subject.kind) {
    case Subject::Kind::pod:
      return explain_pod(subject.key);
    case Subject::Kind::claim:
      return explain_claim(subject.key);
    case Subject::Kind::group:
      return explain_group(subject.key);
    case Subject::Kind::rule:
      break;
  }
  return explain_rule(subject.key.name);
}

std::optional<Explanation> ControllersSource::explain_pod(const api::NamespacedName& key) const {
  const auto pod = parts_.pods.get(key);
  if (pod == nullptr) return std::nullopt;
  Explanation explanation = about(Subject::Kind::pod, pod->meta, resource_claim::describe(*pod));
  if (!pod->is_of_interest()) {
    Topic& topic = explanation.topics.emplace_back(Topic{"Claims", {}});
    topic.add(Outlook::fine, "NoClaims",
              "The pod uses no claims: nothing that happens to it has to do with them.");
    return explanation;
  }
  append(explanation, parts_.claim_controller == nullptr
                          ? std::vector{not_run("resourceclaim-controller")}
                          : parts_.claim_controller->explain_pod(pod, parts_.miss));
  explanation.topics.push_back(parts_.eviction_controller == nullptr
                                   ? not_run("device-taint-eviction-controller")
                                   : parts_.eviction_controller->explain_pod(pod));
  return explanation;
}

std::optional<Explanation> ControllersSource::explain_claim(const api::NamespacedName& key) const {
  const auto claim = parts_.claims.get(key);
  if (claim == nullptr) return std::nullopt;
  Explanation explanation = about(Subject::Kind::claim, claim->meta, describe(*claim));
  append(explanation, parts_.claim_controller == nullptr
                          ? std::vector{not_run("resourceclaim-controller")}
                          : parts_.claim_controller->explain_claim(claim, parts_.miss));
  explanation.topics.push_back(parts_.eviction_controller == nullptr
                                   ? not_run("device-taint-eviction-controller")
                                   : parts_.eviction_controller->explain_taints_of(*claim));
  return explanation;
}

std::optional<Explanation> ControllersSource::explain_group(const api::NamespacedName& key) const {
  if (parts_.claim_controller == nullptr) return std::nullopt;
  const auto group = parts_.claim_controller->find_group(key);
  if (group == nullptr) return std::nullopt;
  Explanation explanation =
      about(Subject::Kind::group, group->meta,
            resource_claim::describe(*group, parts_.claim_controller->pods_of(*group)));
  append(explanation, parts_.claim_controller->explain_group(group, parts_.miss));
  return explanation;
}

std::optional<Explanation> ControllersSource::explain_rule(const std::string& name) const {
  if (parts_.eviction_controller == nullptr) return std::nullopt;
  const auto rule = parts_.eviction_controller->find_rule(name);
  if (rule == nullptr) return std::nullopt;
  Explanation explanation = about(Subject::Kind::rule, rule->meta,
                                  rule->meta.is_being_deleted ? "being deleted" : "in force");
  append(explanation, parts_.eviction_controller->explain_rule(name));
  return explanation;
}

}  // namespace dcm::manager
