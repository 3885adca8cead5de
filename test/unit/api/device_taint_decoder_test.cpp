// What eviction reads: slices, rules, tolerations of allocations, and the condition of a pod.
#include <chrono>
#include <limits>

#include "test/unit/api/decode_support.hpp"

namespace dcm::api {
namespace {

using namespace std::chrono_literals;
using std::chrono::seconds;

constexpr runtime::WallTime kNine = std::chrono::sys_days(2027y / 3 / 1) + 9h;

ObjectPtr<ResourceSlice> decode_slice(std::string_view version, std::string_view spec) {
  const auto decoder = make_json_slice_decoder(version);
  auto decoded = decode_ok(*decoder, object_json(fmt::format(R"("spec":{})", spec)));
  return decoded.object ? decoded.object : ObjectPtr(ResourceSlice());
}

TEST(SliceDecoder, keeps_pool_names_and_evicting_taints) {
  const auto slice = decode_slice("v1", R"({"nodeName":"n","driver":"gpu.example.com",
    "pool":{"resourceSliceCount":1,"generation":7,"name":"node-a"},
    "devices":[{"attributes":{"a":{"int":1}},"name":"gpu-0"},
      {"name":"gpu-1","taints":[
        {"key":"cordoned","effect":"NoSchedule","timeAdded":"2027-03-01T09:00:00Z"},
        {"key":"burnt","value":"yes","effect":"NoExecute","timeAdded":"2027-03-01T09:00:00Z"},
        {"key":"odd","effect":"Later"},{"key":"look","effect":"None"},
        {"key":"timeless","effect":"NoExecute","timeAdded":null}]}]})");
  EXPECT_EQ(slice->driver.str(), "gpu.example.com");
  EXPECT_EQ(slice->pool.str(), "node-a");
  EXPECT_EQ(slice->pool_generation, 7);
  EXPECT_EQ(slice->pool_slices, 1);
  EXPECT_EQ(slice->no_schedule, (std::vector<std::uint32_t>{1}));
  ASSERT_EQ(slice->devices.size(), 2U);
  EXPECT_EQ(slice->devices[0].name.str(), "gpu-0");
  EXPECT_EQ(slice->devices[0].taints, nullptr);
  EXPECT_EQ(slice->devices[1].name.str(), "gpu-1");
  ASSERT_NE(slice->devices[1].taints, nullptr);
  EXPECT_EQ(*slice->devices[1].taints,
            (std::vector<DeviceTaint>{{"burnt", "yes", TaintEffect::no_execute, kNine, 1},
                                      {"timeless", "", TaintEffect::no_execute, {}, 4}}));
}

TEST(SliceDecoder, reads_taints_in_basic_of_v1beta1) {
  constexpr std::string_view kSpec =
      R"({"devices":[{"basic":{"taints":[{"key":"k","effect":"NoExecute"}]},"name":"gpu-0"}]})";
  const auto slice = decode_slice("v1beta1", kSpec);
  ASSERT_EQ(slice->devices.size(), 1U);
  EXPECT_EQ(slice->devices[0].name.str(), "gpu-0");
  ASSERT_NE(slice->devices[0].taints, nullptr);
  EXPECT_EQ(slice->devices[0].taints->size(), 1U);
  EXPECT_EQ(decode_slice("v1beta2", kSpec)->devices.at(0).taints, nullptr);
}

ObjectPtr<DeviceTaintRule> decode_rule(std::string_view rest, std::string_view metadata = {}) {
  const auto decoder = make_json_rule_decoder();
  auto decoded = decode_ok(*decoder, object_json(rest, metadata));
  return decoded.object ? decoded.object : ObjectPtr(DeviceTaintRule());
}

struct SelectorRow {
  std::string_view sentence;
  std::string_view spec;
  std::optional<DeviceSelector> selector;
  std::string_view unknown;
};

TEST(RuleDecoder, reads_selector) {
  const SelectorRow kRows[] = {
      {"a missing one selects nothing", "{}", {}, ""},
      {"so does null", R"({"deviceSelector":null})", {}, ""},
      {"an empty one is there", R"({"deviceSelector":{}})", DeviceSelector{}, ""},
      {"all parts", R"({"deviceSelector":{"device":"d","driver":"x","pool":"p"}})",
       DeviceSelector{"x", "p", "d"}, ""},
      {"a part that is null is not set", R"({"deviceSelector":{"pool":null}})", DeviceSelector{},
       ""},
      {"a part that is empty must not pass for any", R"({"deviceSelector":{"pool":""}})",
       DeviceSelector{}, "pool"},
      {"a field of another version", R"({"deviceSelector":{"deviceClassName":"c"}})",
       DeviceSelector{}, "deviceClassName"},
      {"a field of any type", R"({"deviceSelector":{"driver":"x","selectors":[{"cel":{}}]}})",
       DeviceSelector{"x", "", ""}, "selectors"},
      {"a field that we don't know and that is null is not set",
       R"({"deviceSelector":{"selectors":null}})", DeviceSelector{}, ""},
  };
  for (const SelectorRow& row : kRows) {
    SCOPED_TRACE(row.sentence);
    const auto rule = decode_rule(fmt::format(R"("spec":{})", row.spec));
    EXPECT_EQ(rule->selector, row.selector);
    EXPECT_EQ(rule->unknown_selector_field, row.unknown);
  }
}

TEST(RuleDecoder, reads_effect) {
  constexpr std::pair<std::string_view, TaintEffect> kRows[] = {
      {R"("NoExecute")", TaintEffect::no_execute},
      {R"("NoSchedule")", TaintEffect::no_schedule},
      {R"("None")", TaintEffect::none},
      {R"("Burn")", TaintEffect::other},
      {R"("noexecute")", TaintEffect::other},
      {"null", TaintEffect::none},
  };
  for (const auto& [text, effect] : kRows) {
    const auto rule = decode_rule(fmt::format(R"("spec":{{"taint":{{"effect":{}}}}})", text));
    EXPECT_EQ(rule->taint.effect, effect) << text;
  }
}

TEST(RuleDecoder, reads_generation_taint_and_condition) {
  const auto rule = decode_rule(
      R"("spec":{"taint":{"key":"burnt","value":"v","effect":"NoExecute",
           "timeAdded":"2027-03-01T10:00:00+01:00"}},
         "status":{"conditions":[{"type":"Other","status":"True"},
           {"type":"EvictionInProgress","status":"False","reason":"Completed","message":"m",
            "observedGeneration":2,"lastTransitionTime":"2027-03-01T09:00:00Z"}]})",
      R"("generation":3)");
  EXPECT_EQ(rule->generation, 3);
  EXPECT_EQ(rule->taint, (DeviceTaint{"burnt", "v", TaintEffect::no_execute, kNine, 0}));
  ASSERT_TRUE(rule->condition);
  EXPECT_EQ(*rule->condition,
            (Condition{"EvictionInProgress", "False", "Completed", "m", 2, kNine}));
  EXPECT_FALSE(decode_rule(R"("status":{"conditions":[{"type":"Other"}]})")->condition);
  EXPECT_FALSE(decode_rule("")->condition);
}

