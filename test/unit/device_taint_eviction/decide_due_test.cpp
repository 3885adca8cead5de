// Which pods must be evicted, when and why: one cluster per row.
#include "controllers/device_taint_eviction/rules/decide_due.hpp"

#include <functional>

#include <gtest/gtest.h>

#include "test/unit/device_taint_eviction/world.hpp"

namespace dcm::device_taint_eviction {
namespace {

using api::PodPhase;

// "30s: rule r; gpu.example.com/pool/gpu-0, taint 0"; empty: may stay.
std::string judge(const World& world, const std::string& pod) {
  const PodPtr judged = world.find_pod({test::kNamespace, pod});
  const Verdict verdict = decide_due(*judged, world, world.tracker.taints());
  const auto reasons = reasons_for(*judged, world, world.tracker.taints());
  if (!verdict.due) return reasons.empty() ? "" : "reasons without a due time";
  const auto after = std::chrono::duration_cast<seconds>(*verdict.due - kStart).count();
  std::string text = std::to_string(after) + "s:";
  const char* separator = " ";
  for (const Reason& reason : reasons) {
    text += separator + reason.str();
    separator = "; ";
  }
  return text;
}

struct Row {
  const char* sentence;
  std::function<void(World&)> arrange;
  const char* verdict;
};

void expect_verdicts(std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    World world;
    row.arrange(world);
    EXPECT_EQ(judge(world, "p"), row.verdict) << row.sentence;
  }
}

// A pod with a device, gpu-0, tainted by its driver.
void tainted_device(World& world) {
  world.put(test::make_slice("s", "pool").device("gpu-0", {no_execute("burnt")}));
}

constexpr const char* kGoes = "0s: gpu.example.com/pool/gpu-0, taint 0";

TEST(DecideDue, selects_pods) {
  const auto given = [](test::PodBuilder pod, test::ClaimBuilder claim) {
    return [pod, claim](World& world) mutable {
      tainted_device(world);
      world.put(pod);
      world.put(claim);
    };
  };
  const auto claim = [] { return claim_of("p").with_device("pool", "gpu-0"); };
  const auto generated = [] {
    return test::make_pod("p").from_template("gpus", "t").names("gpus", "p-claim").on_node("node");
  };
  const auto extended = [] {
    return test::make_pod("p").extended_resource_claim("p-claim").on_node("node");
  };
  expect_verdicts({
      {"one on a node that uses a claim", given(user_of_claim("p"), claim()), kGoes},
      {"one without a node stays", given(test::make_pod("p").uses("gpus", "p-claim"), claim()), ""},
      {"its claim is not allocated", given(user_of_claim("p"), claim_of("p")), ""},
      {"its claim is not reserved for it",
       given(user_of_claim("p"), test::make_claim("p-claim").with_device("pool", "gpu-0")), ""},
      {"its claim is reserved for an earlier pod of that name",
       given(user_of_claim("p").with_uid("new"), claim()), ""},
      {"a generated claim of its own", given(generated(), claim().generated_for("p", "gpus")),
       kGoes},
      {"another pod's generated claim", given(generated(), claim().generated_for("q", "gpus")), ""},
      {"a generated claim of nobody", given(generated(), claim()), ""},
      {"a claim for its extended resources",
       given(extended(), claim().for_extended_resources_of("p")), kGoes},
      {"a claim for another pod's extended resources",
       given(extended(), claim().for_extended_resources_of("q")), ""},
      {"one that is being deleted stays as it is",
       given(user_of_claim("p").being_deleted(), claim()), ""},
      {"one that has succeeded is not lost",
       given(user_of_claim("p").phase(PodPhase::succeeded), claim()), ""},
      {"one that has failed is not lost",
       given(user_of_claim("p").phase(PodPhase::failed), claim()), ""},
      {"a claim of that name in another namespace",
       given(user_of_claim("p"), claim().in_namespace("other")), ""},
      {"no such claim", given(user_of_claim("p").uses("nic", "none"), claim_of("q")), ""},
  });
}

TEST(DecideDue, selects_taints) {
  const auto with_rule = [](test::RuleBuilder rule) {
    return [rule](World& world) {
      world.put(user_of_claim("p"));
      world.put(claim_of("p").with_device("pool", "gpu-0"));
      world.put(rule);
    };
  };
  const auto rule = [] { return test::make_rule("r", no_execute("burnt")); };
  constexpr const char* kByRule = "0s: rule r";
  expect_verdicts({
      {"a rule for all devices, though no slice is published", with_rule(rule().selects_all()),
       kByRule},
      {"a rule without a selector", with_rule(rule()), ""},
      {"by driver", with_rule(rule().selects("gpu.example.com", "", "")), kByRule},
      {"by another driver", with_rule(rule().selects("nic.example.com", "", "")), ""},
      {"by pool", with_rule(rule().selects("", "pool", "")), kByRule},
      {"by another pool", with_rule(rule().selects("", "pond", "")), ""},
      {"by device", with_rule(rule().selects("", "", "gpu-0")), kByRule},
      {"by another device", with_rule(rule().selects("", "", "gpu-1")), ""},
      {"by all three", with_rule(rule().selects("gpu.example.com", "pool", "gpu-0")), kByRule},
      {"by all three, of which one differs",
       with_rule(rule().selects("gpu.example.com", "pond", "gpu-0")), ""},
      {"a selector with a field that we don't know matches nothing",
       with_rule(rule().selects_all().unknown_selector_field("selectors")), ""},
      {"a rule with another effect",
       with_rule(test::make_rule("r", with_effect(api::TaintEffect::no_schedule)).selects_all()),
       ""},
      {"a rule that previews",
       with_rule(test::make_rule("r", with_effect(api::TaintEffect::none)).selects_all()), ""},
  });
}

TEST(DecideDue, returns_earliest_time_and_all_reasons) {
  expect_verdicts({
      {"the earliest taint of a device, and both reasons, rules first",
       [](World& world) {
         world.put(user_of_claim("p"));
         world.put(claim_of("p").with_device("pool", "gpu-0"));
         world.put(test::make_slice("s", "pool").device("gpu-0", {no_execute("burnt", 5s)}));
         world.put(test::make_rule("z", no_execute("k", 9s)).selects_all());
         world.put(test::make_rule("a", no_execute("k", 7s)).selects_all());
       },
       "5s: rule a; rule z; gpu.example.com/pool/gpu-0, taint 0"},
      {"the earliest device; a rule that hits both is one reason",
       [](World& world) {
         world.put(user_of_claim("p"));
         world.put(claim_of("p")
                       .with_device("pool", "gpu-1", {exists("k", 30s)})
                       .with_device("pool", "gpu-0", {exists("k", 20s)}));
         world.put(test::make_rule("r", no_execute("k")).selects_all());
       },
       "20s: rule r"},
      {"the earliest claim",
       [](World& world) {
         world.put(user_of_claim("p").uses("more", "more"));
         world.put(claim_of("p").with_device("pool", "gpu-0"));
         world.put(test::make_claim("more").reserved_for("p").with_device("pool", "gpu-1"));
         world.put(test::make_slice("s", "pool")
                       .device("gpu-0", {no_execute("burnt", 50s)})
                       .device("gpu-1", {no_execute("burnt", 40s), no_execute("wet", 60s)}));
       },
       "40s: gpu.example.com/pool/gpu-0, taint 0; gpu.example.com/pool/gpu-1, taint 0"},
      {"a taint that is tolerated forever is no reason",
       [](World& world) {
         world.put(user_of_claim("p"));
         world.put(claim_of("p").with_device("pool", "gpu-0", {exists("k")}));
         world.put(test::make_rule("r", no_execute("k")).selects_all());
         world.put(test::make_rule("s", no_execute("other", 3s)).selects_all());
       },
       "3s: rule s"},
      {"a toleration counts for its own device only",
       [](World& world) {
         world.put(user_of_claim("p"));
         world.put(claim_of("p")
                       .with_device("pool", "gpu-0", {exists("k")})
                       .with_device("pool", "gpu-1"));
         world.put(test::make_rule("r", no_execute("k", 4s)).selects_all());
       },
       "4s: rule r"},
  });
}

TEST(DecideDue, reads_only_current_slices_of_pool) {
  const auto pod_and = [](std::initializer_list<test::SliceBuilder> slices) {
    return [slices = std::vector<test::SliceBuilder>(slices)](World& world) {
      world.put(user_of_claim("p"));
      world.put(claim_of("p").with_device("pool", "gpu-0"));
      for (const auto& slice : slices) world.put(slice);
    };
  };
  const auto burnt = [](const char* name) {
    return test::make_slice(name, "pool").device("gpu-0", {no_execute("burnt")});
  };
  expect_verdicts({
      {"an incomplete pool counts", pod_and({burnt("s").generation(7)}), kGoes},
      {"an old generation does not",
       pod_and({burnt("s"), test::make_slice("t", "pool").generation(2)}), ""},
      {"an old generation that comes late does not",
       pod_and({test::make_slice("t", "pool").generation(2), burnt("s")}), ""},
      {"all slices of the newest do",
       pod_and({test::make_slice("t", "pool").generation(2), burnt("s").generation(2)}), kGoes},
      {"a pool of that name of another driver", pod_and({burnt("s").of_driver("nic.example.com")}),
       ""},
      {"another pool's generation is its own",
       pod_and({burnt("s"), test::make_slice("t", "pond").generation(9)}), kGoes},
  });
}

}  // namespace
}  // namespace dcm::device_taint_eviction
