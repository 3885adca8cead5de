// API objects for tests, each in one line:
//
//   make_pod("trainer-0").from_template("gpus", "gpu").names("gpus", "trainer-0-gpus-x7k2p")
//   make_claim("shared").allocated().reserved_for("trainer-0")
//
// Everything is in namespace "lab". An object's UID is its name with "-uid" behind it, unless
// with_uid says otherwise, so rows can name UIDs without building the object.
#pragma once

#include <memory>
#include <string>

#include "client/api/pod.hpp"
#include "client/api/resource_claim.hpp"
#include "client/api/resource_claim_template.hpp"

namespace dcm::test {

inline constexpr const char* kNamespace = "lab";

inline api::Uid uid_of(const std::string& name) {
  return api::Uid(name + "-uid");
}

// What all builders share. `Self` is the builder, `T` the object.
template <class Self, class T>
class ObjectBuilder {
 public:
  explicit ObjectBuilder(const std::string& name) : object_(std::make_shared<T>()) {
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

  // The object as others see it. Build no further afterwards.
  std::shared_ptr<const T> get() const { return object_; }
  operator std::shared_ptr<const T>() const { return object_; }

 protected:
  Self& self() { return static_cast<Self&>(*this); }
  std::shared_ptr<T> object_;
};

class PodBuilder : public ObjectBuilder<PodBuilder, api::Pod> {
 public:
  using ObjectBuilder::ObjectBuilder;

  PodBuilder& from_template(const std::string& pod_claim, const std::string& claim_template) {
    object_->claims.push_back({pod_claim, "", claim_template});
    return *this;
  }
  PodBuilder& uses(const std::string& pod_claim, const std::string& claim) {
    object_->claims.push_back({pod_claim, claim, ""});
    return *this;
  }
  PodBuilder& unsupported(const std::string& pod_claim) {
    object_->claims.push_back({pod_claim, "", ""});
    return *this;
  }
  // An entry of the status.
  PodBuilder& names(const std::string& pod_claim, const std::string& claim) {
    object_->claim_statuses.push_back({pod_claim, claim});
    return *this;
  }
  PodBuilder& needs_no_claim(const std::string& pod_claim) {
    object_->claim_statuses.push_back({pod_claim, std::nullopt});
    return *this;
  }
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
    object_->controller = std::make_unique<const api::ControllerRef>(std::move(controller));
    return *this;
  }
  ClaimBuilder& for_pod_claim(const std::string& name) {
    object_->pod_claim_name = name;
    return *this;
  }
  // Generated for a pod claim, as the controller does it.
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
  ClaimBuilder& reserved_for_consumer(api::ConsumerReference consumer) {
    object_->reserved_for.push_back(std::move(consumer));
    return *this;
  }
  ClaimBuilder& allocated() {
    object_->is_allocated = true;
    return *this;
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

inline PodBuilder make_pod(const std::string& name) {
  return PodBuilder(name);
}
inline ClaimBuilder make_claim(const std::string& name) {
  return ClaimBuilder(name);
}
inline TemplateBuilder make_template(const std::string& name) {
  return TemplateBuilder(name);
}

}  // namespace dcm::test
