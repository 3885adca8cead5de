#include "explain/evidence.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "allocation/claim.hpp"
#include "explain/evidence_words.hpp"
#include "explain/kubelet_evidence.hpp"
#include "runtime/time_words.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::explain {
namespace {

using common::Draft;
using common::Input;
using common::Outlook;
using common::Sight;
using common::Stance;
using common::Topic;
using common::Worker;
using runtime::WallTime;

constexpr std::array kAboutRefusals = {
    Advice{"exceeded quota",
           "Raise the quota, or delete claims that are no longer needed: the next attempt then "
           "succeeds."},
    Advice{"failed quota",
           "Raise the quota, or delete claims that are no longer needed: the next attempt then "
           "succeeds."},
    Advice{"ValidatingAdmissionPolicy",
           "Change the ResourceClaimTemplate as the policy asks, or the policy: the next attempt "
           "then succeeds."},
    Advice{"admission webhook",
           "Change the ResourceClaimTemplate as the webhook asks, or the webhook: the next attempt "
           "then succeeds."},
    Advice{"failed calling webhook",
           "Repair or remove the webhook: the next attempt then succeeds."},
    Advice{"being terminated",
           "The namespace is being deleted, and nothing can be created in it: create the pod in "
           "another namespace."},
    Advice{"cannot create resource",
           "Grant the manager's account that permission (docs/security.md lists them all)."},
};

constexpr std::array kAboutScheduling = {
    Advice{"could not find ResourceClaim", "The pod continues when that claim exists."},
    Advice{"was not created for Pod",
           "The name is another object's: delete that object, or the pod."},
    Advice{"is in the process of being allocated",
           "Another pod's scheduling allocates that claim now; this resolves by itself."},
    Advice{"is being deleted",
           "The scheduler uses no claim that is being deleted: delete the pod, or wait for a new "
           "claim."},
    Advice{"device class", "Create the DeviceClass that the claim names."},
    Advice{"cannot allocate all claims",
           "On those nodes, the free devices do not satisfy the pod's claims."},
    Advice{"not available on the node",
           "A claim of the pod is allocated already, and cannot be used on those nodes."},
    Advice{"resourceclaim in use", "A claim of the pod has as many consumers as a claim can have."},
};

// ---- the scheduler ------------------------------------------------------------------------------

std::string enumerate(const std::vector<MissingCondition>& missing) {
  std::vector<std::string> texts;
  for (const auto& [type, device, claim] : missing) {
    texts.push_back(fmt::format("{} of device {} in claim \"{}\"", type, device, claim));
  }
  return common::enumerate(texts);
}

// What keeps the pod from using the claim; empty if that is not known.
std::string why_unusable(const AllocationReport& report, WallTime now) {
  if (!report.failures.empty()) {
    return fmt::format(
        "The devices of claim \"{}\" cannot be bound: {}. The scheduler places no "
        "pod with this allocation.",
        report.claim, common::enumerate(report.failures, 3));
  }
  if (report.lacks_conditions && report.since &&
      now >= *report.since + allocation::kBindingTimeout) {
    return fmt::format(
        "The binding conditions of claim \"{}\" were not all true within {} min, the "
        "scheduler's default: it places no pod with this allocation.",
        report.claim, allocation::kBindingTimeout.count());
  }
  if (report.nodes.empty()) return {};
  return fmt::format(
      "The devices of claim \"{}\" can be used on {} only, and something else keeps "
      "the pod from running there.",
      report.claim, report.nodes);
}

void explain_allocations(const std::vector<AllocationReport>& reports, WallTime now, Topic& topic) {
  for (const AllocationReport& report : reports) {
    std::string text = why_unusable(report, now);
    if (text.empty()) continue;
    if (!report.consumers.empty()) {
      text +=
          fmt::format(" The scheduler deallocates the claim once it is no longer reserved for {}.",
                      common::enumerate(report.consumers, 3));
    }
    topic.add(Outlook::waiting, "AllocationUnusable", std::move(text));
  }
}

Topic explain_scheduler(const PodReport& pod, WallTime now) {
  const std::string& who = pod.scheduler.empty() ? "default-scheduler" : pod.scheduler;
  Topic topic{.title = fmt::format("Scheduler \"{}\"", who)};
  if (!pod.gates.empty()) {
    topic.add(Outlook::stuck, "SchedulingGated",
              fmt::format("The pod is not scheduled before its scheduling gates are removed: {}.",
                          common::enumerate(pod.gates)));
  } else if (!pod.scheduled && pod.nominated_node.empty()) {
    topic.add(Outlook::waiting, "NotSeenByScheduler",
              fmt::format("No scheduler has reported on the pod yet. kube-scheduler says nothing "
                          "until all claims of the pod exist. If they exist and it still says "
                          "nothing, check that scheduler \"{}\" runs.",
                          who));
  } else if (pod.scheduled && !pod.scheduled->is_true) {
    topic.add(
        Outlook::waiting, "Unschedulable",
        with(fmt::format("Scheduler \"{}\" said{} ({}): {}.", who, at(pod.scheduled->since, now),
                         pod.scheduled->reason, quote(pod.scheduled->message)),
             advice_about(pod.scheduled->message, kAboutScheduling)));
  }
  if (!pod.nominated_node.empty()) {
    topic.add(Outlook::waiting, "Nominated",
              fmt::format("Node \"{}\" has been chosen for the pod: scheduler \"{}\" makes "
                          "room there, or prepares the binding.",
                          pod.nominated_node, who));
  }
  return topic;
}

// Once the pod's claims are reserved, the scheduler reports nothing before it has bound the pod or
// given up: what it said before is out of date.
Topic explain_binding(const std::vector<MissingCondition>& missing) {
  Topic topic{.title = "Binding conditions"};
  topic.add(Outlook::waiting, "BindingConditions",
            fmt::format("Devices are allocated, and the scheduler binds a pod to a node only when "
                        "these conditions are true: {}. The driver, or its controller, reports "
                        "them in the claim's status.devices. By default the scheduler gives up "
                        "after {} min, and chooses again.",
                        enumerate(missing), allocation::kBindingTimeout.count()));
  return topic;
}

// ---- refusals -----------------------------------------------------------------------------------

Topic explain_refusals(const Evidence& evidence, WallTime now) {
  Topic topic{.title = "Attempts to make claims"};
  topic.asks = {Input::events, Input::quotas};
  if (evidence.events && *evidence.events) {
    for (const EventReport& event : **evidence.events) {
      if (event.reason != "FailedResourceClaimCreation") continue;
      topic.add(
          Outlook::stuck, "CreateRefused",
          with(fmt::format("The last failure was reported{}, {} in all: {}.", at(event.last, now),
                           common::count(static_cast<std::size_t>(event.count), "time"),
                           quote(event.message)),
               advice_about_refusal(event.message)));
    }
  }
  if (evidence.quotas && *evidence.quotas) {
    for (const QuotaReport& quota : **evidence.quotas) {
      topic.add(quota.is_exhausted ? Stance{Outlook::stuck, {}} : Stance{Outlook::note, {}},
                quota.is_exhausted ? "QuotaExhausted" : "Quota",
                fmt::format("ResourceQuota \"{}\": {} of {} used of {}{}", quota.quota, quota.used,
                            quota.hard, quota.resource,
                            quota.is_exhausted ? ", so no further claim is admitted. Raise it, or "
                                                 "delete claims that are no longer needed."
                                               : "."));
    }
  }
  return topic;
}

void advise_about_failures(Draft& draft) {
  for (Topic& topic : draft.topics) {
    for (common::Finding& finding : topic.findings) {
      if (finding.reason != "LastProblem") continue;
      finding.text = with(finding.text, advice_about_refusal(finding.text));
    }
  }
}

bool has_reason(const Draft& draft, std::initializer_list<std::string_view> reasons) {
  return std::ranges::any_of(draft.topics, [&](const Topic& topic) {
    return std::ranges::any_of(topic.findings, [&](const common::Finding& finding) {
      return std::ranges::find(reasons, finding.reason) != reasons.end();
    });
  });
}

template <class T>
const T* take(const Asked<T>& asked, Input input, Sight& sight) {
  if (!asked) return nullptr;
  if (*asked) return &**asked;
  sight.hide(input, asked->error().why);
  return nullptr;
}

// Other components' messages go before the controllers' steps: usually they explain the steps.
void add(Topic topic, Draft& draft) {
  draft.topics.insert(draft.topics.begin(), std::move(topic));
}

}  // namespace

