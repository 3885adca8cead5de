// What settle() does with a draft: each row has the unreadable inputs, and the remaining findings.
#include "controllers/common/explanation.hpp"

#include <gtest/gtest.h>

namespace dcm::common {
namespace {

Draft draft_of(std::vector<Topic> topics) {
  return {.about = {.kind = "Pod"}, .topics = std::move(topics)};
}

std::string told(const Explanation& explanation) {
  std::string text;
  for (const Topic& topic : explanation.topics()) {
    for (const Finding& finding : topic.findings) {
      text += std::string(to_string(finding.outlook)) + " " + finding.reason + "\n";
    }
  }
  return text;
}

Sight without(std::initializer_list<Input> inputs) {
  Sight sight;
  for (const Input input : inputs) sight.hide(input, "forbidden");
  return sight;
}

Topic taints() {
  Topic topic{.title = "taints", .findings = {}, .asks = {Input::rules, Input::slices}};
  topic.add({Outlook::fine, {Input::rules, Input::slices}}, "NoTaint", "No taint.");
  return topic;
}

Topic step() {
  Topic topic{.title = "step"};
  topic.add(Outlook::acting, "Create", "Next: make the claim.");
  return topic;
}

Topic due() {
  Topic topic{.title = "due"};
  topic.add({Outlook::waiting, {Input::worker}}, "EvictionDue", "It is evicted at noon.");
  return topic;
}

TEST(Settle, concludes_nothing_from_unread_objects) {
  struct Row {
    const char* sentence;
    std::vector<Topic> topics;
    Sight sight;
    const char* told;
    Outlook outlook;
  };
  for (const Row& row : std::vector<Row>{
           {"all was read", {taints()}, {}, "fine NoTaint\n", Outlook::fine},
           {"no permission for rules",
            {taints()},
            without({Input::rules}),
            "unknown NotRead\n",
            Outlook::unknown},
           {"none for either: each is named",
            {taints()},
            without({Input::rules, Input::slices}),
            "unknown NotRead\nunknown NotRead\n",
            Outlook::unknown},
           {"what the topic does not ask about does not matter",
            {taints()},
            without({Input::templates}),
            "fine NoTaint\n",
            Outlook::fine},
           {"a taint that was seen stays, and so does the doubt",
            [] {
              Topic topic = taints();
              topic.findings.clear();
              topic.add(Outlook::waiting, "EvictionDue", "Due.");
              return std::vector{topic};
            }(),
            without({Input::rules}), "waiting EvictionDue\nunknown NotRead\n", Outlook::waiting},
           {"an unread lease makes a step a plan",
            {step()},
            without({Input::worker}),
            "unknown NotRead\nnote Create\n",
            Outlook::unknown},
           {"and is shown with the time by which somebody has to act",
            {due()},
            without({Input::worker}),
            "unknown NotRead\nwaiting EvictionDue\n",
            Outlook::waiting},
           {"it does not matter where nothing is to be done",
            {taints()},
            without({Input::worker}),
            "fine NoTaint\n",
            Outlook::fine},
       }) {
    const Explanation explanation = settle(draft_of(row.topics), row.sight, {});
    EXPECT_EQ(told(explanation), row.told) << row.sentence;
    EXPECT_EQ(outlook_of(explanation), row.outlook) << row.sentence;
  }
}

TEST(Settle, says_whether_a_manager_takes_next_step) {
  using enum Worker::State;
  EXPECT_EQ(told(settle(draft_of({step()}), {}, {works, ""})), "acting Create\n");
  EXPECT_EQ(told(settle(draft_of({step()}), {}, {nobody, "Nobody leads."})),
            "stuck NobodyWorks\nwaiting Create\n");
  EXPECT_EQ(told(settle(draft_of({due()}), {}, {nobody, "Nobody leads."})),
            "stuck NobodyWorks\nwaiting EvictionDue\n");
  EXPECT_EQ(told(settle(draft_of({step()}), {}, {perhaps, "That is not known."})),
            "unknown WorkerUnknown\nnote Create\n");
  EXPECT_EQ(told(settle(draft_of({taints()}), {}, {nobody, "Nobody leads."})), "fine NoTaint\n");
}

TEST(Settle, names_each_gap_once) {
  const Explanation explanation =
      settle(draft_of({taints(), taints()}), without({Input::rules}), {});
  ASSERT_EQ(explanation.unknowns().size(), 1U);
  EXPECT_EQ(explanation.unknowns().front(),
            "DeviceTaintRules could not be read: forbidden. It is not known whether a rule evicts "
            "its pods.");
}

TEST(Topic, keeps_each_finding_in_one_line) {
  Topic topic{.title = "devices"};
  topic.add(Outlook::note, "Quote", "It said:\n  fine  \x1b[2K\u202ereversed");
  EXPECT_EQ(topic.findings[0].text, "It said:   fine   [2K reversed");
}

TEST(AddWork, takes_failure_for_obstacle_only_with_work_left) {
  std::vector<Topic> open{step()};
  add_work("It failed.", std::nullopt, open);
  EXPECT_EQ(open.back().findings.back().reason, "LastProblem");
  EXPECT_EQ(open.back().findings.back().outlook, Outlook::stuck);
  std::vector<Topic> settled{taints()};
  settled.back().add(Outlook::waiting, "NotAllocated", "It waits for the scheduler.");
  add_work("It failed.", std::nullopt, settled);
  EXPECT_EQ(settled.back().findings.back().reason, "EarlierProblem");
  EXPECT_EQ(settled.back().findings.back().outlook, Outlook::note);
}

TEST(AddWork, puts_place_in_queue_last) {
  std::vector<Topic> open{step()};
  add_work("It failed.", "It waits.", open);
  EXPECT_EQ(open.back().findings.back().reason, "Queued");
}

TEST(Count, uses_plural_but_for_one) {
  EXPECT_EQ(count(0, "pod"), "0 pods");
  EXPECT_EQ(count(1, "pod"), "1 pod");
  EXPECT_EQ(count(2, "pod needs", "pods need"), "2 pods need");
}

}  // namespace
}  // namespace dcm::common
