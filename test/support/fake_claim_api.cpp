#include "test/support/fake_claim_api.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "controllers/resource_claim/explain/describe.hpp"

namespace dcm::test {

using namespace resource_claim;
using runtime::fail;
using runtime::Reason;

namespace {

template <class T, class Matches>
void drop_if(runtime::UsuallyOne<T>& list, Matches matches) {
  runtime::UsuallyOne<T> kept;
  for (T& element : list) {
    if (!matches(element)) kept.push_back(std::move(element));
  }
  list = std::move(kept);
}

// The text of a call, by which tests find it.
struct Words {
  std::string operator()(const Get<api::Pod>& get) const { return "get pod " + get.key.name; }
  std::string operator()(const Get<api::PodGroup>& get) const {
    return "get group " + get.key.name;
  }
  std::string operator()(const Get<api::ResourceClaim>& get) const {
    return "get claim " + get.key.name;
  }
  std::string operator()(const ApplyNames<api::Pod>& apply) const {
    return describe(PodStep(WriteNames{apply.names}));
  }
  std::string operator()(const ApplyNames<api::PodGroup>& apply) const {
    return "group " + describe(PodStep(WriteNames{apply.names}));
  }
  std::string operator()(const CreateClaim& create) const {
    return "create " + create.name + " for " + create.pod_claim;
  }
  std::string operator()(const Reserve& step) const {
    return "reserve " + name_of(step) + " for " + (step.consumer.is_pod() ? "" : "group ") +
           step.consumer.name;
  }
  std::string operator()(const Release& step) const {
    return describe(ClaimStep(step)) + " of " + name_of(step);
  }
  std::string operator()(const RemoveFinalizer& step) const {
    return "remove finalizer of " + name_of(step);
  }
  std::string operator()(const DeleteClaim& step) const { return "delete " + name_of(step); }

