// The API of a dry run: look-ups are sent, writes are recorded and expected in the caches.
#pragma once

#include <array>
#include <functional>

#include "controllers/common/expectations.hpp"
#include "controllers/resource_claim/api/api.hpp"
#include "controllers/resource_claim/stores.hpp"

namespace dcm::resource_claim {

// The shadow reports the object as gone: the controller drops it until its next change. Each write
// is decided once, even while another manager works on it, and the caches never hold objects that
// no server has.
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

  // `lookups` handles reads. Both references must outlive it, and it must outlive the run of
  // `expectations`.
  ShadowApi(ClaimApi& lookups, Stores stores, common::FeatureGates gates,
            common::Expectations& expectations);

  Task<Result<PodPtr>> send(PodRequest request, Priority priority) override;
  Task<Result<GroupPtr>> send(GroupRequest request, Priority priority) override;
  Task<Result<ClaimPtr>> send(ClaimRequest request, Priority priority) override;
  Task<Result<>> send(DeleteClaim request, Priority priority) override;

 private:
  // The pod or group that a claim is created for, in its current state. Null: it is gone, or was
  // replaced under its name.
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

  // Records a write, with the state of the cluster without it.
  void expect(const CreateClaim& claim);
  void expect(const Reserve& step);
  void expect(const Release& step);
  void expect(const RemoveFinalizer& step);
  void expect_names(const common::WriteKind& kind, const api::ObjectMeta& meta,
                    const std::vector<ClaimName>& names, FindUser find);
  common::Standing standing_of_create(const User& owner, const CreateClaim& claim) const;
  common::Standing standing_of_reservation(const Reserve& step) const;
  common::Standing standing_of_release(const Release& step) const;

  ClaimApi& lookups_;
  Stores stores_;
  common::FeatureGates gates_;
  common::Expectations& expectations_;
};

}  // namespace dcm::resource_claim
