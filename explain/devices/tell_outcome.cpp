#include <algorithm>

#include <fmt/format.h>

#include "explain/devices/tell.hpp"

namespace dcm::explain {
namespace {

using allocation::DeviceExplanation;
using allocation::RequestExplanation;
using allocation::RequestFault;
using allocation::SelectorObstacle;
using common::enumerate;
using common::Outlook;
using common::Topic;

class ErrorTeller {
 public:
  ErrorTeller(const DeviceSurvey& survey, Topic& topic) : words_(survey.wording()), topic_(topic) {}

  void tell(const FatalError& error) {
    for (const RequestExplanation& request : error.explanation.requests) {
      if (request.fault && request.fault->text == error.text) {
        return tell_fault(request, *request.fault);
      }
      for (const DeviceExplanation& device : request.devices) {
        const auto* const selector = std::get_if<SelectorObstacle>(&device.obstacle);
        if (selector != nullptr && selector->error == error.text) {
          return tell_selector(*selector, device.id);
        }
      }
    }
    topic_.add(Outlook::stuck, "AllocationError",
               fmt::format("kube-scheduler cannot place the pod on any node, because of an error: "
                           "{}.",
                           error.text));
  }

 private:
  void tell_fault(const RequestExplanation& request, const RequestFault& fault) {
    const std::string wanted = words_.request(request.claim, request.name);
    const std::string refusal = fmt::format("kube-scheduler refuses {}: {}.", wanted, fault.text);
    switch (fault.kind) {
      case RequestFault::Kind::class_is_missing:
        return topic_.add(Outlook::stuck, "ClassMissing",
                          fmt::format("There is no DeviceClass for {}. Create it, and the "
                                      "scheduler tries again.",
                                      wanted));
      case RequestFault::Kind::feature_is_off:
        // It may be on in this cluster.
        return topic_.add(Outlook::unknown, "GateUnknown",
                          "With the default feature gates of Kubernetes 1.37, " + refusal +
                              " It is not known which gates it has.");
      case RequestFault::Kind::is_malformed:
        topic_.add(Outlook::stuck, "RequestRefused", refusal);
    }
  }

  void tell_selector(const SelectorObstacle& selector, const api::DeviceId& device) {
    const std::string met = describe_met(selector.met);
    const std::string& part = selector.part.empty() ? selector.expression : selector.part;
    topic_.add(
        Outlook::stuck, "SelectorFails",
        fmt::format("{} fails with an error, and kube-scheduler then places the pod on no node: "
                    "{}. On device {}, {}{}{} Guard the expression with has() or `.?` ({}), or let "
                    "driver {} publish what it asks for.",
                    capitalized(describe_selector(selector)), selector.error, device.str(), part,
                    met.empty() ? "." : ": " + met, met.empty() ? "" : ".",
                    selector.class_name.empty() ? "in a new claim, as a claim cannot be changed"
                                                : "in the class",
                    device.driver.str()));
  }

  static std::string capitalized(std::string text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
      text[0] = static_cast<char>(text[0] - 32);
    return text;
  }

  const Wording& words_;
  Topic& topic_;
};

}  // namespace

void tell_error(const DeviceSurvey& survey, Topic& topic) {
  ErrorTeller(survey, topic).tell(*survey.fatal());
}

void tell_unserved(const DeviceSurvey& survey, Topic& topic) {
  for (const auto& [resource, served_by] : survey.question().extended.classes) {
    if (!served_by.empty()) continue;
    const std::string elsewhere = survey.looked_at() == 0
                                      ? ""
                                      : fmt::format(
                                            ", and no device plugin has it on {} that the pod may "
                                            "go to",
                                            count(survey.looked_at(), "node"));
    const bool is_implicit = allocation::implicit_class(resource).has_value();
    const std::string text = fmt::format(
        "No DeviceClass {} the extended resource {}{}. {}.",
        is_implicit ? "has the name in" : "serves", resource, elsewhere,
        is_implicit ? "Create it" : "A DeviceClass has to name it as its extendedResourceName");
    if (survey.excluded_by_plugin() > 0) {
      topic.add(Outlook::unknown, "ResourceNotServed", text);
    } else {
      topic.add(Outlook::stuck, "ResourceNotServed", text);
    }
  }
}

void tell_free(const DeviceSurvey& survey, Topic& topic) {
  std::vector<const allocation::Node*> nodes;
  for (const NodeGroup& group : survey.groups()) {
    if (group.fits) nodes.insert(nodes.end(), group.nodes.begin(), group.nodes.end());
  }
  std::ranges::sort(nodes, {}, [](const allocation::Node* node) { return node->name.str(); });
  const std::string who =
      fmt::format("{} {} {} devices for {}", nodes.size() == 1 ? "Node" : "Nodes",
                  name_nodes(nodes), nodes.size() == 1 ? "has" : "have",
                  survey.question().is_of_pod ? "all claims of the pod that "
                                                "are not allocated"
                                              : "the claim");
  if (!survey.question().is_of_pod) {
    return topic.add(Outlook::note, "DevicesFree",
                     who + ". The scheduler allocates them when it places a pod with this claim.");
  }
  topic.add(Outlook::waiting, "DevicesFree",
            fmt::format("{}. So devices do not keep the pod off {}: see what the scheduler says.",
                        who, nodes.size() == 1 ? "that node" : "these nodes"));
}

}  // namespace dcm::explain
