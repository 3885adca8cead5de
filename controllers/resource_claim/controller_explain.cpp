// The controller's explanations of objects: passes its caches and its queue to explain_pod.hpp,
// explain_claim.hpp and explain_group.hpp.
#include "controllers/common/pod_claims.hpp"
#include "controllers/resource_claim/controller.hpp"
#include "controllers/resource_claim/explain/explain_group.hpp"
#include "controllers/resource_claim/explain/explain_surplus.hpp"
#include "controllers/resource_claim/sync/snapshots.hpp"

namespace dcm::resource_claim {

std::vector<common::Topic> Controller::explain_pod(const PodPtr& pod, Miss miss) const {
  const auto snapshot_of = [this](const ClaimPtr& claim) {
    return make_claim_snapshot(stores_, wakeups_.deleted_consumers(), options_.gates, claim);
  };
  auto topics =
      resource_claim::explain_pod(pod_sync_.snapshot_of(pod), options_.gates, miss, snapshot_of);
  explain_work({Item::Kind::pod, pod->meta.key}, topics.back());
  return topics;
}

std::vector<common::Topic> Controller::explain_claim(const ClaimPtr& claim, Miss miss) const {
  auto topics = resource_claim::explain_claim(
      make_claim_snapshot(stores_, wakeups_.deleted_consumers(), options_.gates, claim), miss);
  const PodPtr pod = common::has_pod_as_controller(*claim)
                         ? stores_.pods.get({claim->meta.key.namespace_, claim->controller->name})
                         : nullptr;
  if (pod != nullptr && common::is_owned_by(*claim, *pod)) {
    explain_surplus(pod_sync_.snapshot_of(pod), options_.gates, *claim, topics.front());
  }
  std::vector<std::string> users;
  stores_.pods_by_claim.for_each(claim->meta.key, [&](const PodPtr& pod) {
    users.push_back("\"" + pod->meta.key.name + "\"");
  });
  topics.front().add(common::Outlook::note, "Users",
                     users.empty() ? "No pod that is known refers to it."
                                   : "Pods that refer to it: " + common::enumerate(users) + ".");
  explain_work({Item::Kind::claim, claim->meta.key}, topics.back());
  return topics;
}

std::vector<common::Topic> Controller::explain_group(const GroupPtr& group, Miss miss) const {
  auto topics = resource_claim::explain_group(group_sync_.snapshot_of(group), options_.gates, miss);
  explain_work({Item::Kind::group, group->meta.key}, topics.back());
  return topics;
}

void Controller::explain_work(const Item& item, common::Topic& topic) const {
  const workqueue::Now now{time_.now(), time_.wall_now()};
  const workqueue::ItemReport report = queue_.report(item);
  const workqueue::Problem* problem = problems_.find(item);
  if (problem != nullptr) {
    topic.add(common::Outlook::stuck, "LastProblem", describe(*problem, now));
  }
  if (report.state == workqueue::ItemState::idle) return;
  topic.add(common::Outlook::acting, "Queued", describe(report, now));
}

}  // namespace dcm::resource_claim
