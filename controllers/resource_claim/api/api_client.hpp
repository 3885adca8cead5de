// The controller's requests as HTTP calls: each body from controllers/api/encode_claim.hpp, each
// answer decoded.
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

  // Call it once groups are served. The client's decoder must outlive it.
  void use_groups(client::TypedClient<api::PodGroup> groups) { groups_.emplace(std::move(groups)); }

  Task<Result<PodPtr>> send(PodRequest request, Priority priority) override;
  Task<Result<GroupPtr>> send(GroupRequest request, Priority priority) override;
  Task<Result<ClaimPtr>> send(ClaimRequest request, Priority priority) override;
  Task<Result<>> send(DeleteClaim request, Priority priority) override;

 private:
  using DecodedClaim = Result<api::Decoded<api::ResourceClaim>>;
  Task<DecodedClaim> create(CreateClaim claim, client::CallOptions options);
  Task<DecodedClaim> patch(const ClaimPtr& claim, std::string subresource, std::string body,
                           client::CallOptions options);

  client::TypedClient<api::Pod> pods_;
  client::TypedClient<api::ResourceClaim> claims_;
  TemplateContents& templates_;
  std::optional<client::TypedClient<api::PodGroup>> groups_;  // nullopt: not served (yet)
};

}  // namespace dcm::resource_claim
