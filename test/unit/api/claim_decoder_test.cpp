#include <memory>

#include "test/unit/api/decode_support.hpp"

namespace dcm::api {
namespace {

const std::unique_ptr<Decoder<ResourceClaim>> kDecoder = make_json_claim_decoder("v1");

ObjectPtr<ResourceClaim> decode(std::string_view rest, std::string_view metadata = {}) {
  const auto decoded = decode_ok(*kDecoder, object_json(rest, metadata));
  EXPECT_NE(decoded.object, nullptr);
  return decoded.object ? decoded.object : ObjectPtr(ResourceClaim());
}

TEST(ClaimDecoder, reads_every_field_for_controllers) {
  const auto claim = decode(
      R"("spec":{"devices":{"requests":[{"name":"two","exactly":{"count":2}}]}},
         "status":{"allocation":{"devices":{"results":[{"driver":"gpu.example.com"}]}},
           "reservedFor":[
             {"resource":"pods","name":"trainer-0","uid":"6a0d8e17-0c52-4a43-9fd0-72c3d49e5b10"},
             {"apiGroup":"scheduling.k8s.io","resource":"podgroups","name":"trainers",
              "uid":"any text"}],
           "devices":[{"driver":"gpu.example.com","conditions":[]}]})",
      R"("annotations":{"resource.kubernetes.io/pod-claim-name":"gpus","x":"y"},
         "finalizers":["example.com/other","resource.kubernetes.io/delete-protection"],
         "ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"trainer-0",
           "uid":"6a0d8e17-0c52-4a43-9fd0-72c3d49e5b10","controller":true}])");
  EXPECT_EQ(claim->pod_claim_name, "gpus");
  EXPECT_FALSE(claim->is_extended_resource_claim);
  EXPECT_TRUE(claim->has_delete_protection);
  EXPECT_TRUE(claim->is_allocated);
  EXPECT_FALSE(claim->has_admin_access);
  ASSERT_NE(claim->controller, std::nullopt);
  const Uid pod_uid("6a0d8e17-0c52-4a43-9fd0-72c3d49e5b10");
  EXPECT_EQ(*claim->controller, (ControllerRef{"", "Pod", "trainer-0", pod_uid}));
  ASSERT_EQ(claim->reserved_for.size(), 2U);
  EXPECT_EQ(claim->reserved_for[0], (ConsumerReference{"", "pods", "trainer-0", pod_uid}));
  EXPECT_TRUE(claim->reserved_for[0].is_pod());
  EXPECT_EQ(claim->reserved_for[1],
            (ConsumerReference{"scheduling.k8s.io", "podgroups", "trainers", Uid("any text")}));
  EXPECT_FALSE(claim->reserved_for[1].is_pod());
}

TEST(ClaimDecoder, uses_defaults_for_missing_fields) {
  const auto claim = decode("");
  EXPECT_EQ(claim->meta.key.str(), "lab/trainer-0");
  EXPECT_EQ(claim->controller, std::nullopt);
  EXPECT_TRUE(claim->pod_claim_name.empty());
  EXPECT_TRUE(claim->reserved_for.empty());
  EXPECT_FALSE(claim->is_allocated);
  EXPECT_FALSE(claim->has_delete_protection);
}

struct ControllerRow {
  std::string_view why;
  std::string_view owners;
  std::string_view group;
  std::string_view name;  // empty: no controller
};

TEST(ClaimDecoder, reads_controller) {
  constexpr ControllerRow kRows[] = {
      {"an owner that is no controller", R"([{"apiVersion":"v1","kind":"Pod","name":"p"}])", "",
       ""},
      {"an owner that says it is none",
       R"([{"apiVersion":"v1","kind":"Pod","name":"p","controller":false}])", "", ""},
      {"null is not true", R"([{"apiVersion":"v1","kind":"Pod","name":"p","controller":null}])", "",
       ""},
      {"the controller is not the first owner",
       R"([{"kind":"X","name":"x"},{"apiVersion":"v1","kind":"Pod","name":"p","controller":true}])",
       "", "p"},
      {"the version is no part of the group",
       R"([{"controller":true,"apiVersion":"scheduling.k8s.io/v1beta1","kind":"PodGroup",
            "name":"g"}])",
       "scheduling.k8s.io", "g"},
      {"no owners", "null", "", ""},
  };
  for (const ControllerRow& row : kRows) {
    SCOPED_TRACE(row.why);
    const auto claim = decode("", fmt::format(R"("ownerReferences":{})", row.owners));
    ASSERT_EQ(claim->controller.has_value(), !row.name.empty());
    if (!claim->controller) continue;
    EXPECT_EQ(claim->controller->group.str(), row.group);
    EXPECT_EQ(claim->controller->name, row.name);
  }
}