TEST(RuleDecoder, reports_path_of_invalid_time) {
  const auto decoder = make_json_rule_decoder();
  EXPECT_EQ(malformed(decoder->decode_object(
                object_json(R"("spec":{"taint":{"timeAdded":"yesterday"}})"))),
            "JSON: spec.taint.timeAdded: expected a time");
}

ObjectPtr<ResourceClaim> decode_claim(std::string_view results) {
  const auto decoder = make_json_claim_decoder("v1");
  auto decoded = decode_ok(
      *decoder, object_json(fmt::format(
                    R"("status":{{"allocation":{{"devices":{{"results":{}}}}}}})", results)));
  return decoded.object ? decoded.object : ObjectPtr(ResourceClaim());
}

TEST(ClaimDecoder, reads_allocated_devices) {
  const auto claim = decode_claim(R"([
    {"request":"r","driver":"gpu.example.com","pool":"node-a","device":"gpu-0"},
    {"device":"gpu-1","pool":"node-a","driver":"gpu.example.com","tolerations":[]}])");
  EXPECT_TRUE(claim->is_allocated);
  ASSERT_EQ(claim->devices.size(), 2U);
  EXPECT_EQ(claim->devices[0].id, (DeviceId{"gpu.example.com", "node-a", "gpu-0"}));
  EXPECT_EQ(claim->devices[0].tolerations, nullptr);
  EXPECT_EQ(claim->devices[1].id.str(), "gpu.example.com/node-a/gpu-1");
  EXPECT_EQ(claim->devices[1].tolerations, nullptr);
}

