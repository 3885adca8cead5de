#include "controllers/resource_claim/rules/claim_name.hpp"

#include <gtest/gtest.h>

namespace dcm::resource_claim {
namespace {

std::string text(std::size_t length, char c = 'p') {
  return std::string(length, c);
}

struct Row {
  const char* sentence;
  std::string pod;
  std::string pod_claim;
  std::string expected;
};

TEST(GenerateName, follows_table) {
  const Row rows[] = {
      {"pod, pod claim and two hyphens", "trainer-0", "gpus", "trainer-0-gpus-"},
      {"57 characters are left as they are", text(50), "gpuss", text(50) + "-gpuss-"},
      {"from 58 on both parts are cut in proportion, and the last hyphen goes", text(51), "gpuss",
       text(50) + "-" + "gpus"},
      {"two names of 63", text(63), text(63, 'c'), text(28) + "-" + text(28, 'c')},
      {"a very long pod name leaves something of the pod claim", text(253), "gpus", text(55) + "-"},
      {"a dot at the cut goes, as the API server refuses \".-\"", text(49) + ".p", "gpuss",
       text(49) + "-" + "gpus"},
      {"a hyphen at the cut may stay", text(49) + "-p", "gpuss", text(49) + "--" + "gpus"},
      {"a pod name of one letter keeps it, as no name begins with a hyphen", "p", text(55, 'c'),
       "p-" + text(54, 'c')},
      {"also with the longest pod claim", "p", text(63, 'c'), "p-" + text(54, 'c')},
      {"a letter before a dot at the cut stays", "p.p", text(63, 'c'), "p-" + text(52, 'c')},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(generate_name(row.pod, row.pod_claim), row.expected) << row.sentence;
  }
}

TEST(GenerateName, has_at_most_58_valid_characters) {
  for (std::size_t pod = 1; pod <= 253; ++pod) {
    for (std::size_t pod_claim = 1; pod_claim <= 63; ++pod_claim) {
      std::string pod_name = text(pod);
      for (std::size_t dot = 1; dot + 1 < pod; dot += 2) pod_name[dot] = '.';
      const std::string name = generate_name(pod_name, text(pod_claim, 'c'));
      ASSERT_LE(name.size(), 57U) << pod << " " << pod_claim;
      ASSERT_EQ(name.find(".-"), std::string::npos) << name;
      ASSERT_EQ(name.front(), 'p') << name;
    }
  }
}

struct NameRow {
  const char* sentence;
  std::string pod;
  std::string uid;
  std::string pod_claim;
  unsigned number;
  std::string expected;
};

// These names exist in clusters: a change would create a second claim for each pod claim.
TEST(ClaimName, is_deterministic) {
  const std::string uid = "5b0c7c1e-94a5-4a55-8f5c-6f2f3c0d9a11";
  const NameRow rows[] = {
      {"pod, pod claim and five characters", "trainer-0", uid, "gpus", 0, "trainer-0-gpus-8xgkf"},
      {"another number gives another name", "trainer-0", uid, "gpus", 1, "trainer-0-gpus-n9bvr"},
      {"so does another pod claim", "trainer-0", uid, "nic", 0, "trainer-0-nic-l7hrq"},
      {"so does a pod that has taken the name", "trainer-0", "0d8a9b1c-3b5e-4c0e-8a33-77c0b1d7f9aa",
       "gpus", 0, "trainer-0-gpus-gnsk8"},
      {"an UID may be any text", "a", "b", "c", 7, "a-c-cd9x2"},
      {"where both are cut a hyphen follows", text(63), uid, text(63, 'c'), 0,
       text(28) + "-" + text(28, 'c') + "-ms4sq"},
  };
  for (const NameRow& row : rows) {
    EXPECT_EQ(claim_name(row.pod, api::Uid(row.uid), row.pod_claim, row.number), row.expected)
        << row.sentence;
  }
}

TEST(IsClaimName, recognizes_only_computed_names) {
  const auto knows = [](const std::string& name, const std::string& pod, const char* pod_claim) {
    return is_claim_name(name, pod, api::Uid("u"), pod_claim);
  };
  for (const std::string& pod :
       {std::string("p"), std::string("a.b"), text(49) + ".p", text(253)}) {
    const auto names = claim_names(pod, api::Uid("u"), "gpus");
    for (unsigned number = 0; number < kClaimNamesMax; ++number) {
      EXPECT_TRUE(knows(claim_name(pod, api::Uid("u"), "gpus", number), pod, "gpus")) << pod;
      EXPECT_EQ(names[number], claim_name(pod, api::Uid("u"), "gpus", number));
      EXPECT_TRUE(names[number].starts_with(claim_name_base(pod, "gpus")));
    }
    EXPECT_FALSE(knows(claim_name(pod, api::Uid("u"), "gpus", kClaimNamesMax), pod, "gpus"));
    EXPECT_FALSE(knows(claim_name(pod, api::Uid("other"), "gpus", 0), pod, "gpus"));
    EXPECT_FALSE(knows(claim_name(pod, api::Uid("u"), "nics", 0), pod, "gpus"));
    EXPECT_FALSE(knows(pod, pod, "gpus"));
    EXPECT_FALSE(knows(generate_name(pod, "gpus"), pod, "gpus"));
  }
  EXPECT_FALSE(knows("", "p", "gpus"));
}

TEST(ClaimName, has_at_most_63_characters_and_prefix_of_generated_name) {
  for (std::size_t pod = 1; pod <= 253; ++pod) {
    for (std::size_t pod_claim = 1; pod_claim <= 63; pod_claim += 2) {
      const std::string name = claim_name(text(pod), api::Uid("u"), text(pod_claim, 'c'), 0);
      ASSERT_LE(name.size(), 63U);
      ASSERT_TRUE(name.starts_with(generate_name(text(pod), text(pod_claim, 'c')))) << name;
      ASSERT_EQ(name[name.size() - 6], '-') << name;
    }
  }
}

}  // namespace
}  // namespace dcm::resource_claim
