#include <algorithm>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "explain/devices/tell.hpp"

namespace dcm::explain {
namespace {

using common::enumerate;

std::string describe_change(const Change& change, const Wording& words) {
  if (change.untaint) {
    const std::string rule =
        change.rule.empty() ? "" : fmt::format(" by DeviceTaintRule \"{}\"", change.rule);
    return fmt::format("taint {}{} of {} is removed{}", explain::describe(*change.untaint), rule,
                       enumerate(change.devices, kFactsMax),
                       words.is_extended_only() ? "" : ", or tolerated by a new claim");
  }
  const allocation::Claim& claim = *change.release;
  if (!words.may_name(claim)) return "a claim of another namespace is released";
  const std::string consumers = words.consumers(claim);
  if (consumers.empty()) {
    return fmt::format("claim {} is deallocated or deleted", claim.meta.key.str());
  }
  const auto is_known = [](const api::ConsumerReference& consumer) {
    return consumer.is_pod() || consumer.is_pod_group();
  };
  if (!std::ranges::all_of(claim.reserved_for, is_known)) {
    return fmt::format("claim {} is released by {}", claim.meta.key.str(), consumers);
  }
  // A group holds its claims as long as it exists, even if all its pods have ended.
  const bool is_of_group =
      std::ranges::any_of(claim.reserved_for, &api::ConsumerReference::is_pod_group);
  const bool is_one = claim.reserved_for.size() == 1;
  const std::string_view end =
      is_of_group ? (is_one ? "is deleted" : "are deleted") : (is_one ? "ends" : "end");
  return fmt::format("claim {} is released, when {} {}", claim.meta.key.str(), consumers, end);
}

}  // namespace

void tell_remedy(const DeviceSurvey& survey, common::Topic& topic) {
  const CloseNode& close = survey.closest().front();
  const auto& [changes, need, has_more] = close.remedy;
  std::vector<std::string> parts;
  for (const Change& change : changes) parts.push_back(describe_change(change, survey.wording()));
  const bool is_any = need == Remedy::Need::any_of_them;
  const bool has_others = has_more || std::ranges::any_of(survey.closest() | std::views::drop(1),
                                                          [](const CloseNode& other) {
                                                            return !other.remedy.changes.empty();
                                                          });
  topic.add(common::Outlook::note, "WouldFit",
            fmt::format("What would have to change{}: {} has devices for {} as soon as {}{}.",
                        has_others ? ", for example" : "", close.node->name.str(),
                        survey.question().is_of_pod ? "the pod" : "the claim",
                        is_any && parts.size() > 1 ? "one of these happens: " : "",
                        fmt::join(parts, is_any ? "; or " : ", and ")));
}

}  // namespace dcm::explain
