#include "controllers/device_taint_eviction/explain.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "runtime/time_words.hpp"

namespace dcm::device_taint_eviction {
namespace {

using common::Input;
using common::Inputs;
using common::Outlook;
using common::Topic;
using runtime::in_words;

constexpr std::size_t kNamedMax = 20;
// The inputs about the taints and the users of a device.
constexpr Inputs kTaints = {Input::rules, Input::slices};
constexpr Inputs kUsers = {Input::pods, Input::claims};

// "broken=ecc:NoExecute"
std::string words(const api::DeviceTaint& taint) {
  return fmt::format("{}{}:{}", taint.key.str(),
                     taint.value.str().empty() ? "" : "=" + taint.value.str(),
                     to_word(taint.effect));
}

std::string author_of(const Rule* rule) {
  return rule == nullptr ? "Its driver"
                         : fmt::format("DeviceTaintRule \"{}\"", rule->object->meta.key.name);
}

// Explains what a taint does to the pod that uses the device.
void explain_charge(const Charge& charge, WallTime now, Topic& topic) {
  const std::optional<WallTime>& time_added = charge.taint.time_added;
  const std::string what = fmt::format("{} taints device {} with {}", author_of(charge.rule),
                                       charge.device.id.str(), words(charge.taint));
  if (!time_added) {
    return topic.add(Outlook::note, "TaintWithoutTime",
                     what + ", without a time: it is ignored, because its start is unknown.");
  }
  const std::string since = fmt::format("{} since {}", what, in_words(*time_added, now));
  if (!charge.due) {
    return topic.add({Outlook::fine, {}}, "Tolerated", since + ". It is tolerated forever.");
  }
  const bool is_tolerated = *charge.due > *time_added;
  topic.add(Outlook::note, "Tainted",
            is_tolerated
                ? fmt::format("{}. That is tolerated until {}.", since, in_words(*charge.due, now))
                : since + ". That is not tolerated.");
}

void explain_step(EvictionStep step, const EvictionSnapshot& snapshot, Topic& topic) {
  const auto add_due = [&](std::string_view what) {
    topic.add(Outlook::acting, "Evict",
              fmt::format("The pod has been due since {}: {}.",
                          in_words(*snapshot.due, snapshot.now), what));
  };
  switch (step) {
    case EvictionStep::nothing:
      return topic.add({Outlook::fine, kTaints}, "NotEvicted", "Nothing evicts the pod.");
    case EvictionStep::wait:
      return topic.add(
          {Outlook::waiting, {Input::worker}}, "EvictionDue",
          fmt::format("The pod will be evicted at {}, unless its taints are removed before.",
                      in_words(*snapshot.due, snapshot.now)));
    case EvictionStep::mark:
    case EvictionStep::mark_too:
      return add_due("its condition DisruptionTarget is written, then it is deleted");
    case EvictionStep::remove:
      return add_due("its condition DisruptionTarget is written, now it is deleted");
    case EvictionStep::evict:
      return add_due("it is evicted through the Eviction API, as far as its budget allows");
  }
}

// Explains each charge for which `for_each(visit)` calls `visit`. Returns how many there are.
template <class ForEach>
std::size_t explain_charges(ForEach for_each, WallTime now, Topic& topic) {
  std::size_t charges = 0;
  for_each([&](const Charge& charge) {
    if (charges++ < kNamedMax) explain_charge(charge, now, topic);
  });
  if (charges > kNamedMax) topic.add_more("MoreTaints", charges - kNamedMax);
  return charges;
}

std::string describe(const api::DeviceSelector& selector) {
  std::vector<std::string> parts;
  if (!selector.driver.str().empty()) parts.push_back("driver " + selector.driver.str());
  if (!selector.pool.str().empty()) parts.push_back("pool " + selector.pool.str());
  if (!selector.device.str().empty()) parts.push_back("device " + selector.device.str());
  return parts.empty() ? "every device there is" : "the devices of " + common::enumerate(parts);
}

void explain_selector(const RuleFacts& facts, Topic& topic) {
  const api::DeviceTaintRule& rule = facts.rule;
  if (!rule.selector) {
    return topic.add(
        Outlook::stuck, "SelectsNothing",
        "It has no spec.deviceSelector, and so selects no device. (An empty one selects "
        "every device.)");
  }
  if (!has_usable_selector(rule)) {
    return topic.add(Outlook::stuck, "SelectorNotUnderstood",
                     fmt::format("Its spec.deviceSelector has \"{}\", which this version does not "
                                 "know. It selects nothing, so that no pod is evicted by mistake.",
                                 rule.unknown_selector_field));
  }
  topic.add({Outlook::note, {Input::slices}}, "Selects",
            fmt::format("It selects {}: {} in the current slices.", describe(*rule.selector),
                        common::count(facts.published_devices, "published device")));
}

void explain_effect(const RuleFacts& facts, Topic& topic) {
  const api::DeviceTaint& taint = facts.rule.taint;
  if (taint.effect != api::TaintEffect::no_execute) {
    return topic.add(Outlook::note, "EvictsNobody",
                     fmt::format("Its taint is {}: only NoExecute evicts.", words(taint)));
  }
  if (!taint.time_added) {
    return topic.add(Outlook::stuck, "TaintWithoutTime",
                     "Its taint has no timeAdded, which the API server should have filled in: no "
                     "pod is evicted because of it.");
  }
  topic.add(Outlook::note, "Evicts",
            fmt::format("Its taint is {}, since {}: pods that do not tolerate it are evicted.",
                        words(taint), in_words(*taint.time_added, facts.now)));
}

void explain_pods(RuleFacts& facts, Topic& topic) {
  if (!evicts(facts.rule)) return;
  const char* more = facts.look == RuleFacts::Look::cut_short ? "At least " : "";
  if (facts.pods.empty()) {
    topic.add({Outlook::fine, kUsers}, "NobodyToEvict", "It evicts no pod.");
  } else {
    topic.add(
        {facts.pods.front().due <= facts.now ? Outlook::acting : Outlook::waiting, {Input::worker}},
        "PodsPendingEviction",
        fmt::format("{}{} must leave because of it, now or later.", more,
                    common::count(facts.pods.size(), "pod")));
  }
  for (std::size_t i = 0; i < facts.pods.size(); ++i) {
    if (i == kNamedMax) {
      topic.add_more("MorePods", facts.pods.size() - kNamedMax);
      break;
    }
    const AffectedPod& pod = facts.pods[i];
    topic.add(Outlook::note, "PodPending",
              fmt::format("Pod {} {} {}.", pod.key.str(),
                          pod.due <= facts.now ? "has been due since" : "is due at",
                          in_words(pod.due, facts.now)));
  }
  if (facts.walk == RuleFacts::Walk::under_way) {
    topic.add(Outlook::acting, "StillCounting",
              "Its devices are still being examined: there may be more.");
  }
}

std::string says(const api::Condition& condition) {
  return fmt::format("{}, {}: \"{}\"", condition.status, condition.reason, condition.message);
}

struct PlanWords {
  const api::Condition& wanted;
  WallTime now;
  Topic& topic;

