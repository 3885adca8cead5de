#include "test/support/fault_rules.hpp"

#include <gtest/gtest.h>

namespace dcm::support {
namespace {

constexpr const char* kPodStatus = "/api/v1/namespaces/lab/pods/trainer-0/status?force=true";

struct Row {
  const char* what;
  Rule rule;
  std::vector<bool> is_spoiled;  // this and the next such request
};

TEST(FaultRules, match_requests) {
  for (const Row& row : {
           Row{"every method and target, once", {}, {true, false}},
           Row{"one method", {.method = "PATCH"}, {true, false}},
           Row{"one of two methods", {.method = "PATCH|PUT"}, {true, false}},
           Row{"another method", {.method = "DELETE"}, {false}},
           Row{"a target that fits anywhere", {.target = "pods/[^/]+/status"}, {true, false}},
           Row{"a target that does not fit", {.target = "^/pods"}, {false}},
           Row{"the second one", {.skip = 1}, {false, true, false}},
           Row{"several", {.times = 2}, {true, true, false}},
           Row{"the second and third one", {.skip = 1, .times = 2}, {false, true, true, false}},
       }) {
    RuleSet rules;
    rules.add(row.rule);
    for (const bool wanted : row.is_spoiled) {
      EXPECT_EQ(rules.match(http::Method::patch, kPodStatus) != nullptr, wanted) << row.what;
    }
  }
}

TEST(FaultRules, apply_first_rule_with_uses_left) {
  RuleSet rules;
  const std::size_t first = rules.add({});
  const std::size_t second = rules.add({});
  EXPECT_EQ(rules.match(http::Method::get, "/")->id, first);
  EXPECT_EQ(rules.match(http::Method::get, "/")->id, second);
  EXPECT_EQ(rules.match(http::Method::get, "/"), nullptr);
}

TEST(FaultRules, do_not_apply_after_removal) {
  RuleSet rules;
  const std::size_t id = rules.add({});
  rules.remove(id);
  EXPECT_EQ(rules.match(http::Method::get, "/"), nullptr);
  EXPECT_EQ(rules.find(id), nullptr);
}

TEST(FaultRules, reject_invalid_regular_expression) {
  RuleSet rules;
  EXPECT_THROW(rules.add({.target = "("}), std::regex_error);
}

}  // namespace
}  // namespace dcm::support
