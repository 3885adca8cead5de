#include "playground/scheduler/claim_writer.hpp"

#include <algorithm>

#include "client/api/encode.hpp"
#include "controllers/common/pod_claims.hpp"
#include "playground/scheduler/bodies.hpp"

namespace dcm::playground {
namespace {

using namespace std::chrono_literals;

// Between checks of a claim whose last write has an unknown outcome.
constexpr Duration kLookAgainInterval = 1s;

bool has_same_allocation(const Claim& a, const Claim& b) {
  const auto id_of = [](const allocation::DeviceResult& result) { return result.id; };
  return a.meta.uid == b.meta.uid && a.is_allocated && b.is_allocated &&
         std::ranges::equal(a.allocation->devices, b.allocation->devices, {}, id_of, id_of);
}

}  // namespace

Task<Result<ClaimPtr>> ClaimWriter::protect(ClaimPtr claim) {
  if (claim->has_delete_protection) co_return claim;
  const Result<http::Response> answer = co_await api_.strategic_merge_patch(
      claims(), claim->meta.key, {}, encode_add_protection(*claim));
  co_return record(caches_.claims, answer);
}

Task<Result<>> ClaimWriter::allocate(const Pod& pod, const ClaimStep& step) {
  const Result<ClaimPtr> claim = co_await protect(step.claim);
  if (!claim) co_return runtime::fail(claim.error());
  allocation::AllocationResult allocation = *step.allocation;
  allocation.time = time_.wall_now();
  const Result<http::Response> answer = co_await api_.strategic_merge_patch(
      claims(), (*claim)->meta.key, "status", encode_allocation(**claim, allocation, pod));
  const auto written = record(caches_.claims, answer);
  if (written) co_return Result<>();
  co_await look_again((*claim)->meta.key);
  co_return runtime::fail(written.error());
}

// Others reserve the same claim: that is no reason to choose another node.
Task<Result<>> ClaimWriter::reserve(const Pod& pod, const ClaimStep& step) {
  ClaimPtr claim = step.claim;
  while (true) {
    const Result<http::Response> answer = co_await api_.strategic_merge_patch(
        claims(), claim->meta.key, "status", encode_reservation(*claim, pod));
    const auto written = record(caches_.claims, answer);
    if (written) co_return Result<>();
    if (!runtime::is_conflict(written.error())) co_return runtime::fail(written.error());
    const Result<http::Response> newest = co_await api_.get(claims(), claim->meta.key);
    const auto seen = record(caches_.claims, newest);
    if (!seen || !has_same_allocation(**seen, *step.claim)) {
      co_return runtime::fail(written.error());
    }
    claim = *seen;
  }
}

Task<Result<ClaimPtr>> ClaimWriter::make_extended(const Pod& pod,
                                                  const allocation::ExtendedClaim& claim) {
  const Result<http::Response> answer = co_await api_.create(
      claims(), {pod.meta.key.namespace_, {}}, {}, encode_extended_claim(pod, claim.spec));
  co_return record(caches_.claims, answer);
}

Task<Result<>> ClaimWriter::note_extended(const Pod& pod, const Claim& claim,
                                          std::span<const allocation::RequestMapping> mappings) {
  const Result<http::Response> answer = co_await api_.strategic_merge_patch(
      pods(), pod.meta.key, "status", encode_extended_status(pod, claim.meta.key.name, mappings));
  const auto written = record(caches_.pods, answer);
  co_return written ? Result<>() : runtime::fail(written.error());
}

// After a failed allocation: it may have been written, and then its devices must stay reserved
// until the cache shows that they are in use.
Task<> ClaimWriter::look_again(api::NamespacedName claim) {
  while (true) {
    const Result<http::Response> answer = co_await api_.get(claims(), claim);
    const auto seen = record(caches_.claims, answer);
    if (seen || runtime::is_not_found(seen.error())) co_return;
    co_await runtime::sleep_for(time_, kLookAgainInterval);
  }
}

Task<> ClaimWriter::unreserve(const Pod& pod, const std::vector<ClaimPtr>& of_pod) {
  for (const ClaimPtr& before : of_pod) {
    const ClaimPtr claim = caches_.claims.get(before->meta.key);
    if (!claim || !common::is_reserved_for(*claim, pod)) continue;
    const Result<http::Response> answer = co_await api_.strategic_merge_patch(
        claims(), claim->meta.key, "status", encode_unreserve(*claim, pod));
    // If it cannot be undone now, the next attempt uses the claim as it is.
    [[maybe_unused]] const auto seen = record(caches_.claims, answer);
  }
}

Task<Result<>> ClaimWriter::deallocate(const Claim& claim) {
  const Result<http::Response> answer = co_await api_.strategic_merge_patch(
      claims(), claim.meta.key, "status", encode_deallocation(claim));
  const auto written = record(caches_.claims, answer);
  co_return written ? Result<>() : runtime::fail(written.error());
}

Task<Result<>> ClaimWriter::remove_extended(const Claim& claim) {
  if (claim.has_delete_protection) {
    const Result<http::Response> answer =
        co_await api_.merge_patch(claims(), claim.meta.key, encode_remove_protection(claim));
    const auto written = record(caches_.claims, answer);
    if (!written) co_return runtime::fail(written.error());
  }
  const Result<http::Response> answer =
      co_await api_.remove(claims(), claim.meta.key, api::encode_delete_options(claim.meta.uid));
  co_return answer ? Result<>() : runtime::fail(answer.error());
}

}  // namespace dcm::playground