  void operator()(const NoWrite&) const {
    topic.add({Outlook::fine, kUsers}, "ConditionIsRight", "That is up to date.");
  }
  void operator()(const WriteLater& plan) const {
    topic.add(
        {Outlook::waiting, kUsers | Inputs{Input::worker}}, "ConditionFollows",
        fmt::format("It should say {}; that is written at {}, as a condition is written at most "
                    "every {} s.",
                    says(wanted), in_words(now + plan.delay, now), kConditionInterval.count()));
  }
  void operator()(const WriteCondition&) const {
    topic.add({Outlook::acting, kUsers}, "WriteCondition",
              fmt::format("It should say {}, which is written now.", says(wanted)));
  }
};

Topic explain_condition(const RuleFacts& facts) {
  Topic topic{.title = "Condition EvictionInProgress"};
  if (facts.rule.condition) {
    const bool is_older = facts.rule.condition->observed_generation != facts.rule.generation;
    topic.add(Outlook::note, "Condition",
              fmt::format("It says {}, since {}{}.", says(*facts.rule.condition),
                          in_words(facts.rule.condition->last_transition_time, facts.now),
                          is_older ? ", about an earlier generation of the rule" : ""));
  } else {
    topic.add(Outlook::note, "NoCondition", "There is none.");
  }
  if (facts.wanted) {
    std::visit(PlanWords{*facts.wanted, facts.now, topic},
               decide_write(facts.rule, *facts.wanted, facts.now));
  }
  return topic;
}

}  // namespace

Topic explain_pod(EvictionSnapshot snapshot, const Lookup& lookup, const Taints& taints,
                  Evicted evicted) {
  const api::Pod& pod = *snapshot.pod;
  Topic topic{.title = "device-taint-eviction-controller"};
  if (evicted == Evicted::yes) {
    topic.add(Outlook::note, "Evicted",
              "It was evicted: the API server has accepted its deletion.");
    return topic;
  }
  if (!common::is_active(pod)) {
    topic.add({Outlook::fine, {}}, "LeftAlone",
              "The pod has ended or is being deleted: taints on its devices no longer matter.");
    return topic;
  }
  if (pod.node_name.empty()) {
    topic.add({Outlook::fine, {}}, "OnNoNode", "The pod is on no node: there is nothing to evict.");
    return topic;
  }
  topic.asks = kTaints | Inputs{Input::claims};
  snapshot.due = decide_due(pod, lookup, taints).due;
  explain_step(decide_eviction(snapshot), snapshot, topic);
  const std::size_t charges = explain_charges(
      [&](auto visit) { for_each_charge(pod, lookup, taints, visit); }, snapshot.now, topic);
  if (charges == 0) {
    topic.add({Outlook::fine, kTaints | Inputs{Input::claims}}, "NoTaint",
              "No taint with effect NoExecute is on a device that it uses.");
  }
  return topic;
}

Topic explain_taints_of(const ClaimPtr& claim, const Taints& taints, WallTime now) {
  Topic topic{.title = "device-taint-eviction-controller"};
  if (!claim->devices.empty()) topic.asks = kTaints;
  const std::size_t charges =
      explain_charges([&](auto visit) { for_each_charge_of(claim, taints, visit); }, now, topic);
  if (charges == 0) {
    topic.add({Outlook::fine, kTaints}, "NoTaint",
              "No taint with effect NoExecute is on its devices.");
  }
  return topic;
}

std::vector<Topic> explain_rule(RuleFacts facts) {
  std::ranges::sort(facts.pods, {}, [](const AffectedPod& pod) {
    return std::tuple(pod.due, pod.key.namespace_, pod.key.name);
  });
  Topic topic{.title = "device-taint-eviction-controller"};
  if (evicts(facts.rule)) topic.asks = kUsers;
  explain_selector(facts, topic);
  explain_effect(facts, topic);
  explain_pods(facts, topic);
  return {std::move(topic), explain_condition(facts)};
}

}  // namespace dcm::device_taint_eviction
