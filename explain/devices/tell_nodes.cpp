#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "explain/devices/tell.hpp"

namespace dcm::explain {
namespace {

using common::enumerate;
using common::Outlook;
using common::Topic;

constexpr std::size_t kGroupsMax = 8;
constexpr std::size_t kRequestsMax = 8;
constexpr std::size_t kNodesNamedMax = 5;
constexpr std::size_t kVariantsNamedMax = 4;
constexpr std::size_t kObstaclesMax = 12;

std::string describe(const RequestAnswer& request, const Wording& words) {
  const std::string name = words.name(request.claim, request.name);
  const std::string wanted = request.is_all ? "all" : std::to_string(request.wanted);
  if (request.devices == 0) {
    return fmt::format("request {} wants {}, there is no device.", name, wanted);
  }
  const std::string obstacles = describe_obstacles(request.obstacles);
  return fmt::format("request {} wants {}, {} of {} free{}{}.", name, wanted, request.free,
                     count(request.devices, "device"), obstacles.empty() ? "" : "; ", obstacles);
}

void tell(const NodeGroup& group, const Wording& words, Topic& topic) {
  if (std::ranges::none_of(group.requests, &RequestAnswer::is_examined)) return;
  std::string text = name_nodes(group.nodes);
  if (group.nodes.size() > 1) text += fmt::format(" ({} nodes, each)", group.nodes.size());
  text += ":";
  std::size_t told = 0, more = 0;
  for (const RequestAnswer& request : group.requests) {
    if (!request.is_examined) continue;
    if (told == kRequestsMax) {
      ++more;
      continue;
    }
    ++told;
    text += " " + describe(request, words);
  }
  if (more > 0)
    text += fmt::format(" {} not listed.", more == 1 ? "1 more request is"
                                                     : fmt::format("{} more requests are", more));
  topic.add(Outlook::note, "NodeDevices", std::move(text));
}

// "node-1 is cordoned, and node-2 has taint a=b:NoSchedule"
std::string describe_closed(const std::vector<const allocation::Node*>& nodes,
                            const std::vector<allocation::Toleration>& tolerations) {
  std::vector<std::string> reasons;
  reasons.reserve(nodes.size());
  for (const allocation::Node* const node : nodes) {
    reasons.push_back(
        closure_of(*node, tolerations) == allocation::Closure::cordon
            ? fmt::format("{} is cordoned", node->name)
            : fmt::format("{} has taint {}", node->name,
                          explain::describe(*find_untolerated(node->taints, tolerations))));
  }
  return enumerate(reasons, kNodesNamedMax);
}

}  // namespace

std::string name_nodes(const std::vector<const allocation::Node*>& nodes) {
  std::vector<std::string> names;
  names.reserve(nodes.size());
  for (const allocation::Node* const node : nodes) names.push_back(node->name.str());
  return enumerate(names, kNodesNamedMax);
}

std::string describe_obstacles(const std::map<std::string, Tally>& obstacles) {
  std::vector<std::pair<std::size_t, std::string>> parts;
  for (const auto& [kind, tally] : obstacles) {
    std::vector<std::string> variants;
    for (const auto& [variant, devices] : tally.variants) {
      variants.push_back(tally.variants.size() == 1 ? variant
                                                    : fmt::format("{} ({})", variant, devices));
    }
    std::string text = fmt::format("{} {}", tally.devices, kind);
    if (tally.has_more_variants) {
      variants.resize(kVariantsNamedMax);
      text += fmt::format(": {} and others", fmt::join(variants, ", "));
    } else if (!variants.empty()) {
      text += ": " + enumerate(variants, kVariantsNamedMax);
    }
    parts.emplace_back(tally.devices, std::move(text));
  }
  std::ranges::sort(parts, [](const auto& a, const auto& b) {
    return std::tie(b.first, a.second) < std::tie(a.first, b.second);
  });
  // Each device may have an obstacle of its own.
  const std::size_t told = std::min(parts.size(), kObstaclesMax);
  std::string text;
  for (std::size_t i = 0; i < told; ++i) text += (text.empty() ? "" : "; ") + parts[i].second;
  std::size_t others = 0;
  for (std::size_t i = told; i < parts.size(); ++i) others += parts[i].first;
  if (others > 0) text += fmt::format("; {} for other reasons", others);
  return text;
}

void tell_nodes(const DeviceSurvey& survey, Topic& topic) {
  std::size_t nodes_left = 0;
  for (std::size_t i = 0; i < survey.groups().size(); ++i) {
    if (i < kGroupsMax) tell(survey.groups()[i], survey.wording(), topic);
    if (i >= kGroupsMax) nodes_left += survey.groups()[i].nodes.size();
  }
  if (nodes_left > 0) {
    topic.add(Outlook::note, "MoreNodes",
              fmt::format("{} have other numbers of such devices, and are not listed.",
                          count(nodes_left, "more node")));
  }
}

void tell_left_out(const DeviceSurvey& survey, Topic& topic) {
  const auto note = [&](std::size_t nodes, std::string_view why) {
    if (nodes == 0) return;
    topic.add(Outlook::note, "NodesLeftOut",
              fmt::format("{} left out: {}.", count(nodes, "node"), why));
  };
  note(survey.excluded_by_pod(), "the pod's nodeSelector or node affinity rules them out");
  note(survey.closed().size(), "the pod does not tolerate that " +
                                   describe_closed(survey.closed(), survey.question().tolerations));
  note(survey.excluded_by_plugin(),
       "a device plugin has an extended resource of the pod there; what is free of it is not known "
       "here");
  note(survey.excluded_by_claims(),
       "another claim of the pod is allocated already, and its devices are not for these nodes");
  if (survey.left_out() == 0) return;
  topic.add(Outlook::unknown, "NotLookedAt",
            fmt::format("{} of {} were not looked at, to answer in time.", survey.left_out(),
                        count(survey.inventory().nodes().size(), "node")));
}

}  // namespace dcm::explain