std::string_view advice_about_refusal(std::string_view message) {
  return advice_about(message, kAboutRefusals);
}

bool makes_claim(const Draft& draft) {
  return has_reason(draft, {"Create", "LastProblem"});
}

bool asks_devices(const Evidence& evidence, const Draft& draft) {
  const bool waits = has_reason(draft, {"NotAllocated"});
  if (!evidence.pod) return waits;
  if (!*evidence.pod || !is_schedulers(**evidence.pod)) return false;
  return (*evidence.pod)->gates.empty() && (waits || (*evidence.pod)->wants_extended_resources);
}

bool asks_binding(const Draft& draft) {
  return has_reason(draft, {"Reserved", "Allocated"});
}

bool asks_allocations(const PodReport& pod) {
  return is_schedulers(pod) && pod.scheduled && !pod.scheduled->is_true &&
         pod.scheduled->message.contains("resourceclaim not available on the node");
}

bool is_schedulers(const PodReport& pod) {
  return pod.is_pending && pod.node.empty() && !pod.is_being_deleted;
}
bool is_kubelets(const PodReport& pod) {
  return !pod.node.empty() && (pod.is_pending || pod.is_being_deleted);
}

void add_evidence(const Evidence& evidence, WallTime now, Draft& draft, Sight& sight) {
  advise_about_failures(draft);
  const PodReport* pod = take(evidence.pod, Input::conditions, sight);
  take(evidence.events, Input::events, sight);
  take(evidence.quotas, Input::quotas, sight);
  take(evidence.node, Input::node, sight);
  const auto* const missing = take(evidence.binding, Input::claims, sight);
  if (missing != nullptr && !missing->empty()) {
    add(explain_binding(*missing), draft);
  } else if (pod != nullptr && is_schedulers(*pod)) {
    Topic topic = explain_scheduler(*pod, now);
    const auto* const allocations = take(evidence.allocations, Input::claims, sight);
    if (allocations != nullptr) explain_allocations(*allocations, now, topic);
    add(std::move(topic), draft);
  }
  if (pod != nullptr && is_kubelets(*pod)) add(explain_kubelet(*pod, evidence, now), draft);
  if (pod != nullptr && is_held_by_finalizers(*pod)) add(explain_finalizers(*pod), draft);
  if (evidence.pod && pod == nullptr) {
    add(Topic{.title = "Scheduler", .findings = {}, .asks = {Input::conditions}}, draft);
  }
  if (evidence.quotas) add(explain_refusals(evidence, now), draft);
  const auto* const devices = take(evidence.devices, Input::devices, sight);
  if (devices != nullptr && *devices) add(**devices, draft);
  if (evidence.devices && devices == nullptr) {
    add(Topic{.title = "Devices", .findings = {}, .asks = {Input::devices}}, draft);
  }
}

