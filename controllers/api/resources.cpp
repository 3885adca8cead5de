#include "controllers/api/resources.hpp"

#include <array>

#include "controllers/api/pod.hpp"

namespace dcm::api {
namespace {

constexpr std::array<std::string_view, 3> kClaimVersions = {"v1", "v1beta2", "v1beta1"};
constexpr std::array<std::string_view, 3> kRuleVersions = {"v1", "v1beta2", "v1alpha3"};
constexpr std::array<std::string_view, 1> kPoolStatusVersions = {"v1alpha3"};
constexpr std::array<std::string_view, 3> kGroupVersions = {"v1beta1", "v1alpha3", "v1alpha2"};
constexpr std::string_view kResourceGroup = "resource.k8s.io";

}  // namespace

constinit const ResourceKind kResourceClaims{.group = kResourceGroup,
                                             .plural = "resourceclaims",
                                             .kind = "ResourceClaim",
                                             .scope = Scope::namespaced,
                                             .versions = kClaimVersions};
constinit const ResourceKind kResourceClaimTemplates{.group = kResourceGroup,
                                                     .plural = "resourceclaimtemplates",
                                                     .kind = "ResourceClaimTemplate",
                                                     .scope = Scope::namespaced,
                                                     .versions = kClaimVersions};
constinit const ResourceKind kResourceSlices{.group = kResourceGroup,
                                             .plural = "resourceslices",
                                             .kind = "ResourceSlice",
                                             .scope = Scope::cluster,
                                             .versions = kClaimVersions};
constinit const ResourceKind kDeviceClasses{.group = kResourceGroup,
                                            .plural = "deviceclasses",
                                            .kind = "DeviceClass",
                                            .scope = Scope::cluster,
                                            .versions = kClaimVersions};
constinit const ResourceKind kDeviceTaintRules{.group = kResourceGroup,
                                               .plural = "devicetaintrules",
                                               .kind = "DeviceTaintRule",
                                               .scope = Scope::cluster,
                                               .versions = kRuleVersions};
constinit const ResourceKind kPodGroups{.group = kSchedulingGroup,
                                        .plural = "podgroups",
                                        .kind = "PodGroup",
                                        .scope = Scope::namespaced,
                                        .versions = kGroupVersions};
constinit const ResourceKind kResourcePoolStatusRequests{.group = kResourceGroup,
                                                         .plural = "resourcepoolstatusrequests",
                                                         .kind = "ResourcePoolStatusRequest",
                                                         .scope = Scope::cluster,
                                                         .versions = kPoolStatusVersions};

}  // namespace dcm::api
