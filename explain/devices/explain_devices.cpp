#include "explain/devices/explain_devices.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "explain/devices/tell.hpp"

namespace dcm::explain {
namespace {

using common::Outlook;
using common::Topic;

void tell_no_nodes(const DeviceSurvey& survey, Topic& topic) {
  const std::size_t nodes = survey.inventory().nodes().size();
  if (survey.left_out() > 0) return;  // left-out nodes are reported at the end
  if (survey.excluded_by_plugin() > 0) {
    return topic.add(Outlook::unknown, "DevicePlugin",
                     "Wherever the pod may go, a device plugin has its extended resource: see what "
                     "the scheduler says.");
  }
  if (survey.excluded_by_claims() > 0) {
    std::vector<std::string> claims;
    for (const allocation::Claim* const claim : survey.question().allocated) {
      if (claim->allocation->node_selector) {
        claims.push_back(fmt::format("claim \"{}\"", claim->meta.key.name));
      }
    }
    return topic.add(Outlook::stuck, "NoNode",
                     fmt::format("The devices of {} cannot be used {}on any node that the pod may "
                                 "go to: {} allocated already.",
                                 common::enumerate(claims), claims.size() == 1 ? "" : "together ",
                                 claims.size() == 1 ? "it is" : "they are"));
  }
  topic.add(Outlook::stuck, "NoNode",
            nodes == 0   ? "The cluster has no nodes."
            : nodes == 1 ? "The pod may not go to the only node."
                         : fmt::format("The pod may go to none of the {} nodes.", nodes));
}

void tell_undecided(const DeviceSurvey& survey, Topic& topic) {
  topic.add(Outlook::unknown, "NotDecided",
            fmt::format("It is not decided whether {} can have the devices: the search for a "
                        "combination of devices is too large.",
                        count(survey.undecided(), "node")));
}

// kube-scheduler does not recognize the claim: PreBind of the second pod claim fails.
void tell_named_twice(const DeviceQuestion& question, Topic& topic) {
  const auto& claims = question.claims;
  for (auto claim = claims.begin(); claim != claims.end(); ++claim) {
    const bool is_second = std::count(claims.begin(), claim, *claim) == 1;
    if (!is_second) continue;
    topic.add(Outlook::note, "ClaimNamedTwice",
              fmt::format(
                  "Several pod claims name ResourceClaim \"{}\". kube-scheduler looks for devices "
                  "for each of them, and its first attempt fails because the claim \"got allocated "
                  "elsewhere in the meantime\". Name it in one pod claim, which several containers "
                  "may use.",
                  (*claim)->meta.key.name));
  }
}

void tell_outcome(DeviceSurvey& survey, Topic& topic) {
  if (survey.fatal()) return tell_error(survey, topic);
  if (survey.looked_at() == 0) return tell_no_nodes(survey, topic);
  if (std::ranges::any_of(survey.groups(), &NodeGroup::fits)) return tell_free(survey, topic);
  if (survey.undecided() > 0) return tell_undecided(survey, topic);
  survey.find_remedies();
  tell_obstacles(survey, topic);
}

}  // namespace

Topic explain_devices(DeviceSurvey& survey) {
  Topic topic{.title = "Devices"};
  if (survey.question().extended.lacks_class()) {
    tell_unserved(survey, topic);
  } else {
    tell_outcome(survey, topic);
    tell_nodes(survey, topic);
  }
  tell_named_twice(survey.question(), topic);
  tell_left_out(survey, topic);
  topic.rest_on({common::Input::devices});
  return topic;
}

runtime::Task<Topic> survey_devices(DeviceInventory& inventory, DeviceQuestion question,
                                    runtime::TimeSource& time, runtime::Duration budget) {
  const auto until = time.now() + budget;
  question.is_time_up = [&time, until] { return time.now() >= until; };
  DeviceSurvey survey(inventory, question);
  constexpr runtime::Duration kSlice = std::chrono::milliseconds(1);
  auto slice_ends = time.now() + kSlice;
  while (survey.advance()) {
    if (time.now() < slice_ends) continue;
    co_await runtime::yield();
    slice_ends = time.now() + kSlice;
  }
  co_return explain_devices(survey);
}

}  // namespace dcm::explain