// ---- which manager does the work ----------------------------------------------------------------

bool seems_held(const api::LeaseSpec& lease, WallTime now) {
  const auto renewed = runtime::parse_micro_timestamp(lease.renew_time);
  if (lease.holder.empty() || !renewed) return false;
  constexpr runtime::Duration kClockDifference = std::chrono::seconds(2);
  const runtime::Duration lasts = lease.duration.value_or(std::chrono::seconds(15));
  return *renewed <= now + kClockDifference && *renewed >= now - lasts;
}

Worker judge_lease(const std::string& name, const std::optional<api::LeaseSpec>& lease,
                   const std::optional<api::LeaseSpec>& later, WallTime now) {
  if (!lease) {
    return {Worker::State::perhaps,
            fmt::format("There is no Lease {}: no dra-controller-manager has led here under that "
                        "name. It is not known whether another program carries out the next step: "
                        "kube-controller-manager, or a manager with --leader-elect=false or "
                        "another lease (--leader-elect-resource-name).",
                        name)};
  }
  const bool is_held = later ? !later->holder.empty() && later->renew_time != lease->renew_time
                             : seems_held(*lease, now);
  if (is_held) return {};
  const auto renewed = runtime::parse_micro_timestamp(lease->renew_time);
  const std::string when = renewed ? fmt::format(" at {}", runtime::in_words(*renewed, now)) : "";
  const std::string state =
      lease->holder.empty()
          ? fmt::format("Nobody holds Lease {}: its last holder released it{}", name, when)
          : fmt::format("The holder of Lease {}, {}, last renewed it{}, and it has expired", name,
                        lease->holder, when);
  return {Worker::State::nobody,
          state +
              ". No dra-controller-manager works, so nothing happens until one runs, unless "
              "kube-controller-manager runs these controllers. Check the manager's pods."};
}

}  // namespace dcm::explain
