// The controller's requests as HTTP calls: each body from client/api/encode.hpp, each answer
// decoded.
#pragma once

#include <optional>

#include "client/request/typed.hpp"
#include "controllers/resource_claim/api/api.hpp"
#include "controllers/resource_claim/api/template_contents.hpp"

namespace dcm::resource_claim {

// The clients' RestClient and decoders, and `templates`, must outlive it. The decoder of `pods` has
// to keep all pods (api::PodSelection::all): a reservation may name one without claims.
class ApiClient final : public ClaimApi {
 public:
  ApiClient(client::TypedClient<api::Pod> pods, client::TypedClient<api::ResourceClaim> claims,
            TemplateContents& templates)
      : pods_(std::move(pods)), claims_(std::move(claims)), templates_(templates) {}

  // From now on groups are served. The client's decoder must outlive it.
  void use_groups(client::TypedClient<api::PodGroup> groups) { groups_.emplace(std::move(groups)); }

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
  client::TypedClient<api::Pod> pods_;
  client::TypedClient<api::ResourceClaim> claims_;
  TemplateContents& templates_;
  std::optional<client::TypedClient<api::PodGroup>> groups_;  // nothing: not served (yet)
};

}  // namespace dcm::resource_claim
