#include "test/support/fake_claim_api.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "controllers/resource_claim/explain/describe.hpp"

namespace dcm::test {

using resource_claim::ClaimName;
using resource_claim::CreateClaim;
using resource_claim::Release;
using runtime::fail;
using runtime::Reason;

std::shared_ptr<api::Pod> clone(const api::Pod& pod) {
  return std::make_shared<api::Pod>(pod);
}

std::shared_ptr<api::ResourceClaim> clone(const api::ResourceClaim& claim) {
  auto copy = std::make_shared<api::ResourceClaim>();
  copy->meta = claim.meta;
  copy->pod_claim_name = claim.pod_claim_name;
  if (claim.controller) {
    copy->controller = std::make_unique<const api::ControllerRef>(*claim.controller);
  }
  copy->reserved_for = claim.reserved_for;
  copy->is_extended_resource_claim = claim.is_extended_resource_claim;
  copy->has_delete_protection = claim.has_delete_protection;
  copy->is_allocated = claim.is_allocated;
  copy->has_admin_access = claim.has_admin_access;
  return copy;
}

void FakeClaimApi::put(const PodPtr& pod) {
  store(clone(*pod));
}

void FakeClaimApi::put(const ClaimPtr& claim) {
  store(clone(*claim));
}

void FakeClaimApi::put(const TemplatePtr& claim_template) {
  auto copy = std::make_shared<api::ResourceClaimTemplate>(*claim_template);
  copy->meta.resource_version = api::ResourceVersion(std::to_string(++version_));
  const bool is_new = !templates_.contains(copy->meta.key.name);
  templates_[copy->meta.key.name] = copy;
  on_change(api::ChangeEvent<api::ResourceClaimTemplate>{
      is_new ? api::ChangeType::added : api::ChangeType::modified, {copy->meta, copy}});
}

void FakeClaimApi::put(const GroupPtr& group) {
  store(std::make_shared<api::PodGroup>(*group));
}

void FakeClaimApi::remove_group(const std::string& name) {
  auto last = std::make_shared<api::PodGroup>(*groups_.at(name));
  last->meta.resource_version = api::ResourceVersion(std::to_string(++version_));
  groups_.erase(name);
  on_change(api::ChangeEvent<api::PodGroup>{api::ChangeType::deleted, {last->meta, last}});
}

void FakeClaimApi::remove_pod(const std::string& name) {
  auto last = clone(*pods_.at(name));
  last->meta.resource_version = api::ResourceVersion(std::to_string(++version_));
  pods_.erase(name);
  on_change(api::ChangeEvent<api::Pod>{api::ChangeType::deleted, {last->meta, last}});
}

void FakeClaimApi::remove_claim(const std::string& name) {
  drop_claim(name);
}

void FakeClaimApi::change_pod(const std::string& name,
                              const std::function<void(api::Pod&)>& change) {
  auto copy = clone(*pods_.at(name));
  change(*copy);
  store(std::move(copy));
}

void FakeClaimApi::change_claim(const std::string& name,
                                const std::function<void(api::ResourceClaim&)>& change) {
  auto copy = clone(*claims_.at(name));
  change(*copy);
  store(std::move(copy));
}

FakeClaimApi::PodPtr FakeClaimApi::pod(const std::string& name) const {
  const auto found = pods_.find(name);
  return found == pods_.end() ? nullptr : found->second;
}

FakeClaimApi::ClaimPtr FakeClaimApi::claim(const std::string& name) const {
  const auto found = claims_.find(name);
  return found == claims_.end() ? nullptr : found->second;
}

FakeClaimApi::GroupPtr FakeClaimApi::group(const std::string& name) const {
  const auto found = groups_.find(name);
  return found == groups_.end() ? nullptr : found->second;
}

FakeClaimApi::GroupPtr FakeClaimApi::store(std::shared_ptr<api::PodGroup> group) {
  group->meta.resource_version = api::ResourceVersion(std::to_string(++version_));
  const bool is_new = !groups_.contains(group->meta.key.name);
  GroupPtr stored = std::move(group);
  groups_[stored->meta.key.name] = stored;
  on_change(api::ChangeEvent<api::PodGroup>{
      is_new ? api::ChangeType::added : api::ChangeType::modified, {stored->meta, stored}});
  return stored;
}

FakeClaimApi::PodPtr FakeClaimApi::store(std::shared_ptr<api::Pod> pod) {
  pod->meta.resource_version = api::ResourceVersion(std::to_string(++version_));
  const bool is_new = !pods_.contains(pod->meta.key.name);
  PodPtr stored = std::move(pod);
  pods_[stored->meta.key.name] = stored;
  on_change(api::ChangeEvent<api::Pod>{is_new ? api::ChangeType::added : api::ChangeType::modified,
                                       {stored->meta, stored}});
  return stored;
}

FakeClaimApi::ClaimPtr FakeClaimApi::store(std::shared_ptr<api::ResourceClaim> claim) {
  claim->meta.resource_version = api::ResourceVersion(std::to_string(++version_));
  const bool is_new = !claims_.contains(claim->meta.key.name);
  ClaimPtr stored = std::move(claim);
  claims_[stored->meta.key.name] = stored;
  on_change(api::ChangeEvent<api::ResourceClaim>{
      is_new ? api::ChangeType::added : api::ChangeType::modified, {stored->meta, stored}});
  return stored;
}

void FakeClaimApi::drop_claim(const std::string& name) {
  auto last = clone(*claims_.at(name));
  last->meta.resource_version = api::ResourceVersion(std::to_string(++version_));
  claims_.erase(name);
  on_change(api::ChangeEvent<api::ResourceClaim>{api::ChangeType::deleted, {last->meta, last}});
}

// Also a call that is cut off is not out any more.
struct FakeClaimApi::InFlight {
  explicit InFlight(FakeClaimApi& fake) : api(fake) {
    api.in_flight_max = std::max(api.in_flight_max, ++api.in_flight_);
  }
  ~InFlight() { --api.in_flight_; }
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;
  FakeClaimApi& api;
};

// A call: it takes a while before it is carried out, and a while until the answer is there.
template <class T>
runtime::Task<runtime::Result<T>> FakeClaimApi::call(std::string text, Priority priority,
                                                     std::function<Result<T>()> carry_out) {
  const std::size_t number = calls.size();
  calls.push_back(text);
  priorities.push_back(priority);
  const InFlight in_flight(*this);
  const Fault what = fault(number, text);
  co_await runtime::sleep_for(time_, latency / 2);
  Result<T> answer = fail(what.error);
  if (what.kind != Fault::Kind::refused) answer = carry_out();
  if (what.kind == Fault::Kind::lost) answer = fail(what.error);
  co_await runtime::sleep_for(time_, latency / 2);
  co_return answer;
}

runtime::Task<runtime::Result<FakeClaimApi::PodPtr>> FakeClaimApi::get_pod(api::NamespacedName key,
                                                                           Priority priority) {
  return call<PodPtr>("get pod " + key.name, priority, [this, key]() -> Result<PodPtr> {
    if (PodPtr found = pod(key.name)) return found;
    return fail(Reason::object_not_found, "pods \"" + key.name + "\" not found");
  });
}

runtime::Task<runtime::Result<FakeClaimApi::GroupPtr>> FakeClaimApi::get_group(
    api::NamespacedName key, Priority priority) {
  return call<GroupPtr>("get group " + key.name, priority, [this, key]() -> Result<GroupPtr> {
    if (GroupPtr found = group(key.name)) return found;
    return fail(Reason::object_not_found, "podgroups \"" + key.name + "\" not found");
  });
}

runtime::Task<runtime::Result<FakeClaimApi::ClaimPtr>> FakeClaimApi::get_claim(
    api::NamespacedName key, Priority priority) {
  return call<ClaimPtr>("get claim " + key.name, priority, [this, key]() -> Result<ClaimPtr> {
    if (ClaimPtr found = claim(key.name)) return found;
    return fail(Reason::object_not_found, "resourceclaims \"" + key.name + "\" not found");
  });
}

runtime::Task<runtime::Result<FakeClaimApi::ClaimPtr>> FakeClaimApi::create_claim(
    api::InternedString /*namespace_*/, CreateClaim claim, Priority priority) {
  const std::string text = "create " + claim.name + " for " + claim.pod_claim;
  return call<ClaimPtr>(text, priority,
                        [this, claim]() -> Result<ClaimPtr> { return make(claim); });
}

runtime::Result<FakeClaimApi::ClaimPtr> FakeClaimApi::make(const CreateClaim& claim) {
  if (claims_.contains(claim.name)) {
    return fail(Reason::already_exists, "resourceclaims \"" + claim.name + "\" already exists");
  }
  auto made = std::make_shared<api::ResourceClaim>();
  made->meta.key = {claim.claim_template->meta.key.namespace_, claim.name};
  made->meta.uid = api::Uid(fmt::format("{}-{}-uid", claim.name, ++made_));
  made->pod_claim_name = claim.pod_claim;
  made->controller = std::make_unique<const api::ControllerRef>(
      api::ControllerRef{claim.owner.kind == "Pod" ? std::string_view() : api::kSchedulingGroup,
                         claim.owner.kind, claim.owner.name, claim.owner.uid});
  made->has_admin_access = claim.claim_template->uses_admin_access;
  return store(std::move(made));
}

runtime::Task<runtime::Result<FakeClaimApi::PodPtr>> FakeClaimApi::write_names(
    PodPtr pod, std::vector<ClaimName> names, Priority priority) {
  const std::string text = describe(resource_claim::PodStep(resource_claim::WriteNames{names}));
  return call<PodPtr>(text, priority, [=, this] { return apply_names(pods_, pod, names); });
}

runtime::Task<runtime::Result<FakeClaimApi::GroupPtr>> FakeClaimApi::write_group_names(
    GroupPtr group, std::vector<ClaimName> names, Priority priority) {
  const std::string text =
      "group " + describe(resource_claim::GroupStep(resource_claim::WriteNames{names}));
  return call<GroupPtr>(text, priority, [=, this] { return apply_names(groups_, group, names); });
}

template <class Ptr>
runtime::Result<Ptr> FakeClaimApi::apply_names(const std::map<std::string, Ptr>& all,
                                               const Ptr& known,
                                               const std::vector<ClaimName>& names) {
  using Object = std::remove_const_t<typename Ptr::element_type>;
  const auto found = all.find(known->meta.key.name);
  if (found == all.end()) return fail(Reason::object_not_found, "no such object");
  const Ptr current = found->second;
  if (current->meta.uid != known->meta.uid) return fail(Reason::another_object, "metadata.uid");
  auto changed = std::make_shared<Object>(*current);
  std::erase_if(changed->claim_statuses,
                [](const api::PodClaimStatus& status) { return status.claim_name.has_value(); });
  for (const ClaimName& name : names) {
    changed->claim_statuses.push_back({name.pod_claim, name.claim});
  }
  if (changed->claim_statuses == current->claim_statuses) return current;
  return store(std::move(changed));
}

// The newest state, if a write that relies on `known` may be carried out.
runtime::Result<FakeClaimApi::ClaimPtr> FakeClaimApi::find_for_write(
    const api::ResourceClaim& known) const {
  const ClaimPtr current = claim(known.meta.key.name);
  if (current == nullptr) return fail(Reason::object_not_found, "no such claim");
  if (current->meta.uid != known.meta.uid) return fail(Reason::another_object, "metadata.uid");
  if (current->meta.resource_version != known.meta.resource_version) {
    return fail(Reason::conflict, "the object has been modified");
  }
  return current;
}

runtime::Task<runtime::Result<FakeClaimApi::ClaimPtr>> FakeClaimApi::reserve(
    ClaimPtr claim, api::ConsumerReference consumer, Priority priority) {
  return call<ClaimPtr>("reserve " + claim->meta.key.name + " for " +
                            (consumer.is_pod() ? "" : "group ") + consumer.name,
                        priority, [=, this] { return apply_reservation(claim, consumer); });
}

runtime::Result<FakeClaimApi::ClaimPtr> FakeClaimApi::apply_reservation(
    const ClaimPtr& claim, const api::ConsumerReference& consumer) {
  const Result<ClaimPtr> current = find_for_write(*claim);
  if (!current) return current;
  auto changed = clone(**current);
  changed->reserved_for.push_back(consumer);
  if (changed->meta.is_being_deleted || !changed->is_allocated ||
      changed->reserved_for.size() > api::kReservedForMax) {
    return fail(Reason::invalid, "status.reservedFor");
  }
  return store(std::move(changed));
}

runtime::Task<runtime::Result<FakeClaimApi::ClaimPtr>> FakeClaimApi::release(ClaimPtr claim,
                                                                             Release what,
                                                                             Priority priority) {
  const std::string text = describe(resource_claim::ClaimStep(what)) + " of ";
  return call<ClaimPtr>(text + claim->meta.key.name, priority,
                        [=, this] { return apply_release(claim, what); });
}

runtime::Result<FakeClaimApi::ClaimPtr> FakeClaimApi::apply_release(const ClaimPtr& claim,
                                                                    const Release& what) {
  const Result<ClaimPtr> current = find_for_write(*claim);
  if (!current) return current;
  auto changed = clone(**current);
  std::erase_if(changed->reserved_for, [&](const api::ConsumerReference& consumer) {
    return std::ranges::find(what.released, consumer.uid) != what.released.end();
  });
  if (what.allocation == api::Allocation::clear) changed->is_allocated = false;
  if (!changed->is_allocated && !changed->reserved_for.empty()) {
    return fail(Reason::invalid, "status.reservedFor");
  }
  return store(std::move(changed));
}

runtime::Task<runtime::Result<FakeClaimApi::ClaimPtr>> FakeClaimApi::remove_finalizer(
    ClaimPtr claim, Priority priority) {
  return call<ClaimPtr>("remove finalizer of " + claim->meta.key.name, priority,
                        [=, this] { return apply_unprotect(claim); });
}

runtime::Result<FakeClaimApi::ClaimPtr> FakeClaimApi::apply_unprotect(const ClaimPtr& claim) {
  const Result<ClaimPtr> current = find_for_write(*claim);
  if (!current) return current;
  auto changed = clone(**current);
  changed->has_delete_protection = false;
  if (!changed->meta.is_being_deleted) return store(std::move(changed));
  drop_claim(changed->meta.key.name);
  return changed;
}

runtime::Task<runtime::Result<void>> FakeClaimApi::delete_claim(ClaimPtr claim, Priority priority) {
  return call<void>("delete " + claim->meta.key.name, priority,
                    [=, this] { return apply_delete(claim); });
}

runtime::Result<void> FakeClaimApi::apply_delete(const ClaimPtr& known) {
  const ClaimPtr current = claim(known->meta.key.name);
  if (current == nullptr) return fail(Reason::object_not_found, "no such claim");
  if (current->meta.uid != known->meta.uid) return fail(Reason::conflict, "preconditions.uid");
  if (!current->has_delete_protection) {
    drop_claim(known->meta.key.name);
    return {};
  }
  auto changed = clone(*current);
  changed->meta.is_being_deleted = true;
  store(std::move(changed));
  return {};
}

}  // namespace dcm::test
