#include "explain/source.hpp"

#include <utility>

#include "controllers/resource_claim/explain/explain.hpp"

namespace dcm::explain {
namespace {

using common::Draft;
using common::Outlook;
using common::Topic;

Draft about(Subject::Kind kind, const api::ObjectMeta& meta, std::string description) {
  return {.about = {.kind = std::string(kind_of(kind)),
                    .namespace_ = meta.key.namespace_.str(),
                    .name = meta.key.name,
                    .uid = meta.uid.str(),
                    .description = std::move(description)}};
}

Topic not_run(const char* controller) {
  Topic topic{.title = controller};
  topic.add(Outlook::unknown, "NotRun",
            "This instance does not run it (--controllers): ask the one that does.");
  return topic;
}

std::string describe(const api::ResourceClaim& claim) {
  std::string text = claim.is_allocated ? "allocated" : "not allocated";
  text += claim.reserved_for.empty() ? ", not reserved" : ", reserved";
  if (claim.meta.is_being_deleted) text += ", being deleted";
  return text;
}

void append(Draft& draft, std::vector<Topic> topics) {
  for (Topic& topic : topics) draft.topics.push_back(std::move(topic));
}

}  // namespace

std::optional<Draft> ControllersSource::explain(const Subject& subject) const {
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

std::optional<Draft> ControllersSource::explain_pod(const api::NamespacedName& key) const {
  const auto pod = parts_.pods.get(key);
  if (pod == nullptr) return std::nullopt;
  Draft draft = about(Subject::Kind::pod, pod->meta, resource_claim::describe(*pod));
  if (!pod->is_of_interest()) {
    Topic& topic = draft.topics.emplace_back(Topic{.title = "Claims"});
    topic.add({Outlook::fine, {}}, "NoClaims",
              "The pod names no claims. (If it asks for an extended resource that a DeviceClass "
              "offers, the scheduler makes a claim when it places the pod.)");
    return draft;
  }
  append(draft, parts_.claim_controller == nullptr
                    ? std::vector{not_run("resourceclaim-controller")}
                    : parts_.claim_controller->explain_pod(pod, parts_.miss));
  draft.topics.push_back(parts_.eviction_controller == nullptr
                             ? not_run("device-taint-eviction-controller")
                             : parts_.eviction_controller->explain_pod(pod));
  return draft;
}

std::optional<Draft> ControllersSource::explain_claim(const api::NamespacedName& key) const {
  const auto claim = parts_.claims.get(key);
  if (claim == nullptr) return std::nullopt;
  Draft draft = about(Subject::Kind::claim, claim->meta, describe(*claim));
  append(draft, parts_.claim_controller == nullptr
                    ? std::vector{not_run("resourceclaim-controller")}
                    : parts_.claim_controller->explain_claim(claim, parts_.miss));
  draft.topics.push_back(parts_.eviction_controller == nullptr
                             ? not_run("device-taint-eviction-controller")
                             : parts_.eviction_controller->explain_taints_of(*claim));
  return draft;
}

std::optional<Draft> ControllersSource::explain_group(const api::NamespacedName& key) const {
  if (parts_.claim_controller == nullptr) return std::nullopt;
  const auto group = parts_.claim_controller->find_group(key);
  if (group == nullptr) return std::nullopt;
  Draft draft = about(Subject::Kind::group, group->meta,
                      resource_claim::describe(*group, parts_.claim_controller->pods_of(*group)));
  append(draft, parts_.claim_controller->explain_group(group, parts_.miss));
  return draft;
}

std::optional<Draft> ControllersSource::explain_rule(const std::string& name) const {
  if (parts_.eviction_controller == nullptr) return std::nullopt;
  const auto rule = parts_.eviction_controller->find_rule(name);
  if (rule == nullptr) return std::nullopt;
  Draft draft = about(Subject::Kind::rule, rule->meta,
                      rule->meta.is_being_deleted ? "being deleted" : "in force");
  append(draft, parts_.eviction_controller->explain_rule(name));
  return draft;
}

}  // namespace dcm::explain
