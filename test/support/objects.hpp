// API objects for tests, each in one line:
//
//   make_pod("trainer-0").from_template("gpus", "gpu").names("gpus", "trainer-0-gpus-x7k2p")
//   make_claim("shared").allocated().reserved_for("trainer-0")
//
// Everything is in namespace "lab". An object's UID is its name followed by "-uid", unless with_uid
// says otherwise, so rows can name UIDs without building the object.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/api/object_ptr.hpp"
#include "controllers/api/device_taint_rule.hpp"
#include "controllers/api/pod.hpp"
#include "controllers/api/resource_claim.hpp"
#include "controllers/api/resource_claim_template.hpp"
#include "controllers/api/resource_slice.hpp"

namespace dcm::test {

inline constexpr const char* kNamespace = "lab";

// The API server's refusal of an allocation change without permission.
inline runtime::Error binding_refused() {
  const std::string why = "Forbidden: changing this needs patch on resourceclaims/binding";
  return {.reason = runtime::Reason::invalid,
          .message = why,
          .http_status = 422,
          .causes = {{"status.allocation", why}}};
}

inline api::Uid uid_of(const std::string& name) {
  return api::Uid(name + "-uid");
}

// The common part of all builders. `Self` is the builder, `T` the object.
template <class Self, class T>
class ObjectBuilder {
 public:
  explicit ObjectBuilder(const std::string& name)
      : shared_(T()), object_(const_cast<T*>(shared_.get())) {
    object_->meta.key = {kNamespace, name};
    object_->meta.uid = uid_of(name);
    object_->meta.resource_version = api::ResourceVersion("1");
  }

  Self& in_namespace(const std::string& name) {
    object_->meta.key.namespace_ = name;
    return self();
  }
  Self& with_uid(const std::string& uid) {
    object_->meta.uid = api::Uid(uid);
    return self();
  }
  Self& at(const std::string& resource_version) {
    object_->meta.resource_version = api::ResourceVersion(resource_version);
    return self();
  }
  Self& being_deleted() {
    object_->meta.is_being_deleted = true;
    return self();
  }

  // The object as others see it. Do not call builder functions afterwards.
  api::ObjectPtr<T> get() const { return shared_; }
  operator api::ObjectPtr<T>() const { return shared_; }

 private:
  api::ObjectPtr<T> shared_;

 protected:
  Self& self() { return static_cast<Self&>(*this); }
  T* object_;
};

// The common part of pods and pod groups.
template <class Self, class T>
class ClaimUserBuilder : public ObjectBuilder<Self, T> {
 public:
  using ObjectBuilder<Self, T>::ObjectBuilder;

  Self& from_template(const std::string& pod_claim, const std::string& claim_template) {
    this->object_->claims.push_back({pod_claim, "", claim_template});
    return this->self();
  }
  Self& uses(const std::string& pod_claim, const std::string& claim) {
    this->object_->claims.push_back({pod_claim, claim, ""});
    return this->self();
  }
  Self& unsupported(const std::string& pod_claim) {
    this->object_->claims.push_back({pod_claim, "", ""});
    return this->self();
  }
  Self& created(runtime::WallTime when) {
    this->object_->created = when;
    return this->self();
  }
  // Adds an entry to the status.
  Self& names(const std::string& pod_claim, const std::string& claim) {
    this->object_->claim_statuses.push_back({pod_claim, claim});
    api::sort_claim_statuses(*this->object_);
    return this->self();
  }
  Self& needs_no_claim(const std::string& pod_claim) {
    this->object_->claim_statuses.push_back({pod_claim, std::nullopt});
    api::sort_claim_statuses(*this->object_);
    return this->self();
  }
};

class GroupBuilder : public ClaimUserBuilder<GroupBuilder, api::PodGroup> {
 public:
  using ClaimUserBuilder::ClaimUserBuilder;
};

class PodBuilder : public ClaimUserBuilder<PodBuilder, api::Pod> {
 public:
  using ClaimUserBuilder::ClaimUserBuilder;

  PodBuilder& extended_resource_claim(const std::string& claim) {
    object_->extended_resource_claim = claim;
    return *this;
  }
  PodBuilder& on_node(const std::string& node) {
    object_->node_name = node;
    return *this;
  }
  PodBuilder& phase(api::PodPhase phase) {
    object_->phase = phase;
    return *this;
  }
  PodBuilder& disruption_target(api::DisruptionTarget condition) {
    object_->disruption_target = condition;
    return *this;
  }
  PodBuilder& in_group(const std::string& group) {
    object_->scheduling_group = group;
    return *this;
  }
};

class ClaimBuilder : public ObjectBuilder<ClaimBuilder, api::ResourceClaim> {
 public:
  using ObjectBuilder::ObjectBuilder;

