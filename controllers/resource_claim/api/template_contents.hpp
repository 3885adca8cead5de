// The contents of templates. A template that is too large for the cache is read when a claim is
// created from it; a budget of bytes limits how many such claims are created concurrently. A
// namespace gets half of it, so that claims that a slow webhook delays do not delay those of
// others.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "client/request/typed.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/resource_claim/rules/decide_generated_claims.hpp"
#include "runtime/slots.hpp"
#include "runtime/task.hpp"

namespace dcm::resource_claim {

// Loop thread only. Its arguments must outlive it, and it must outlive its loans.
class TemplateContents {
 public:
  using TemplatePtr = api::ObjectPtr<api::ResourceClaimTemplate>;
  TemplateContents(client::RestClient& rest, const api::Resource& templates,
                   runtime::TimeSource& time, api::Format format = api::Format::json);

  // Bytes of the namespace's share and of the whole budget.
  struct Turn {
    std::shared_ptr<runtime::Slots> share;
    runtime::Slots::Slot of_share;
    runtime::Slots::Slot of_all;
  };
  struct Loan {
    TemplatePtr claim_template;  // with its content
    std::optional<Turn> turn;    // kept while the claim's body is in memory
  };
  // Returns `known` itself, or the current template of that name. First come, first served. Errors:
  // request_too_large if no API server would accept the claim (nothing was sent);
  // too_many_requests if the budget was in use for too long; or an error of TypedClient::get.
  runtime::Task<runtime::Result<Loan>> borrow(TemplatePtr known, client::CallOptions options);

 private:
  runtime::Task<runtime::Result<Turn>> take_turn(api::InternedString namespace_, std::size_t bytes);
  std::shared_ptr<runtime::Slots> share_of(const api::InternedString& namespace_);

  std::unique_ptr<api::Decoder<api::ResourceClaimTemplate>> decoder_;
  client::TypedClient<api::ResourceClaimTemplate> templates_;
  runtime::TimeSource& time_;
  runtime::Slots bytes_;
  std::map<api::InternedString, std::weak_ptr<runtime::Slots>> shares_;  // by namespace
};

}  // namespace dcm::resource_claim