struct FlagRow {
  std::string_view why;
  std::string_view rest;
  bool expected;
};

TEST(ClaimDecoder, reads_allocation) {
  constexpr FlagRow kRows[] = {
      {"no status", "", false},
      {"a status without an allocation", R"("status":{"reservedFor":[]})", false},
      {"null", R"("status":{"allocation":null})", false},
      {"an allocation without content", R"("status":{"allocation":{}})", true},
      {"an allocation", R"("status":{"allocation":{"devices":{"results":[{"a":[1]}]}}})", true},
  };
  for (const FlagRow& row : kRows) {
    SCOPED_TRACE(row.why);
    EXPECT_EQ(decode(row.rest)->is_allocated, row.expected);
  }
  EXPECT_EQ(malformed(kDecoder->decode_object(object_json(R"("status":{"allocation":"x"})"))),
            "JSON: status.allocation: expected an object");
}

TEST(ClaimDecoder, accepts_only_true_for_extended_resource_claim) {
  constexpr FlagRow kRows[] = {
      {"true", R"("annotations":{"resource.kubernetes.io/extended-resource-claim":"true"})", true},
      {"false", R"("annotations":{"resource.kubernetes.io/extended-resource-claim":"false"})",
       false},
      {"True", R"("annotations":{"resource.kubernetes.io/extended-resource-claim":"True"})", false},
      {"null", R"("annotations":null)", false},
  };
  for (const FlagRow& row : kRows) {
    SCOPED_TRACE(row.why);
    EXPECT_EQ(decode("", row.rest)->is_extended_resource_claim, row.expected);
  }
}

struct AdminRow {
  std::string_view why;
  std::string_view version;
  std::string_view requests;
  bool expected;
};

TEST(ClaimDecoder, reads_admin_access) {
  constexpr AdminRow kRows[] = {
      {"v1: below exactly", "v1", R"([{"exactly":{"adminAccess":true}}])", true},
      {"v1beta2: below exactly", "v1beta2", R"([{"exactly":{"adminAccess":true}}])", true},
      {"v1: any request counts", "v1", R"([{"exactly":{}},{"exactly":{"adminAccess":true}}])",
       true},
      {"v1: a later request does not take it back", "v1",
       R"([{"exactly":{"adminAccess":true}},{"exactly":{"adminAccess":false}}])", true},
      {"v1: not in the request itself", "v1", R"([{"adminAccess":true}])", false},
      {"v1: never in firstAvailable", "v1", R"([{"firstAvailable":[{"adminAccess":true}]}])",
       false},
      {"v1beta1: in the request itself", "v1beta1", R"([{"adminAccess":true}])", true},
      {"v1beta1: not below exactly", "v1beta1", R"([{"exactly":{"adminAccess":true}}])", false},
      {"v1beta1: never in firstAvailable", "v1beta1",
       R"([{"firstAvailable":[{"adminAccess":true}]}])", false},
      {"false and null", "v1",
       R"([{"exactly":{"adminAccess":false}},{"exactly":{"adminAccess":null}},{"exactly":null}])",
       false},
      {"no requests", "v1", "null", false},
  };
  for (const AdminRow& row : kRows) {
    SCOPED_TRACE(row.why);
    const auto decoder = make_json_claim_decoder(row.version);
    const auto decoded = decode_ok(
        *decoder,
        object_json(fmt::format(R"("spec":{{"devices":{{"requests":{}}}}})", row.requests)));
    ASSERT_NE(decoded.object, nullptr);
    EXPECT_EQ(decoded.object->has_admin_access, row.expected);
  }
}

TEST(ClaimDecoder, reports_path_of_invalid_field) {
  constexpr std::pair<std::string_view, std::string_view> kRows[] = {
      {R"("status":{"reservedFor":[{},{"uid":7}]})",
       "status.reservedFor[1].uid: expected a string"},
      {R"("spec":{"devices":{"requests":[{"exactly":{"adminAccess":"yes"}}]}})",
       "spec.devices.requests[0].exactly.adminAccess: expected true or false"},
      {R"("spec":{"devices":[]})", "spec.devices: expected an object"},
  };
  for (const auto& [rest, message] : kRows) {
    EXPECT_EQ(malformed(kDecoder->decode_object(object_json(rest))),
              fmt::format("JSON: {}", message));
  }
  EXPECT_EQ(malformed(kDecoder->decode_object(object_json("", R"("finalizers":[1])"))),
            "JSON: metadata.finalizers[0]: expected a string");
}

}  // namespace
}  // namespace dcm::api