struct TolerationRow {
  std::string_view sentence;
  std::string_view json;
  std::optional<DeviceToleration> kept;
};

TEST(ClaimDecoder, reads_tolerations) {
  using enum TolerationOperator;
  constexpr auto kMost = seconds(std::numeric_limits<std::int64_t>::max());
  const TolerationRow kRows[] = {
      {"forever", R"({"operator":"Exists","effect":"NoExecute"})",
       DeviceToleration{"", exists, "", {}}},
      {"an operator that is left out is Equal", R"({"key":"k","value":"v","effect":"NoExecute"})",
       DeviceToleration{"k", equal, "v", {}}},
      {"Equal", R"({"operator":"Equal","key":"k","effect":"NoExecute","tolerationSeconds":30})",
       DeviceToleration{"k", equal, "", 30s}},
      {"as long as can be said",
       R"({"operator":"Exists","effect":"NoExecute","tolerationSeconds":9223372036854775807})",
       DeviceToleration{"", exists, "", kMost}},
      {"below zero", R"({"operator":"Exists","effect":"NoExecute","tolerationSeconds":-5})",
       DeviceToleration{"", exists, "", -5s}},
      {"null is forever", R"({"operator":"Exists","effect":"NoExecute","tolerationSeconds":null})",
       DeviceToleration{"", exists, "", {}}},
      {"another effect is of no interest", R"({"operator":"Exists","effect":"NoSchedule"})", {}},
      {"every effect is not this effect", R"({"operator":"Exists"})", {}},
      {"an operator that we don't know never tolerates",
       R"({"operator":"Lt","effect":"NoExecute"})",
       {}},
  };
  for (const TolerationRow& row : kRows) {
    SCOPED_TRACE(row.sentence);
    const auto claim = decode_claim(fmt::format(R"([{{"tolerations":[{}]}}])", row.json));
    ASSERT_EQ(claim->devices.size(), 1U);
    ASSERT_EQ(claim->devices[0].tolerations != nullptr, row.kept.has_value());
    if (!row.kept) continue;
    EXPECT_EQ(*claim->devices[0].tolerations, std::vector<DeviceToleration>{*row.kept});
  }
}

TEST(PodDecoder, reads_disruption_target) {
  constexpr std::pair<std::string_view, DisruptionTarget> kRows[] = {
      {"null", DisruptionTarget::none},
      {R"([{"type":"Ready","status":"True"}])", DisruptionTarget::none},
      {R"([{"type":"DisruptionTarget","status":"False"}])", DisruptionTarget::none},
      {R"([{"type":"DisruptionTarget","status":"True","reason":"PreemptionByScheduler"}])",
       DisruptionTarget::other},
      {R"([{"status":"True","reason":"DeletionByDeviceTaintManager","message":"else",
            "type":"DisruptionTarget"}])",
       DisruptionTarget::other},
      {R"([{"type":"Ready","status":"True"},{"status":"True","type":"DisruptionTarget",
            "reason":"DeletionByDeviceTaintManager",
            "message":"Device Taint manager: deleting due to NoExecute taint"}])",
       DisruptionTarget::by_device_taint},
  };
  const auto decoder = make_json_pod_decoder();
  for (const auto& [conditions, expected] : kRows) {
    const auto decoded = decode_ok(
        *decoder,
        object_json(fmt::format(
            R"("spec":{{"resourceClaims":[{{"name":"c"}}]}},"status":{{"conditions":{}}})",
            conditions)));
    ASSERT_NE(decoded.object, nullptr);
    EXPECT_EQ(decoded.object->disruption_target, expected) << conditions;
  }
}

}  // namespace
}  // namespace dcm::api
