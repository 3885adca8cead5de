// Kinds and their paths; the kinds that every controller needs.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "client/api/meta.hpp"

namespace dcm::api {

enum class Scope : std::uint8_t { namespaced, cluster };

// A kind as its users see it, before discovery has chosen a version.
struct ResourceKind {
  std::string_view group;  // empty: core
  std::string_view plural;
  std::string_view kind;
  Scope scope;
  std::span<const std::string_view> versions;  // those that we understand, the best first
};

extern const ResourceKind kPods;
extern const ResourceKind kNodes;
extern const ResourceKind kEvents;
extern const ResourceKind kLeases;

// A kind in the version that discovery chose.
struct Resource {
  const ResourceKind* kind = nullptr;
  std::string version;

  // "v1", "apps/v1"
  std::string api_version() const;
  // "/apis/apps/v1/deployments": all namespaces.
  std::string path() const;
  // "/apis/apps/v1/namespaces/lab/deployments"
  std::string path(std::string_view namespace_) const;
  // "…/deployments/frontend", with "/status" as a subresource if given. The name
  // may be any text (it is escaped), but must not be empty: that would be the whole collection.
  std::string path(const NamespacedName& key, std::string_view subresource = {}) const;
};

}  // namespace dcm::api