  static std::string name_of(const auto& step) { return step.claim->meta.key.name.str(); }
};

}  // namespace

template <>
api::ResourceClaim clone(const api::ResourceClaim& claim) {
  api::ResourceClaim copy;
  copy.meta = claim.meta;
  copy.pod_claim_name = claim.pod_claim_name;
  copy.controller = claim.controller;
  copy.reserved_for = claim.reserved_for;
  copy.is_extended_resource_claim = claim.is_extended_resource_claim;
  copy.has_delete_protection = claim.has_delete_protection;
  copy.is_allocated = claim.is_allocated;
  copy.has_admin_access = claim.has_admin_access;
  return copy;
}

template <class T>
api::ObjectPtr<T> FakeClaimApi::store(T object) {
  object.meta.resource_version = api::ResourceVersion(std::to_string(++version_));
  api::ObjectPtr<T>& stored = std::get<Objects<T>>(objects_)[object.meta.key.name.str()];
  const api::ChangeType type = stored ? api::ChangeType::modified : api::ChangeType::added;
  const api::ObjectPtr<T> now = stored = api::ObjectPtr(std::move(object));
  on_change(api::ChangeEvent<T>{type, {now->meta, now}});
  return now;
}

template <class T>
void FakeClaimApi::drop(const std::string& name) {
  const api::ObjectPtr<T> last = all<T>().at(name);
  api::ObjectMeta meta = last->meta;
  meta.resource_version = api::ResourceVersion(std::to_string(++version_));
  std::get<Objects<T>>(objects_).erase(name);
  on_change(api::ChangeEvent<T>{api::ChangeType::deleted, {std::move(meta), last}});
}

template api::ObjectPtr<api::Pod> FakeClaimApi::store(api::Pod);
template api::ObjectPtr<api::PodGroup> FakeClaimApi::store(api::PodGroup);
template api::ObjectPtr<api::ResourceClaim> FakeClaimApi::store(api::ResourceClaim);
template api::ObjectPtr<api::ResourceClaimTemplate> FakeClaimApi::store(api::ResourceClaimTemplate);
template void FakeClaimApi::drop<api::Pod>(const std::string&);
template void FakeClaimApi::drop<api::PodGroup>(const std::string&);
template void FakeClaimApi::drop<api::ResourceClaim>(const std::string&);

runtime::Task<runtime::Result<FakeClaimApi::PodPtr>> FakeClaimApi::send(
    resource_claim::PodRequest request, Priority priority) {
  return call<PodPtr>(std::visit(Words(), request), priority, [this, request] {
    return std::visit([this](const auto& what) { return carry_out(what); }, request);
  });
}

runtime::Task<runtime::Result<FakeClaimApi::GroupPtr>> FakeClaimApi::send(
    resource_claim::GroupRequest request, Priority priority) {
  return call<GroupPtr>(std::visit(Words(), request), priority, [this, request] {
    return std::visit([this](const auto& what) { return carry_out(what); }, request);
  });
}

runtime::Task<runtime::Result<FakeClaimApi::ClaimPtr>> FakeClaimApi::send(
    resource_claim::ClaimRequest request, Priority priority) {
  return call<ClaimPtr>(std::visit(Words(), request), priority, [this, request] {
    return std::visit([this](const auto& what) { return carry_out(what); }, request);
  });
}

runtime::Task<runtime::Result<>> FakeClaimApi::send(DeleteClaim request, Priority priority) {
  return call<void>(Words()(request), priority, [this, request] { return carry_out(request); });
}

template <class T>
runtime::Result<api::ObjectPtr<T>> FakeClaimApi::carry_out(const Get<T>& get) const {
  if (api::ObjectPtr<T> found = find<T>(get.key.name.str())) return found;
  return fail(Reason::object_not_found, "\"" + get.key.name + "\" not found");
}

template <class T>
runtime::Result<api::ObjectPtr<T>> FakeClaimApi::carry_out(const ApplyNames<T>& apply) {
  const api::ObjectPtr<T> current = find<T>(apply.user->meta.key.name.str());
  if (current == nullptr) return fail(Reason::object_not_found, "no such object");
  if (current->meta.uid != apply.user->meta.uid)
    return fail(Reason::another_object, "metadata.uid");
  auto changed = clone(*current);
  drop_if(changed.claim_statuses,
          [](const api::PodClaimStatus& status) { return status.claim_name.has_value(); });
  for (const ClaimName& name : apply.names) {
    changed.claim_statuses.push_back({name.pod_claim, name.claim});
  }
  api::sort_claim_statuses(changed);
  if (changed.claim_statuses == current->claim_statuses) return current;
  return store(std::move(changed));
}

runtime::Result<FakeClaimApi::ClaimPtr> FakeClaimApi::carry_out(const CreateClaim& create) {
  if (claims().contains(create.name)) {
    return fail(Reason::already_exists, "resourceclaims \"" + create.name + "\" already exists");
  }
  const bool is_for_pod = create.owner.kind == "Pod";
  api::ResourceClaim made;
  made.meta.key = {create.claim_template->meta.key.namespace_, create.name};
  made.meta.uid = api::Uid(fmt::format("{}-{}-uid", create.name, ++made_));
  made.pod_claim_name = create.pod_claim;
  made.controller = api::ControllerRef{is_for_pod ? std::string_view() : api::kSchedulingGroup,
                                       create.owner.kind, create.owner.name, create.owner.uid};
  made.has_admin_access = create.claim_template->uses_admin_access;
  return store(std::move(made));
}

// The newest state, if a write based on `known` may be executed.
runtime::Result<FakeClaimApi::ClaimPtr> FakeClaimApi::find_for_write(
    const api::ResourceClaim& known) const {
  const ClaimPtr current = claim(known.meta.key.name.str());
  if (current == nullptr) return fail(Reason::object_not_found, "no such claim");
  if (current->meta.uid != known.meta.uid) return fail(Reason::another_object, "metadata.uid");
  if (current->meta.resource_version != known.meta.resource_version) {
    return fail(Reason::conflict, "the object has been modified");
  }
  return current;
}

runtime::Result<FakeClaimApi::ClaimPtr> FakeClaimApi::carry_out(const Reserve& step) {
  const Result<ClaimPtr> current = find_for_write(*step.claim);
  if (!current) return current;
  auto changed = clone(**current);
  changed.reserved_for.push_back(step.consumer);
  if (changed.meta.is_being_deleted || !changed.is_allocated ||
      changed.reserved_for.size() > api::kReservedForMax) {
    return fail(Reason::invalid, "status.reservedFor");
  }
  if (undoes_reservations) return current;  // nothing has changed
  return store(std::move(changed));
}

runtime::Result<FakeClaimApi::ClaimPtr> FakeClaimApi::carry_out(const Release& step) {
  const Result<ClaimPtr> current = find_for_write(*step.claim);
  if (!current) return current;
  auto changed = clone(**current);
  drop_if(changed.reserved_for, [&](const api::ConsumerReference& consumer) {
    return std::ranges::find(step.released, consumer.uid) != step.released.end();
  });
  if (step.allocation == api::Allocation::clear) changed.is_allocated = false;
  if (!changed.is_allocated && !changed.reserved_for.empty()) {
    return fail(Reason::invalid, "status.reservedFor");
  }
  if (undoes_reservations) return current;  // nothing has changed
  return store(std::move(changed));
}

runtime::Result<FakeClaimApi::ClaimPtr> FakeClaimApi::carry_out(const RemoveFinalizer& step) {
  const Result<ClaimPtr> current = find_for_write(*step.claim);
  if (!current) return current;
  auto changed = clone(**current);
  changed.has_delete_protection = false;
  if (!changed.meta.is_being_deleted) return store(std::move(changed));
  remove_claim(changed.meta.key.name.str());
  return ClaimPtr(std::move(changed));
}

runtime::Result<> FakeClaimApi::carry_out(const DeleteClaim& step) {
  const api::ObjectMeta& meta = step.claim->meta;
  const ClaimPtr current = claim(meta.key.name.str());
  if (current == nullptr) return fail(Reason::object_not_found, "no such claim");
  if (current->meta.uid != meta.uid) return fail(Reason::another_object, "preconditions.uid");
  if (!current->has_delete_protection) {
    remove_claim(meta.key.name.str());
    return {};
  }
  auto changed = clone(*current);
  changed.meta.is_being_deleted = true;
  store(std::move(changed));
  return {};
}

}  // namespace dcm::test
