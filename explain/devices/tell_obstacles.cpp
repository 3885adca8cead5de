#include <algorithm>
#include <ranges>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "explain/devices/tell.hpp"

namespace dcm::explain {
namespace {

using allocation::DeviceExplanation;
using allocation::NodeExplanation;
using allocation::RequestExplanation;
using common::enumerate;
using common::Outlook;
using common::Topic;

class ObstacleTeller {
 public:
  ObstacleTeller(DeviceSurvey& survey, Topic& topic)
      : survey_(survey), words_(survey.wording()), topic_(topic) {}

  void tell() {
    const auto asks = unsatisfied();
    if (asks.empty()) {
      tell_not_together();
    } else if (std::ranges::all_of(asks, [](const auto& ask) { return ask.devices == 0; })) {
      topic_.add(Outlook::stuck, "NoDevices",
                 fmt::format("No ResourceSlice has devices for {}, so there are none for {}. Check "
                             "that the driver runs there.",
                             nodes_looked_at(), request(asks[0])));
    } else if (std::ranges::all_of(asks, [](const auto& ask) { return ask.matching == 0; })) {
      tell_no_match(asks);
    } else {
      tell_too_few(asks);
    }
    tell_remedies();
  }

 private:
  using Answers = std::span<const RequestAnswer>;
  using Explanations = std::span<const RequestExplanation>;

  // "No node", or "none of the surveyed nodes".
  std::string no_node() const {
    if (survey_.left_out() > 0) {
      return fmt::format("None of the {} that were looked at", count(survey_.looked_at(), "node"));
    }
    return "No node";
  }
  bool is_excluding() const {
    return !survey_.closed().empty() ||
           survey_.excluded_by_pod() + survey_.excluded_by_claims() > 0;
  }
  std::string for_pod() const { return is_excluding() ? " that the pod may go to" : ""; }

  // The asks of the first request that no node satisfies; empty: each is satisfied on some node.
  Answers unsatisfied() const {
    for (const Answers asks : by_request(survey_.totals())) {
      if (std::ranges::none_of(asks, &RequestAnswer::is_satisfied)) return asks;
    }
    return {};
  }

  std::string nodes_looked_at() const {
    const std::string nodes = count(survey_.looked_at(), "node");
    return survey_.looked_at() == 1 ? fmt::format("the only node{}", for_pod())
                                    : fmt::format("any of the {}{}", nodes, for_pod());
  }

  std::string request(const RequestAnswer& ask) const {
    return words_.request(ask.claim, ask.name);
  }

  void tell_no_match(Answers asks) {
    const std::string nodes =
        survey_.looked_at() == 1 ? "the only node" : count(survey_.looked_at(), "node");
    std::string text;
    for (const RequestAnswer& ask : asks | std::views::take(kAlternativesNamedMax)) {
      const std::string none =
          ask.devices == 1 ? fmt::format("The only device on {}{} cannot be used", nodes, for_pod())
                           : fmt::format("None of {} devices on {}{} can be used", ask.devices,
                                         nodes, for_pod());
      text += fmt::format("{}{} for {}: {}.", text.empty() ? "" : " ", none, request(ask),
                          describe_obstacles(ask.obstacles));
    }
    if (const std::string more = more_alternatives(asks); !more.empty()) {
      text += fmt::format(" Nor can one be used for {}.", more);
    }
    const std::string_view such =
        asks.size() == 1 ? "such devices" : "devices for one of these alternatives";
    topic_.add(Outlook::stuck, "NoDeviceMatches",
               fmt::format("{} A driver has to publish {}, or {}.", text, such,
                           words_.is_extended_only()
                               ? "the class has to select what there is"
                               : "a new claim has to ask for what there is (a claim's spec cannot "
                                 "be changed)"));
  }

  // "5 more alternatives"; empty: all are named.
  static std::string more_alternatives(Answers asks) {
    if (asks.size() <= kAlternativesNamedMax) return {};
    return count(asks.size() - kAlternativesNamedMax, "more alternative");
  }

  void tell_too_few(Answers asks) {
    std::string text;
    for (const RequestAnswer& ask : asks | std::views::take(kAlternativesNamedMax)) {
      text += text.empty() ? fmt::format("{}{} has ", no_node(), for_pod()) : ", or ";
      text += fmt::format("{} for {}", free_devices(ask), request(ask));
    }
    if (const std::string more = more_alternatives(asks); !more.empty()) text += ", or for " + more;
    const CloseNode& close = survey_.closest().front();
    text += fmt::format(": {}.", facts(close, asks[0]));
    add_lack(close, "TooFewDevices", std::move(text));
  }

