#include "controllers/resource_claim/api/template_contents.hpp"

#include <chrono>
#include <utility>

#include <fmt/format.h>

namespace dcm::resource_claim {
namespace {

using runtime::Deadline;
using runtime::fail;
using runtime::Reason;
using runtime::Result;
using runtime::Task;

// Memory for contents that are not cached: enough for a few of the largest. Each content exists
// twice: in the body of an answer, and in that of a request.
constexpr std::size_t kBytesInFlightMax = std::size_t{8} * 1024 * 1024;
// The share of a namespace: more than the largest request.
constexpr std::size_t kBytesOfNamespaceMax = kBytesInFlightMax / 2;
constexpr auto kPatience = std::chrono::seconds(30);

// API servers reject requests above 3 MiB (apiserver's MaxRequestBodyBytes, which has no flag) with
// a 413. Such a claim is not even built.
constexpr std::size_t kRequestBytesMax = std::size_t{3} * 1024 * 1024;

}  // namespace

TemplateContents::TemplateContents(client::RestClient& rest, const api::Resource& templates,
                                   runtime::TimeSource& time, api::Format format)
    : decoder_(api::make_template_decoder(format, templates.version, api::TemplateContent::all)),
      templates_(rest, templates, *decoder_),
      time_(time),
      bytes_(time, kBytesInFlightMax) {}

Task<Result<TemplateContents::Loan>> TemplateContents::borrow(TemplatePtr known,
                                                              client::CallOptions options) {
  if (known->content == api::ResourceClaimTemplate::Content::kept) {
    co_return Loan{std::move(known), std::nullopt};
  }
  if (known->content_bytes > kRequestBytesMax) {
    co_return fail(Reason::request_too_large,
                   fmt::format("the claim would have {} bytes, and no API server takes more than "
                               "{}",
                               known->content_bytes, kRequestBytesMax));
  }
  std::optional<Turn> turn;
  // Small ones need none: there are no more of them than workers.
  if (known->content_bytes > api::kTemplateBytesKept) {
    auto acquired = co_await take_turn(known->meta.key.namespace_, known->content_bytes);
    if (!acquired) {
      co_return fail(Reason::too_many_requests,
                     "other claims of large templates were still being made at the deadline");
    }
    turn = std::move(*acquired);
  }
  auto read = co_await templates_.get(known->meta.key, options);
  if (!read) co_return fail(std::move(read.error()));
  co_return Loan{std::move(read->object), std::move(turn)};
}

Task<Result<TemplateContents::Turn>> TemplateContents::take_turn(api::InternedString namespace_,
                                                                 std::size_t bytes) {
  const Deadline deadline = Deadline::after(time_, kPatience);
  std::shared_ptr<runtime::Slots> share = share_of(namespace_);
  auto of_share = co_await share->acquire(deadline, bytes);
  if (!of_share) co_return fail(std::move(of_share.error()));
  auto of_all = co_await bytes_.acquire(deadline, bytes);
  if (!of_all) co_return fail(std::move(of_all.error()));
  co_return Turn{std::move(share), *std::move(of_share), *std::move(of_all)};
}

std::shared_ptr<runtime::Slots> TemplateContents::share_of(const api::InternedString& namespace_) {
  std::erase_if(shares_, [](const auto& entry) { return entry.second.expired(); });
  auto& known = shares_[namespace_];
  std::shared_ptr<runtime::Slots> share = known.lock();
  if (share == nullptr) {
    share = std::make_shared<runtime::Slots>(time_, kBytesOfNamespaceMax);
    known = share;
  }
  return share;
}

}  // namespace dcm::resource_claim
