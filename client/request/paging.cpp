#include "client/request/paging.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace dcm::client {
namespace {

using runtime::fail;
using runtime::Reason;

// Six times the pods of the largest clusters that Kubernetes is tested with.
constexpr std::size_t kObjectsMax = 1'000'000;
constexpr std::size_t kPagesMax = 20'000;
// A server may return fewer objects than requested, so a short page is progress.
constexpr std::size_t kEmptyPagesMax = 100;
// After this many pages without a large one the limit doubles.
constexpr std::size_t kCalmPages = 8;
constexpr std::size_t kShrink = 4;
constexpr std::size_t kGrow = 4;
constexpr std::size_t kLimitMax = 8'000;

}  // namespace

runtime::Result<Paging> next_page(Paging page, std::size_t objects, std::string continue_token) {
  if (continue_token == page.continue_token) {
    return fail(Reason::malformed,
                "the list repeats: the server sent the same continue token again");
  }
  page.objects += objects;
  if (page.objects > kObjectsMax) {
    return fail(Reason::malformed, "the list has more than a million objects");
  }
  page.empty_pages += objects == 0 ? 1 : 0;
  if (++page.pages >= kPagesMax || page.empty_pages >= kEmptyPagesMax) {
    return fail(Reason::malformed, "the list does not end: too many pages");
  }
  if (++page.calm_pages % kCalmPages == 0) page.limit = std::min(page.limit * 2, page.limit_max);
  page.continue_token = std::move(continue_token);
  return page;
}

runtime::Error list_too_large(std::size_t bytes_max) {
  return {Reason::body_too_large, fmt::format("the list has more than {} MiB", bytes_max >> 20)};
}

Paging first_of_larger_pages(const Paging& expired) {
  const std::size_t limit = std::min(expired.limit_max * kGrow, kLimitMax);
  return {.limit = limit, .limit_max = limit};
}

std::optional<Paging> smaller_page(Paging page) {
  if (page.limit <= 1) return std::nullopt;
  page.limit = std::max<std::size_t>(1, page.limit / kShrink);
  page.calm_pages = 0;
  return page;
}

}  // namespace dcm::client