  // The pod goes on by itself if the release of claims is enough.
  void add_lack(const CloseNode& close, const char* reason, std::string text) {
    if (is_release(close.remedy)) {
      topic_.add(Outlook::waiting, reason, std::move(text));
    } else {
      topic_.add(Outlook::stuck, reason, std::move(text));
    }
  }

  static std::string free_devices(const RequestAnswer& ask) {
    if (ask.is_all) return "all devices free";
    return ask.wanted == 1 ? "a free device" : fmt::format("{} free devices", ask.wanted);
  }

  static bool is_release(const Remedy& remedy) {
    const auto releases =
        std::ranges::count_if(remedy.changes, [](const Change& c) { return c.release != nullptr; });
    return releases > 0 &&
           (remedy.need == Remedy::Need::any_of_them || releases == std::ssize(remedy.changes));
  }

  // `node-3 has 2 that match; gpu-0 is held by …, gpu-1 is tainted …`
  std::string facts(const CloseNode& close, const RequestAnswer& ask) {
    const NodeExplanation explanation = survey_.explain(*close.node);
    for (const Explanations asks : by_request(explanation.requests)) {
      if (asks[0].claim != ask.claim || base_of(asks[0].name) != base_of(ask.name)) continue;
      const RequestExplanation& best = best_alternative(asks);
      if (!best.name.contains('/')) return facts_of(close, best);
      return fmt::format("for request {}, {}", words_.name(best.claim, best.name),
                         facts_of(close, best));
    }
    return fmt::format("{} comes closest", close.node->name.str());
  }

  // The one with the most matching devices.
  static const RequestExplanation& best_alternative(Explanations asks) {
    return *std::ranges::max_element(asks, {}, matching);
  }
  static std::ptrdiff_t matching(const RequestExplanation& request) {
    return std::ranges::count_if(request.devices, allocation::is_matching,
                                 &DeviceExplanation::obstacle);
  }

  std::string facts_of(const CloseNode& close, const RequestExplanation& request) const {
    std::vector<std::string> facts;
    std::set<std::string> told;
    std::size_t others = 0;
    for (const DeviceExplanation& device : request.devices) {
      const auto obstacle = words_.describe(device);
      if (!obstacle) continue;
      if (!is_matching(device.obstacle)) {
        ++others;
        continue;
      }
      std::string fact = fmt::format("{} is {}", device.id.device.str(), obstacle->whole);
      // A pool may have several devices of one name.
      if (told.insert(fact).second) facts.push_back(std::move(fact));
    }
    const auto matches = matching(request);
    std::string text = fmt::format("{} has {} that {}", close.node->name.str(), matches,
                                   matches == 1 ? "matches" : "match");
    if (matches == 0) text = fmt::format("{} has none", close.node->name.str());
    if (others > 0) text += fmt::format(" (and {})", count(others, "other"));
    if (request.usable() > 0) text += fmt::format(", {} free", request.usable());
    if (!facts.empty()) text += ": " + enumerate(facts, kFactsMax);
    return text;
  }

  void tell_not_together() {
    const CloseNode& close = survey_.closest().front();
    const NodeExplanation explanation = survey_.explain(*close.node);
    const bool is_single = explanation.requests.size() == 1;
    const std::string what =
        is_single ? together(explanation.requests[0]) : "devices for all requests";
    const std::string why =
        close.wants > 0
            ? fmt::format("{} comes closest: {}", close.node->name, why_not(close, explanation))
            : fmt::format("On {}, {}", close.node->name, why_not_together(explanation));
    add_lack(close, "NotTogether",
             fmt::format("{}{} has {} together. {}.", no_node(), for_pod(), what, why));
  }

  std::string why_not(const CloseNode& close, const NodeExplanation& explanation) const {
    if (const RequestExplanation* const request = lacking(explanation)) {
      return fmt::format("for {}, {}", words_.request(request->claim, request->name),
                         facts_of(close, *request));
    }
    return fmt::format("on {}, {}", close.node->name, why_not_together(explanation));
  }

  // The first request that has too few usable devices, as have its alternatives; null: none.
  static const RequestExplanation* lacking(const NodeExplanation& explanation) {
    for (const Explanations asks : by_request(explanation.requests)) {
      const bool is_satisfied = std::ranges::any_of(asks, &RequestExplanation::is_satisfied);
      if (!is_satisfied) return &best_alternative(asks);
    }
    return nullptr;
  }

  // Each request has enough usable devices.
  std::string why_not_together(const NodeExplanation& explanation) const {
    std::string text = explanation.requests.size() == 1
                           ? by_themselves(explanation.requests[0])
                           : "each request has enough devices that are usable by themselves";
    if (explanation.error && explanation.error->is_only_this_node) {
      text += fmt::format("; {}", explanation.error->text);
    }
    return text + reasons_together(explanation);
  }

