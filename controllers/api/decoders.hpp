// Decoders of the DRA kinds, for the requested format: where a server has no protobuf for a kind,
// they read JSON as well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>

#include "client/api/decoder.hpp"
#include "controllers/api/device_taint_rule.hpp"
#include "controllers/api/pod.hpp"
#include "controllers/api/resource_claim.hpp"
#include "controllers/api/resource_claim_template.hpp"
#include "controllers/api/resource_pool_status.hpp"
#include "controllers/api/resource_slice.hpp"

namespace dcm::api {

// Which pods are decoded as objects; for others only the identity is kept.
enum class PodSelection : std::uint8_t { of_interest, all };

// A cache keeps contents of templates up to this size.
inline constexpr std::size_t kTemplateBytesKept = std::size_t{16} * 1024;
// Whether templates are decoded with their content. A cache keeps small contents only, and at most
// 32 MiB per decoder; of other contents it knows only the size.
enum class TemplateContent : std::uint8_t { where_small, all };

// Budget for template contents: per template, and for all together. A namespace gets no more than
// what it leaves for others. Copies share the budget.
class TemplateBudget {
 public:
  explicit TemplateBudget(TemplateContent content) : content_(content) {}

  // Sets the size of the content, and drops the content if it is too large.
  void settle(ResourceClaimTemplate& result) const;

 private:
  struct Taken {
    std::size_t bytes = 0;
    std::unordered_map<InternedString, std::size_t> by_namespace = {};
  };
  // Returns nullptr if the budget is used up. The result may outlive the budget.
  std::shared_ptr<const void> take(const InternedString& namespace_, std::size_t bytes) const;

  TemplateContent content_;
  std::shared_ptr<Taken> taken_ = std::make_shared<Taken>();
};

// One decoder per kind. `version` is the API version chosen by discovery: v1beta1 has `adminAccess`
// directly in a request, and a device's taints below `basic`.
std::unique_ptr<Decoder<Pod>> make_pod_decoder(Format format,
                                               PodSelection selection = PodSelection::of_interest);
std::unique_ptr<Decoder<ResourceClaim>> make_claim_decoder(Format format, std::string_view version);
std::unique_ptr<Decoder<ResourceClaimTemplate>> make_template_decoder(
    Format format, std::string_view version,
    TemplateContent content = TemplateContent::where_small);
std::unique_ptr<Decoder<ResourceSlice>> make_slice_decoder(Format format, std::string_view version);
std::unique_ptr<Decoder<DeviceTaintRule>> make_rule_decoder(Format format);
std::unique_ptr<Decoder<PodGroup>> make_group_decoder(Format format);

// ---- decoders of one format ---------------------------------------------------------------------

// JSON (simdjson, on demand).
std::unique_ptr<Decoder<Pod>> make_json_pod_decoder(
    PodSelection selection = PodSelection::of_interest);
std::unique_ptr<Decoder<ResourceClaim>> make_json_claim_decoder(std::string_view version);
std::unique_ptr<Decoder<ResourceClaimTemplate>> make_json_template_decoder(
    std::string_view version, TemplateBudget budget = TemplateBudget(TemplateContent::where_small));
std::unique_ptr<Decoder<ResourceSlice>> make_json_slice_decoder(std::string_view version);
std::unique_ptr<Decoder<DeviceTaintRule>> make_json_rule_decoder();
std::unique_ptr<Decoder<PodGroup>> make_json_group_decoder();
// These requests are few and short-lived, so JSON is enough.
std::unique_ptr<Decoder<ResourcePoolStatusRequest>> make_json_pool_status_request_decoder();

// Kubernetes' protobuf (protozero). Field numbers are defined in the generated.proto of k8s.io/api;
// the envelope gives the version of an object.
std::unique_ptr<Decoder<Pod>> make_protobuf_pod_decoder(
    PodSelection selection = PodSelection::of_interest);
std::unique_ptr<Decoder<ResourceClaim>> make_protobuf_claim_decoder();
std::unique_ptr<Decoder<ResourceClaimTemplate>> make_protobuf_template_decoder(
    TemplateBudget budget = TemplateBudget(TemplateContent::where_small));
std::unique_ptr<Decoder<ResourceSlice>> make_protobuf_slice_decoder();
std::unique_ptr<Decoder<DeviceTaintRule>> make_protobuf_rule_decoder();
std::unique_ptr<Decoder<PodGroup>> make_protobuf_group_decoder();

}  // namespace dcm::api
