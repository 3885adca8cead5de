#include "explain/kubelet_evidence.hpp"

#include <array>

#include <fmt/format.h>

#include "explain/evidence_words.hpp"

namespace dcm::explain {
namespace {

using common::Input;
using common::Outlook;
using common::Stance;
using common::Topic;
using runtime::WallTime;

// On a healthy node, a pod ends a second or two after its containers.
constexpr runtime::Duration kEnding = std::chrono::seconds(30);

constexpr std::array kAboutDrivers = {
    Advice{"not registered",
           "Check that the driver runs on that node: kubelet calls only drivers that have "
           "registered."},
    Advice{"not found", "Check that the claim still exists and that the driver runs on that node."},
    Advice{"", "Check the log of the driver on that node. kubelet retries by itself."},
};

constexpr std::array kAboutContainers{
    Advice{"CDI",
           "The driver has prepared the claim, but the node lacks the CDI file that "
           "describes its devices: restart the driver there, or recreate the pod."},
};

std::string_view what_an_unready_node_holds_up(const PodReport& pod) {
  if (pod.has_ended) {
    return "The pod has ended, and is removed when the node is back. If the node is lost, delete "
           "the Node object.";
  }
  return pod.is_being_deleted
             ? "The pod keeps its claims until kubelet confirms that its containers have ended. "
               "If the node is lost, delete the Node object, or taint it with "
               "node.kubernetes.io/out-of-service."
             : "Nothing starts on it before that is resolved.";
}

std::string state_of(const std::string& name, const NodeReport& node, WallTime now) {
  if (!node.ready) return fmt::format("Node \"{}\" has not reported its state.", name);
  const std::string since =
      node.ready->since ? " since " + runtime::in_words(*node.ready->since, now) : std::string();
  return fmt::format("Node \"{}\" has not been ready{}: {}.", name, since,
                     quote(node.ready->message));
}

void explain_node(const PodReport& pod, const NodeReport& node, WallTime now, Topic& topic) {
  if (!node.is_there) {
    return topic.add(Outlook::waiting, "NodeGone",
                     fmt::format("Node \"{}\" does not exist. Kubernetes' pod garbage collector "
                                 "deletes the pod, and its claims are then released.",
                                 pod.node));
  }
  if (node.ready && node.ready->is_true) {
    return topic.add({Outlook::fine, {Input::node}}, "NodeReady",
                     fmt::format("Node \"{}\" is ready.", pod.node));
  }
  topic.add(Outlook::stuck, "NodeNotReady",
            with(state_of(pod.node, node, now), what_an_unready_node_holds_up(pod)));
}

// An event outlives its subject: it counts only for the pod's current step.
void explain_events(std::string_view about, const char* reason,
                    const std::vector<EventReport>& events, WallTime now, Topic& topic) {
  for (const EventReport& event : events) {
    if (event.reason != about) continue;
    topic.add(Outlook::stuck, reason,
              fmt::format("kubelet reported{}, {}: {}. {}", at(event.last, now),
                          common::count(static_cast<std::size_t>(event.count), "time"),
                          quote(event.message), advice_about(event.message, kAboutDrivers)));
  }
}

// The reason is chosen by the writer of the pod's status, so it is quoted like the message.
void explain_container(const ContainerReport& container, Topic& topic) {
  const std::string message =
      container.message.empty() ? std::string() : " " + quote(container.message);
  topic.add(Outlook::stuck, "ContainerWaits",
            with(fmt::format("Container \"{}\" does not start: {}{}.", container.name,
                             quote(container.reason), message),
                 advice_about(container.message, kAboutContainers)));
}

void explain_ending(WallTime ended, WallTime now, Topic& topic) {
  topic.add(ended < now - kEnding ? Stance{Outlook::stuck, {}} : Stance{Outlook::waiting, {}},
            "NotUnprepared",
            fmt::format("The pod's containers ended{}. kubelet lets the pod go when the drivers "
                        "have unprepared its claims, and records no event when one fails. Check "
                        "that the drivers run on that node, and kubelet's log.",
                        at(ended, now)));
}

}  // namespace

Topic explain_kubelet(const PodReport& pod, const Evidence& evidence, WallTime now) {
  Topic topic{.title = fmt::format("Node \"{}\"", pod.node)};
  topic.asks = {Input::node, Input::events};
  if (evidence.node && *evidence.node) explain_node(pod, **evidence.node, now, topic);
  const std::vector<EventReport> events =
      evidence.events && *evidence.events ? **evidence.events : std::vector<EventReport>();
  if (pod.has_ended) return topic;
  if (pod.is_being_deleted) {
    explain_events("FailedUnprepareDynamicResources", "NotUnprepared", events, now, topic);
    if (pod.containers_ended) explain_ending(*pod.containers_ended, now, topic);
  } else {
    if (!pod.has_sandbox) {
      explain_events("FailedPrepareDynamicResources", "NotPrepared", events, now, topic);
    }
    if (pod.waits) explain_container(*pod.waits, topic);
  }
  return topic;
}

bool is_held_by_finalizers(const PodReport& pod) {
  return pod.is_being_deleted && !pod.finalizers.empty() && (pod.has_ended || pod.node.empty());
}

Topic explain_finalizers(const PodReport& pod) {
  Topic topic{.title = "Deletion"};
  topic.add(Outlook::stuck, "HeldByFinalizers",
            fmt::format("The pod has ended, and its finalizers keep it: {}. It goes when the "
                        "programs that added them have removed them.",
                        common::enumerate(pod.finalizers)));
  return topic;
}

}  // namespace dcm::explain
