// The API of a dry run: look-ups are asked, writes are noted down and waited for in the caches.
#pragma once

#include <array>
#include <functional>
#include <optional>

#include "controllers/common/expectations.hpp"
#include "controllers/common/shadow_events.hpp"
#include "controllers/resource_claim/api/api.hpp"
#include "controllers/resource_claim/stores.hpp"

namespace dcm::resource_claim {

// The controller is told that what it wrote to is gone: it lets go of it, and is brought back by
// the next change of it. So a write is decided once, not again and again while somebody else does
// it, and its caches never hold what no server has.
class ShadowApi final : public ClaimApi {
 public:
  static constexpr common::WriteKind kCreate{"create", "resourceclaims"};
  static constexpr common::WriteKind kWriteNames{"patch", "pods/status"};
  static constexpr common::WriteKind kWriteGroupNames{"patch", "podgroups/status"};
  static constexpr common::WriteKind kPatchStatus{"patch", "resourceclaims/status"};
  static constexpr common::WriteKind kPatch{"patch", "resourceclaims"};
  static constexpr common::WriteKind kDelete{"delete", "resourceclaims"};
  // All kinds of writes, for its expectations and those of its controller's ShadowEvents.
  static constexpr std::array kWrites{kCreate,
                                      kWriteNames,
                                      kWriteGroupNames,
                                      kPatchStatus,
                                      kPatch,
                                      kDelete,
                                      common::ShadowEvents::kWrite};

  // `lookups` is asked for what only reads. Both references must outlive it, and it must outlive
  // the run of `expectations`.
  ShadowApi(ClaimApi& lookups, Stores stores, common::Expectations& expectations);

  Task<Result<PodPtr>> get_pod(api::NamespacedName pod, Priority priority) override;
  Task<Result<GroupPtr>> get_group(api::NamespacedName group, Priority priority) override;
  Task<Result<ClaimPtr>> get_claim(api::NamespacedName claim, Priority priority) override;

  Task<Result<ClaimPtr>> create_claim(InternedString namespace_, CreateClaim claim,
                                      Priority priority) override;
  Task<Result<PodPtr>> write_names(PodPtr pod, std::vector<ClaimName> names,
                                   Priority priority) override;
  Task<Result<GroupPtr>> write_group_names(GroupPtr group, std::vector<ClaimName> names,
                                           Priority priority) override;
  Task<Result<ClaimPtr>> reserve(ClaimPtr claim, api::ConsumerReference consumer,
                                 Priority priority) override;
  Task<Result<ClaimPtr>> release(ClaimPtr claim, Release what, Priority priority) override;
  Task<Result<ClaimPtr>> remove_finalizer(ClaimPtr claim, Priority priority) override;
  Task<Result<>> delete_claim(ClaimPtr claim, Priority priority) override;

 private:
  // The pod or group that a claim is made for, in its current state. Null: it is gone, or another
  // object has its name.
  struct User {
    const api::ClaimUser* now = nullptr;
    const char* word = "pod";
    bool may_get_claims = false;
    PodPtr pod = nullptr;
    GroupPtr group = nullptr;
  };
  using FindUser = std::function<User()>;
  User find_pod(const api::NamespacedName& key, const api::Uid& uid) const;
  User find_group(const api::NamespacedName& key, const api::Uid& uid) const;
  ClaimPtr find_same(const ClaimPtr& claim) const;

  // How far the cluster is without the write.
  void expect_names(const common::WriteKind& kind, const api::ObjectMeta& meta,
                    const std::vector<ClaimName>& names, FindUser find);
  common::Standing standing_of_create(const User& owner, const CreateClaim& claim) const;
  common::Standing standing_of_reservation(const ClaimPtr& claim,
                                           const api::ConsumerReference& consumer) const;
  common::Standing standing_of_release(const ClaimPtr& claim, const Release& what) const;

  ClaimApi& lookups_;
  Stores stores_;
  common::Expectations& expectations_;
};

}  // namespace dcm::resource_claim
