// An API server as far as the resource claim controller needs one, in memory, with faults on
// demand. It keeps the rules that the controller relies on: UIDs and resourceVersions are checked,
// a claim with a finalizer stays until it is gone, what does not change makes no event.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "controllers/resource_claim/api/api.hpp"
#include "runtime/time.hpp"

namespace dcm::test {

std::shared_ptr<api::Pod> clone(const api::Pod& pod);
std::shared_ptr<api::ResourceClaim> clone(const api::ResourceClaim& claim);

// The fault of one call.
struct Fault {
  enum class Kind : std::uint8_t {
    none,
    refused,  // answered with `error`, and nothing is done
    lost,     // carried out, but `error` is what the caller hears
  };
  Kind kind = Kind::none;
  runtime::Error error = {runtime::Reason::internal_error, "injected"};
};

class FakeClaimApi final : public resource_claim::ClaimApi {
 public:
  using PodPtr = resource_claim::PodPtr;
  using ClaimPtr = resource_claim::ClaimPtr;
  using TemplatePtr = resource_claim::TemplatePtr;
  using GroupPtr = resource_claim::GroupPtr;
  using Priority = workqueue::Priority;
  template <class T>
  using Result = runtime::Result<T>;
  template <class T>
  using Task = runtime::Task<T>;
  using Change =
      std::variant<api::ChangeEvent<api::Pod>, api::ChangeEvent<api::ResourceClaim>,
                   api::ChangeEvent<api::ResourceClaimTemplate>, api::ChangeEvent<api::PodGroup>>;

  // `time` must outlive it. Each call takes a millisecond.
  explicit FakeClaimApi(runtime::TimeSource& time) : time_(time) {}

  // The acts of users, the scheduler and kubelets. Writes give the object a new resourceVersion.
  void put(const PodPtr& pod);
  void put(const ClaimPtr& claim);
  void put(const TemplatePtr& claim_template);
  void put(const GroupPtr& group);
  void remove_pod(const std::string& name);
  void remove_group(const std::string& name);
  void remove_claim(const std::string& name);
  void change_pod(const std::string& name, const std::function<void(api::Pod&)>& change);
  void change_claim(const std::string& name,
                    const std::function<void(api::ResourceClaim&)>& change);

  // The current object. Null: none.
  PodPtr pod(const std::string& name) const;
  ClaimPtr claim(const std::string& name) const;
  GroupPtr group(const std::string& name) const;
  const std::map<std::string, PodPtr>& pods() const { return pods_; }
  const std::map<std::string, ClaimPtr>& claims() const { return claims_; }
  const std::map<std::string, TemplatePtr>& templates() const { return templates_; }
  const std::map<std::string, GroupPtr>& groups() const { return groups_; }
  api::ResourceVersion version() const { return api::ResourceVersion(std::to_string(version_)); }

  // The watch of all kinds.
  std::function<void(const Change&)> on_change = [](const Change&) {};
  // Asked at each call, with its number (from 0) and text.
  std::function<Fault(std::size_t, const std::string&)> fault =
      [](std::size_t, const std::string&) { return Fault{}; };
  // Every call so far: "create trainer-gpus- for gpus", "release x p-uid, deallocate".
  std::vector<std::string> calls;
  std::vector<Priority> priorities;  // of each call
  // The duration of a call, and the most calls that were out at the same time.
  runtime::Duration latency = std::chrono::milliseconds(1);
  std::size_t in_flight_max = 0;

  Task<Result<PodPtr>> get_pod(api::NamespacedName pod, Priority priority) override;
  Task<Result<GroupPtr>> get_group(api::NamespacedName group, Priority priority) override;
  Task<Result<ClaimPtr>> get_claim(api::NamespacedName claim, Priority priority) override;
  Task<Result<ClaimPtr>> create_claim(api::InternedString namespace_,
                                      resource_claim::CreateClaim claim,
                                      Priority priority) override;
  Task<Result<PodPtr>> write_names(PodPtr pod, std::vector<resource_claim::ClaimName> names,
                                   Priority priority) override;
  Task<Result<GroupPtr>> write_group_names(GroupPtr group,
                                           std::vector<resource_claim::ClaimName> names,
                                           Priority priority) override;
  Task<Result<ClaimPtr>> reserve(ClaimPtr claim, api::ConsumerReference consumer,
                                 Priority priority) override;
  Task<Result<ClaimPtr>> release(ClaimPtr claim, resource_claim::Release what,
                                 Priority priority) override;
  Task<Result<ClaimPtr>> remove_finalizer(ClaimPtr claim, Priority priority) override;
  Task<Result<void>> delete_claim(ClaimPtr claim, Priority priority) override;

 private:
  struct InFlight;
  template <class T>
  Task<Result<T>> call(std::string text, Priority priority, std::function<Result<T>()> carry_out);

  Result<ClaimPtr> find_for_write(const api::ResourceClaim& known) const;
  ClaimPtr store(std::shared_ptr<api::ResourceClaim> claim);
  PodPtr store(std::shared_ptr<api::Pod> pod);
  GroupPtr store(std::shared_ptr<api::PodGroup> group);
  void drop_claim(const std::string& name);
  Result<ClaimPtr> make(const resource_claim::CreateClaim& claim);
  template <class Ptr>
  Result<Ptr> apply_names(const std::map<std::string, Ptr>& all, const Ptr& known,
                          const std::vector<resource_claim::ClaimName>& names);
  Result<ClaimPtr> apply_reservation(const ClaimPtr& claim, const api::ConsumerReference& consumer);
  Result<ClaimPtr> apply_release(const ClaimPtr& claim, const resource_claim::Release& what);
  Result<ClaimPtr> apply_unprotect(const ClaimPtr& claim);
  Result<void> apply_delete(const ClaimPtr& claim);

  runtime::TimeSource& time_;
  std::map<std::string, PodPtr> pods_;
  std::map<std::string, ClaimPtr> claims_;
  std::map<std::string, TemplatePtr> templates_;
  std::map<std::string, GroupPtr> groups_;
  std::uint64_t version_ = 100;
  int made_ = 0;
  std::size_t in_flight_ = 0;
};

}  // namespace dcm::test
