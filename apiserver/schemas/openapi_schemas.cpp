#include "apiserver/schemas/openapi_schemas.hpp"

#include <algorithm>

// The literals are longer than every compiler must accept; this one accepts them.
#pragma clang diagnostic ignored "-Woverlength-strings"

namespace dcm::apiserver {

namespace {

struct Excerpt {
  std::string_view api_version;
  std::string_view schemas;
};

using std::string_view_literals::operator""sv;

constexpr Excerpt kExcerpts[] = {
    {
        "v1",
#include "apiserver/schemas/openapi/core_v1.inc"
    },
    {
        "networking.k8s.io/v1",
#include "apiserver/schemas/openapi/networking.k8s.io_v1.inc"
    },
    {
        "node.k8s.io/v1",
#include "apiserver/schemas/openapi/node.k8s.io_v1.inc"
    },
    {
        "flowcontrol.apiserver.k8s.io/v1",
#include "apiserver/schemas/openapi/flowcontrol.apiserver.k8s.io_v1.inc"
    },
    {
        "apiregistration.k8s.io/v1",
#include "apiserver/schemas/openapi/apiregistration.k8s.io_v1.inc"
    },
    {
        "admissionregistration.k8s.io/v1",
#include "apiserver/schemas/openapi/admissionregistration.k8s.io_v1.inc"
    },
    {
        "apiextensions.k8s.io/v1",
#include "apiserver/schemas/openapi/apiextensions.k8s.io_v1.inc"
    },
    {
        "apps/v1",
#include "apiserver/schemas/openapi/apps_v1.inc"
    },
    {
        "autoscaling/v1",
#include "apiserver/schemas/openapi/autoscaling_v1.inc"
    },
    {
        "batch/v1",
#include "apiserver/schemas/openapi/batch_v1.inc"
    },
    {
        "discovery.k8s.io/v1",
#include "apiserver/schemas/openapi/discovery.k8s.io_v1.inc"
    },
    {
        "events.k8s.io/v1",
#include "apiserver/schemas/openapi/events.k8s.io_v1.inc"
    },
    {
        "rbac.authorization.k8s.io/v1",
#include "apiserver/schemas/openapi/rbac.authorization.k8s.io_v1.inc"
    },
    {
        "scheduling.k8s.io/v1",
#include "apiserver/schemas/openapi/scheduling.k8s.io_v1.inc"
    },
    {
        "storage.k8s.io/v1",
#include "apiserver/schemas/openapi/storage.k8s.io_v1.inc"
    },
    {
        "coordination.k8s.io/v1",
#include "apiserver/schemas/openapi/coordination.k8s.io_v1.inc"
    },
    {
        "policy/v1",
#include "apiserver/schemas/openapi/policy_v1.inc"
    },
    {
        "resource.k8s.io/v1",
#include "apiserver/schemas/openapi/resource.k8s.io_v1.inc"
    },
    {
        "resource.k8s.io/v1beta2",
#include "apiserver/schemas/openapi/resource.k8s.io_v1beta2.inc"
    },
    {
        "resource.k8s.io/v1beta1",
#include "apiserver/schemas/openapi/resource.k8s.io_v1beta1.inc"
    },
    {
        "resource.k8s.io/v1alpha3",
#include "apiserver/schemas/openapi/resource.k8s.io_v1alpha3.inc"
    },
    {
        "scheduling.k8s.io/v1beta1",
#include "apiserver/schemas/openapi/scheduling.k8s.io_v1beta1.inc"
    },
};

}  // namespace

std::string_view openapi_schemas(std::string_view api_version) {
  const auto* const found = std::ranges::find(kExcerpts, api_version, &Excerpt::api_version);
  return found == std::end(kExcerpts) ? std::string_view() : found->schemas;
}

}  // namespace dcm::apiserver
