#include "controllers/common/explanation.hpp"

#include <algorithm>

namespace dcm::common {
namespace {

struct InputWords {
  std::string_view what;
  std::string_view open_question;
};

// Indexed by Input.
constexpr std::array<InputWords, kInputCount> kInputs = {{
    {"Pods", "which pods use it, and whether they still run"},
    {"ResourceClaims", "whether its claims exist and who uses them"},
    {"ResourceClaimTemplates", "whether its templates exist"},
    {"PodGroups", "whether its group exists and which claims are the group's"},
    {"ResourceSlices", "whether a driver taints its devices"},
    {"DeviceTaintRules", "whether a rule evicts its pods"},
    {"The manager's lease", "whether a manager carries out the next step"},
    {"The pod itself", "what the scheduler says"},
    {"Events", "whether an attempt was refused"},
    {"ResourceQuotas", "whether a quota is exhausted"},
    {"The node", "whether the node is ready"},
    {"Devices, classes and nodes", "which devices are free"},
}};

const InputWords& words(Input input) {
  return kInputs[static_cast<std::size_t>(input)];
}

void add_unknowns(Topic& topic, Inputs hidden, const Sight& sight) {
  for (std::size_t i = 0; i < kInputCount; ++i) {
    const auto input = static_cast<Input>(i);
    if (!hidden.has(input) || !sight.is_hidden(input)) continue;
    topic.add(
        Outlook::unknown, "NotRead",
        sight.gap(input) + ". It is not known " + std::string(words(input).open_question) + ".");
  }
}

bool rests_on_hidden(const Finding& finding, const Sight& sight) {
  for (std::size_t i = 0; i < kInputCount; ++i) {
    const auto input = static_cast<Input>(i);
    if (input == Input::worker) continue;  // reported once for all, by settle_work()
    if (finding.from.has(input) && sight.is_hidden(input)) return true;
  }
  return false;
}

void settle_topic(Topic& topic, const Sight& sight) {
  Inputs hidden = topic.asks;
  std::erase_if(topic.findings, [&](const Finding& finding) {
    if (!rests_on_hidden(finding, sight)) return false;
    hidden = hidden | finding.from;
    return true;
  });
  add_unknowns(topic, hidden, sight);
}

// Unless a worker is known to run, the current steps are only planned.
void take_back_steps(std::vector<Topic>& topics, Outlook planned) {
  for (Topic& topic : topics) {
    for (Finding& finding : topic.findings) {
      if (finding.outlook == Outlook::acting) finding.outlook = planned;
    }
  }
}

void settle_work(std::vector<Topic>& topics, const Sight& sight, const Worker& worker) {
  if (!needs_worker(topics)) return;
  Topic topic{.title = "dra-controller-manager"};
  if (sight.is_hidden(Input::worker)) {
    add_unknowns(topic, {Input::worker}, sight);
    take_back_steps(topics, Outlook::note);
  } else if (worker.state == Worker::State::nobody) {
    topic.add(Outlook::stuck, "NobodyWorks", worker.text);
    take_back_steps(topics, Outlook::waiting);
  } else if (worker.state == Worker::State::perhaps) {
    topic.add(Outlook::unknown, "WorkerUnknown", worker.text);
    take_back_steps(topics, Outlook::note);
  } else {
    return;
  }
  topics.insert(topics.begin(), std::move(topic));
}

void add_failure(std::string text, std::vector<Topic>& topics) {
  const bool is_open = has(topics, Outlook::acting) || has(topics, Outlook::stuck);
  if (is_open) return topics.back().add(Outlook::stuck, "LastProblem", std::move(text));
  topics.back().add(Outlook::note, "EarlierProblem",
                    std::move(text) + " Nothing is left to do, so this is resolved.");
}

}  // namespace

void Sight::hide(Input input, std::string why) {
  auto& reason = hidden_[static_cast<std::size_t>(input)];
  if (!reason) reason = std::move(why);
}

void Sight::replace_reasons(std::string_view why) {
  for (auto& reason : hidden_) {
    if (reason) reason = why;
  }
}

std::string Sight::gap(Input input) const {
  return std::string(words(input).what) + " could not be read: " + at(input).value_or("");
}

std::vector<std::string> Sight::gaps() const {
  std::vector<std::string> gaps;
  for (std::size_t i = 0; i < kInputCount; ++i) {
    if (hidden_[i]) gaps.push_back(gap(static_cast<Input>(i)));
  }
  return gaps;
}

std::string_view to_string(Outlook outlook) {
  switch (outlook) {
    case Outlook::note:
      return "note";
    case Outlook::fine:
      return "fine";
    case Outlook::unknown:
      return "unknown";
    case Outlook::acting:
      return "acting";
    case Outlook::waiting:
      return "waiting";
    case Outlook::stuck:
      return "stuck";
  }
  return "";
}

bool has(const std::vector<Topic>& topics, Outlook outlook) {
  return std::ranges::any_of(topics, [outlook](const Topic& topic) {
    return std::ranges::find(topic.findings, outlook, &Finding::outlook) != topic.findings.end();
  });
}

bool needs_worker(const std::vector<Topic>& topics) {
  return std::ranges::any_of(topics, [](const Topic& topic) {
    return std::ranges::any_of(topic.findings, [](const Finding& finding) {
      return finding.outlook == Outlook::acting || finding.from.has(Input::worker);
    });
  });
}

void add_work(std::optional<std::string> failure, std::optional<std::string> queued,
              std::vector<Topic>& topics) {
  if (failure) add_failure(*std::move(failure), topics);
  if (queued) topics.back().add(Outlook::acting, "Queued", *std::move(queued));
}

Explanation settle(Draft draft, const Sight& sight, const Worker& worker) {
  for (Topic& topic : draft.topics) settle_topic(topic, sight);
  settle_work(draft.topics, sight, worker);
  std::erase_if(draft.topics, [](const Topic& topic) { return topic.findings.empty(); });
  return {std::move(draft.about), std::move(draft.topics)};
}

std::vector<std::string> Explanation::unknowns() const {
  std::vector<std::string> texts;
  for (const Topic& topic : topics_) {
    for (const Finding& finding : topic.findings) {
      if (finding.outlook != Outlook::unknown) continue;
      if (std::ranges::find(texts, finding.text) == texts.end()) texts.push_back(finding.text);
    }
  }
  return texts;
}

Outlook outlook_of(const Explanation& explanation) {
  Outlook worst = Outlook::fine;
  for (const Topic& topic : explanation.topics()) {
    for (const Finding& finding : topic.findings) worst = std::max(worst, finding.outlook);
  }
  return worst;
}

std::string count(std::size_t number, std::string_view one, std::string_view many) {
  std::string text = std::to_string(number) + " ";
  text += number == 1 || many.empty() ? one : many;
  if (number != 1 && many.empty()) text += "s";
  return text;
}

std::string enumerate(const std::vector<std::string>& names, std::size_t named_max) {
  // "and 1 more" is no shorter than the name.
  const std::size_t named = names.size() > named_max + 1 ? named_max : names.size();
  std::string text;
  for (std::size_t i = 0; i < named; ++i) {
    const bool is_last = i + 1 == names.size();
    if (i > 0) text += is_last ? " and " : ", ";
    text += names[i];
  }
  if (named < names.size()) text += " and " + std::to_string(names.size() - named) + " more";
  return text;
}

}  // namespace dcm::common
