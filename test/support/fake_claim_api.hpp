// A minimal in-memory API server for the resource claim controller, with faults on demand. It keeps
// the rules that the controller relies on: UIDs and resourceVersions are checked, a claim stays
// until its finalizers are removed, and an unchanged object causes no event.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <variant>

#include "controllers/resource_claim/api/api.hpp"
#include "test/support/fake_calls.hpp"

namespace dcm::test {

template <class T>
T clone(const T& object) {
  return object;
}
template <>
api::ResourceClaim clone(const api::ResourceClaim& claim);

class FakeClaimApi final : public resource_claim::ClaimApi, public FakeCalls {
 public:
  using PodPtr = resource_claim::PodPtr;
  using ClaimPtr = resource_claim::ClaimPtr;
  using TemplatePtr = resource_claim::TemplatePtr;
  using GroupPtr = resource_claim::GroupPtr;
  using Priority = workqueue::Priority;
  template <class T = void>
  using Result = runtime::Result<T>;
  template <class T>
  using Task = runtime::Task<T>;
  using Change =
      std::variant<api::ChangeEvent<api::Pod>, api::ChangeEvent<api::ResourceClaim>,
                   api::ChangeEvent<api::ResourceClaimTemplate>, api::ChangeEvent<api::PodGroup>>;

  template <class T>
  using Objects = std::map<std::string, api::ObjectPtr<T>>;

  // `time` must outlive it. Each call takes a millisecond.
  explicit FakeClaimApi(runtime::TimeSource& time) : FakeCalls(time) {
    latency = answer_latency = std::chrono::microseconds(500);
  }

  // The actions of users, the scheduler and kubelets. Writes give the object a new resourceVersion.
  template <class T>
  void put(const api::ObjectPtr<T>& object) {
    store(clone(*object));
  }
  void put(const auto& builder) { put(builder.get()); }
  void remove_pod(const std::string& name) { drop<api::Pod>(name); }
  void remove_group(const std::string& name) { drop<api::PodGroup>(name); }
  void remove_claim(const std::string& name) { drop<api::ResourceClaim>(name); }
  void change_pod(const std::string& name, const std::function<void(api::Pod&)>& change) {
    alter(name, change);
  }
  void change_claim(const std::string& name,
                    const std::function<void(api::ResourceClaim&)>& change) {
    alter(name, change);
  }

  // Returns the current object; null if none.
  PodPtr pod(const std::string& name) const { return find<api::Pod>(name); }
  ClaimPtr claim(const std::string& name) const { return find<api::ResourceClaim>(name); }
  const Objects<api::Pod>& pods() const { return all<api::Pod>(); }
  const Objects<api::ResourceClaim>& claims() const { return all<api::ResourceClaim>(); }
  const Objects<api::ResourceClaimTemplate>& templates() const {
    return all<api::ResourceClaimTemplate>();
  }
  const Objects<api::PodGroup>& groups() const { return all<api::PodGroup>(); }
  api::ResourceVersion version() const { return api::ResourceVersion(std::to_string(version_)); }

  // An admission webhook removes each reservation again.
  bool undoes_reservations = false;

  // Called for each change, as the watch of all kinds.
  std::function<void(const Change&)> on_change = [](const Change&) {};

  // Recorded as "create trainer-gpus- for gpus", "release x p-uid, deallocate".
  Task<Result<PodPtr>> send(resource_claim::PodRequest request, Priority priority) override;
  Task<Result<GroupPtr>> send(resource_claim::GroupRequest request, Priority priority) override;
  Task<Result<ClaimPtr>> send(resource_claim::ClaimRequest request, Priority priority) override;
  Task<Result<>> send(resource_claim::DeleteClaim request, Priority priority) override;

 private:
  template <class T>
  const Objects<T>& all() const {
    return std::get<Objects<T>>(objects_);
  }
  template <class T>
  api::ObjectPtr<T> find(const std::string& name) const {
    const auto found = all<T>().find(name);
    return found == all<T>().end() ? nullptr : found->second;
  }
  template <class T>
  void alter(const std::string& name, const std::function<void(T&)>& change) {
    auto copy = clone(*all<T>().at(name));
    change(copy);
    store(std::move(copy));
  }
  template <class T>
  api::ObjectPtr<T> store(T object);
  template <class T>
  void drop(const std::string& name);

  template <class T>
  Result<api::ObjectPtr<T>> carry_out(const resource_claim::Get<T>& get) const;
  template <class T>
  Result<api::ObjectPtr<T>> carry_out(const resource_claim::ApplyNames<T>& apply);
  Result<ClaimPtr> carry_out(const resource_claim::CreateClaim& create);
  Result<ClaimPtr> carry_out(const resource_claim::Reserve& step);
  Result<ClaimPtr> carry_out(const resource_claim::Release& step);
  Result<ClaimPtr> carry_out(const resource_claim::RemoveFinalizer& step);
  Result<> carry_out(const resource_claim::DeleteClaim& step);
  Result<ClaimPtr> find_for_write(const api::ResourceClaim& known) const;

  std::tuple<Objects<api::Pod>, Objects<api::ResourceClaim>, Objects<api::ResourceClaimTemplate>,
             Objects<api::PodGroup>>
      objects_;
  std::uint64_t version_ = 100;
  int made_ = 0;
};

}  // namespace dcm::test
