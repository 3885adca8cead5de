#include "explain/source.hpp"

#include <utility>

#include <fmt/format.h>

#include "controllers/api/fields/parts.hpp"
#include "controllers/api/resources.hpp"

namespace dcm::explain {
namespace {

using common::Draft;
using common::Explainer;
using common::Outlook;
using common::Topic;

Topic not_run(std::string_view controller) {
  Topic topic{.title = std::string(controller)};
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

// The part of each controller; `explain` is the member of Explainer for this type of object.
template <class Explain, class Object>
std::vector<Topic> topics_of(const std::vector<Explainer>& controllers, Explain explain,
                             const Object& object) {
  std::vector<Topic> all;
  for (const Explainer& controller : controllers) {
    if (!(controller.*explain)) {
      all.push_back(not_run(controller.controller));
      continue;
    }
    for (Topic& topic : (controller.*explain)(object)) all.push_back(std::move(topic));
  }
  return all;
}

}  // namespace

std::string describe(const api::Pod& pod) {
  const std::string node =
      pod.node_name.empty() ? ", on no node yet" : " on " + pod.node_name.str();
  return fmt::format("{}{}{}", api::to_word(pod.phase), node,
                     pod.meta.is_being_deleted ? ", being deleted" : "");
}

std::optional<Draft> ControllersSource::explain(const Subject& subject) const {
  if (subject.kind == Subject::Kind::pod) return explain_pod(subject.key);
  if (subject.kind == Subject::Kind::claim) return explain_claim(subject.key);
  return explain_other(subject);
}

std::optional<Draft> ControllersSource::explain_pod(const api::NamespacedName& key) const {
  const auto pod = parts_.pods.get(key);
  if (pod == nullptr) return std::nullopt;
  Draft draft = common::draft_about(api::kPods, pod->meta, describe(*pod));
  if (!pod->is_of_interest()) {
    Topic& topic = draft.topics.emplace_back(Topic{.title = "Claims"});
    topic.add({Outlook::fine, {}}, "NoClaims",
              "The pod names no claims. (If it asks for an extended resource that a DeviceClass "
              "offers, the scheduler makes a claim when it places the pod.)");
    return draft;
  }
  draft.topics = topics_of(parts_.controllers, &Explainer::pod, pod);
  return draft;
}

std::optional<Draft> ControllersSource::explain_claim(const api::NamespacedName& key) const {
  const auto claim = parts_.claims.get(key);
  if (claim == nullptr) return std::nullopt;
  return common::draft_about(api::kResourceClaims, claim->meta, describe(*claim),
                             topics_of(parts_.controllers, &Explainer::claim, claim));
}

std::optional<Draft> ControllersSource::explain_other(const Subject& subject) const {
  for (const Explainer& controller : parts_.controllers) {
    if (!controller.other) continue;
    if (auto draft = controller.other(resource_of(subject.kind), subject.key)) return draft;
  }
  return std::nullopt;
}

}  // namespace dcm::explain