  ClaimBuilder& owned_by(const std::string& pod) { return owned_by_uid(pod, uid_of(pod)); }
  ClaimBuilder& owned_by_uid(const std::string& pod, const api::Uid& uid) {
    return controlled_by({"", "Pod", pod, uid});
  }
  ClaimBuilder& controlled_by(api::ControllerRef controller) {
    object_->controller = std::move(controller);
    return *this;
  }
  ClaimBuilder& for_pod_claim(const std::string& name) {
    object_->pod_claim_name = name;
    return *this;
  }
  ClaimBuilder& generated_for_group(const std::string& group, const std::string& pod_claim) {
    return controlled_by({api::kSchedulingGroup, "PodGroup", group, uid_of(group)})
        .for_pod_claim(pod_claim);
  }
  // Generated for a pod claim, as the controller does.
  ClaimBuilder& generated_for(const std::string& pod, const std::string& pod_claim) {
    return owned_by(pod).for_pod_claim(pod_claim);
  }
  ClaimBuilder& for_extended_resources_of(const std::string& pod) {
    object_->is_extended_resource_claim = true;
    return owned_by(pod);
  }
  ClaimBuilder& reserved_for(const std::string& pod) {
    return reserved_for_consumer({"", "pods", pod, uid_of(pod)});
  }
  ClaimBuilder& reserved_for_group(const std::string& group) {
    return reserved_for_consumer({api::kSchedulingGroup, "podgroups", group, uid_of(group)});
  }
  ClaimBuilder& reserved_for_consumer(api::ConsumerReference consumer) {
    object_->reserved_for.push_back(std::move(consumer));
    return *this;
  }
  ClaimBuilder& allocated() {
    object_->is_allocated = true;
    return *this;
  }
  // Adds one device of driver "gpu.example.com" to the allocation.
  ClaimBuilder& with_device(const std::string& pool, const std::string& device,
                            std::vector<api::DeviceToleration> tolerations = {}) {
    return with_device_of("gpu.example.com", pool, device, std::move(tolerations));
  }
  ClaimBuilder& with_device_of(const std::string& driver, const std::string& pool,
                               const std::string& device,
                               std::vector<api::DeviceToleration> tolerations = {}) {
    api::AllocatedDevice& allocated = object_->devices.emplace_back();
    allocated.id = {driver, pool, device};
    if (!tolerations.empty()) {
      allocated.tolerations =
          std::make_unique<std::vector<api::DeviceToleration>>(std::move(tolerations));
    }
    return this->allocated();
  }
  ClaimBuilder& with_finalizer() {
    object_->has_delete_protection = true;
    return *this;
  }
  ClaimBuilder& with_admin_access() {
    object_->has_admin_access = true;
    return *this;
  }
};

class TemplateBuilder : public ObjectBuilder<TemplateBuilder, api::ResourceClaimTemplate> {
 public:
  using ObjectBuilder::ObjectBuilder;

  TemplateBuilder& with_admin_access() {
    object_->uses_admin_access = true;
    return *this;
  }
  TemplateBuilder& with_prioritized_list() {
    object_->uses_prioritized_list = true;
    return *this;
  }
};

// Builds slices of driver "gpu.example.com".
class SliceBuilder : public ObjectBuilder<SliceBuilder, api::ResourceSlice> {
 public:
  SliceBuilder(const std::string& name, const std::string& pool) : ObjectBuilder(name) {
    object_->meta.key.namespace_ = {};
    object_->driver = "gpu.example.com";
    object_->pool = pool;
    object_->pool_generation = 1;
  }
  SliceBuilder& of_driver(const std::string& driver) {
    object_->driver = driver;
    return *this;
  }
  SliceBuilder& generation(std::int64_t generation) {
    object_->pool_generation = generation;
    return *this;
  }
  // Keeps only taints that evict, as a decoder does.
  SliceBuilder& device(const std::string& name, std::vector<api::DeviceTaint> taints = {}) {
    api::PublishedDevice& device = object_->devices.emplace_back();
    device.name = name;
    if (!taints.empty()) {
      device.taints = std::make_unique<const std::vector<api::DeviceTaint>>(std::move(taints));
    }
    return *this;
  }
};

class RuleBuilder : public ObjectBuilder<RuleBuilder, api::DeviceTaintRule> {
 public:
  RuleBuilder(const std::string& name, api::DeviceTaint taint) : ObjectBuilder(name) {
    object_->meta.key.namespace_ = {};
    object_->generation = 1;
    object_->taint = std::move(taint);
  }
  // Empty parts are not set.
  RuleBuilder& selects(const std::string& driver, const std::string& pool,
                       const std::string& device) {
    object_->selector = api::DeviceSelector{driver, pool, device};
    return *this;
  }
  RuleBuilder& selects_all() { return selects("", "", ""); }
  RuleBuilder& unknown_selector_field(const std::string& field) {
    object_->unknown_selector_field = field;
    return *this;
  }
  RuleBuilder& generation(std::int64_t generation) {
    object_->generation = generation;
    return *this;
  }
  RuleBuilder& condition(api::Condition condition) {
    object_->condition = std::move(condition);
    return *this;
  }
};

inline PodBuilder make_pod(const std::string& name) {
  return PodBuilder(name);
}
inline GroupBuilder make_group(const std::string& name) {
  return GroupBuilder(name);
}
inline ClaimBuilder make_claim(const std::string& name) {
  return ClaimBuilder(name);
}
inline SliceBuilder make_slice(const std::string& name, const std::string& pool) {
  return SliceBuilder(name, pool);
}
inline RuleBuilder make_rule(const std::string& name, api::DeviceTaint taint) {
  return RuleBuilder(name, std::move(taint));
}
inline TemplateBuilder make_template(const std::string& name) {
  return TemplateBuilder(name);
}

}  // namespace dcm::test
