// A source of explanations: the controllers and their caches, of a running manager or of a cluster
// that was read once.
#pragma once

#include <functional>
#include <optional>

#include "controllers/api/pod.hpp"
#include "controllers/api/resource_claim.hpp"
#include "controllers/common/explanation.hpp"
#include "controllers/device_taint_eviction/controller.hpp"
#include "controllers/resource_claim/controller.hpp"
#include "explain/subject.hpp"
#include "informers/store.hpp"

namespace dcm::explain {

class ExplanationSource {
 public:
  virtual ~ExplanationSource() = default;
  // Caches that could not be read completely.
  virtual common::Sight sight() const = 0;
  // nullopt: the object is unknown.
  virtual std::optional<common::Draft> explain(const Subject& subject) const = 0;
};

// Asks both controllers for their part. All references must outlive it.
class ControllersSource final : public ExplanationSource {
 public:
  struct Parts {
    informers::StoreReader<api::Pod> pods;
    informers::StoreReader<api::ResourceClaim> claims;
    // Null: not run here.
    const resource_claim::Controller* claim_controller = nullptr;
    const device_taint_eviction::Controller* eviction_controller = nullptr;
    // The meaning of an object's absence from the stores.
    resource_claim::Miss miss = resource_claim::Miss::unknown;
    std::function<common::Sight()> sight = [] { return common::Sight(); };
  };
  explicit ControllersSource(Parts parts) : parts_(std::move(parts)) {}

  common::Sight sight() const override { return parts_.sight(); }
  std::optional<common::Draft> explain(const Subject& subject) const override;

 private:
  std::optional<common::Draft> explain_pod(const api::NamespacedName& key) const;
  std::optional<common::Draft> explain_claim(const api::NamespacedName& key) const;
  std::optional<common::Draft> explain_group(const api::NamespacedName& key) const;
  std::optional<common::Draft> explain_rule(const std::string& name) const;

  Parts parts_;
};

}  // namespace dcm::explain