  std::string together(const RequestExplanation& request) const {
    return fmt::format(
        "{} for {}",
        request.is_all ? "all devices" : count(static_cast<std::size_t>(request.wanted), "device"),
        words_.request(request.claim, request.name));
  }

  static std::string by_themselves(const RequestExplanation& request) {
    return fmt::format("each of {} is usable by itself, but not {} of them together",
                       count(request.usable(), "device"), request.wanted);
  }

  // What requests share: constraints, counters, and the devices themselves.
  std::string reasons_together(const NodeExplanation& explanation) const {
    std::string text;
    for (const allocation::ConstraintExplanation& constraint : explanation.constraints) {
      std::map<std::string, std::vector<std::string>> devices;
      for (const auto& [id, value] : constraint.values) devices[value].push_back(id.device.str());
      std::vector<std::string> values;
      for (const auto& [value, names] : devices) {
        values.push_back(fmt::format("{} ({})", value, enumerate(names, kFactsMax)));
      }
      if (values.empty()) continue;
      text += fmt::format("; constraint #{} of claim \"{}\", {} {}, meets {}", constraint.index,
                          survey_.question().claims[constraint.claim]->meta.key.name,
                          constraint.is_match ? "matchAttribute" : "distinctAttribute",
                          constraint.attribute, enumerate(values, kFactsMax));
    }
    for (const RequestExplanation& request : explanation.requests) {
      if (!request.shortage) continue;
      text += fmt::format(
          "; counter \"{}\" in counter set \"{}\" does not suffice for all devices of request {}",
          request.shortage->counter.str(), request.shortage->set.str(),
          words_.name(request.claim, request.name));
    }
    return text + competition(explanation);
  }

  std::string competition(const NodeExplanation& explanation) const {
    std::set<api::DeviceId> usable;
    bool is_shared = false;
    std::vector<std::string> names;
    std::int64_t wanted = 0;
    for (const RequestExplanation& request : explanation.requests) {
      if (request.name.contains('/')) return {};  // only one of the subrequests counts
      wanted += request.wanted;
      names.push_back(words_.name(request.claim, request.name));
      for (const DeviceExplanation& device : request.devices) {
        if (!std::holds_alternative<std::monostate>(device.obstacle)) continue;
        usable.insert(device.id);
        is_shared |= device.is_shared;
      }
    }
    if (names.size() < 2 || wanted <= std::ssize(usable)) return {};
    return fmt::format("; requests {} compete: together they want {}, and {} suitable{}",
                       enumerate(names, kFactsMax),
                       count(static_cast<std::size_t>(wanted), "device"),
                       usable.size() == 1 ? "1 is" : fmt::format("{} are", usable.size()),
                       is_shared ? " (a shared device serves several requests as far as its "
                                   "capacity suffices)"
                                 : "");
  }

  void tell_remedies() {
    if (survey_.closest().empty()) return;
    const CloseNode& close = survey_.closest().front();
    return close.remedy.changes.empty() ? tell_no_remedy(close) : tell_remedy(survey_, topic_);
  }

  void tell_no_remedy(const CloseNode& close) {
    if (survey_.left_out() > 0 || survey_.question().is_time_up()) return;
    if (close.lacks == 0) return tell_even_if_free(close);
    if (std::ranges::all_of(survey_.totals(),
                            [](const RequestAnswer& total) { return total.matching == 0; })) {
      return;
    }
    topic_.add(Outlook::note, "NothingToFree",
               "No node has enough devices that match, even if all of them were free: the release "
               "of claims alone does not help.");
  }

  // What hinders the closest node when nothing is held or tainted.
  void tell_even_if_free(const CloseNode& close) {
    const auto freed = survey_.free_all(*close.node);
    if (!freed || freed->explanation.fits || freed->changes.empty()) return;
    const auto releases = std::ranges::count_if(
        freed->changes, [](const Change& change) { return change.release != nullptr; });
    const std::string_view state = releases == 0                           ? "untainted"
                                   : releases < std::ssize(freed->changes) ? "free and untainted"
                                                                           : "free";
    topic_.add(Outlook::note, "NothingToFree",
               fmt::format("Even if all {}were {}: {}.",
                           survey_.question().allocated.empty() ? "" : "others ", state,
                           why_not(close, freed->explanation)));
  }

  DeviceSurvey& survey_;
  const Wording& words_;
  Topic& topic_;
};

}  // namespace

void tell_obstacles(DeviceSurvey& survey, Topic& topic) {
  ObstacleTeller(survey, topic).tell();
}

}  // namespace dcm::explain
