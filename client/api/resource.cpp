#include "client/api/resource.hpp"

#include <array>

#include "client/api/percent_encoding.hpp"
#include "runtime/assert.hpp"

namespace dcm::api {
namespace {

constexpr std::array<std::string_view, 1> kCoreVersions = {"v1"};

// Percent-encoded as one path segment. Names are nearly always DNS labels, but the name
// in a reservation may be any text that a user wrote, and must not lead to another path.
void append_segment(std::string& path, std::string_view segment) {
  path += '/';
  if (segment == "." || segment == "..") {
    for (std::size_t i = 0; i < segment.size(); ++i) path += "%2E";
  } else {
    append_percent_encoded(path, segment);
  }
}

// "/apis/apps/v1", "/api/v1"
std::string group_path(const Resource& resource) {
  return (resource.kind->group.empty() ? "/api/" : "/apis/") + resource.api_version();
}

}  // namespace

constinit const ResourceKind kPods{.group = "",
                                   .plural = "pods",
                                   .kind = "Pod",
                                   .scope = Scope::namespaced,
                                   .versions = kCoreVersions};
constinit const ResourceKind kNodes{.group = "",
                                    .plural = "nodes",
                                    .kind = "Node",
                                    .scope = Scope::cluster,
                                    .versions = kCoreVersions};
constinit const ResourceKind kEvents{.group = "",
                                     .plural = "events",
                                     .kind = "Event",
                                     .scope = Scope::namespaced,
                                     .versions = kCoreVersions};
constinit const ResourceKind kLeases{.group = "coordination.k8s.io",
                                     .plural = "leases",
                                     .kind = "Lease",
                                     .scope = Scope::namespaced,
                                     .versions = kCoreVersions};

std::string Resource::api_version() const {
  if (kind->group.empty()) return version;
  return std::string(kind->group) + "/" + version;
}

std::string Resource::path() const {
  std::string path = group_path(*this);
  append_segment(path, kind->plural);
  return path;
}

std::string Resource::path(std::string_view namespace_) const {
  DCM_ASSERT(kind->scope == Scope::namespaced && !namespace_.empty());
  std::string path = group_path(*this) + "/namespaces";
  append_segment(path, namespace_);
  append_segment(path, kind->plural);
  return path;
}

std::string Resource::path(const NamespacedName& key, std::string_view subresource) const {
  // A DELETE without a name in its path would delete all objects.
  DCM_ASSERT(!key.name.empty());
  std::string result = kind->scope == Scope::namespaced ? path(key.namespace_.str()) : path();
  append_segment(result, key.name);
  if (!subresource.empty()) append_segment(result, subresource);
  return result;
}

}  // namespace dcm::api
