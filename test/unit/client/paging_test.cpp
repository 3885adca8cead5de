#include "client/request/paging.hpp"

#include <gtest/gtest.h>

namespace dcm::client {
namespace {

using runtime::Result;

// Reads until the list ends or is given up; `is_too_large(limit)` is called for each page, which
// the server fills with at most `most` objects.
template <class IsTooLarge>
std::size_t requests_until_the_end(std::size_t objects, const IsTooLarge& is_too_large,
                                   std::size_t most = Paging::kUsualLimit) {
  Paging page;
  std::size_t read = 0;
  for (std::size_t requests = 1;; ++requests) {
    if (is_too_large(read, page.limit)) {
      page = *smaller_page(page);
      continue;
    }
    const std::size_t here = std::min({page.limit, most, objects - read});
    read += here;
    if (read == objects) return requests;
    Result<Paging> next = next_page(page, here, "token " + std::to_string(requests));
    EXPECT_TRUE(next) << "after " << read;
    if (!next) return requests;
    page = *next;
  }
}

TEST(Paging, reads_full_pages_to_the_end) {
  EXPECT_EQ(requests_until_the_end(1'250, [](auto, auto) { return false; }), 3U);
}

TEST(Paging, accepts_smaller_pages_than_requested) {
  EXPECT_EQ(requests_until_the_end(20'000, [](auto, auto) { return false; }, 100), 200U);
  EXPECT_EQ(requests_until_the_end(300, [](auto, auto) { return false; }, 1), 300U);
}

TEST(Paging, shrinks_pages_after_large_objects) {
  // Objects 1,000 to 1,033 fit into a page only by themselves.
  const auto is_too_large = [](std::size_t from, std::size_t limit) {
    return limit > 1 && from + limit > 1'000 && from < 1'034;
  };
  EXPECT_LT(requests_until_the_end(20'000, is_too_large), 200U);
}

TEST(Paging, shrinks_to_one_object_at_least) {
  EXPECT_EQ(smaller_page({.limit = 3})->limit, 1U);
  EXPECT_FALSE(smaller_page({.limit = 1}));
}

TEST(Paging, reads_larger_pages_after_expiry_of_token) {
  Paging page = first_of_larger_pages({.continue_token = "expired", .objects = 3});
  EXPECT_EQ(page.limit, 2'000U);
  EXPECT_EQ(page.continue_token, "");
  EXPECT_EQ(page.objects, 0U);
  page = *smaller_page(page);
  for (int i = 0; i < 50; ++i) page = *next_page(page, 1, std::to_string(i));
  EXPECT_EQ(page.limit, 2'000U) << "as soon as objects are small again";
  for (int i = 0; i < 5; ++i) page = first_of_larger_pages(page);
  EXPECT_EQ(page.limit, 8'000U);
}

std::size_t pages_until_given_up(std::size_t objects_per_page) {
  Paging page;
  for (std::size_t pages = 1; pages < 1'000'000; ++pages) {
    const Result<Paging> next = next_page(page, objects_per_page, std::to_string(pages));
    if (!next) return pages;
    page = *next;
  }
  return 0;
}

TEST(Paging, detects_endless_continue_tokens) {
  EXPECT_EQ(pages_until_given_up(0), 100U);
  EXPECT_EQ(pages_until_given_up(1), 20'000U);
  EXPECT_EQ(pages_until_given_up(1), 20'000U);
}

TEST(Paging, detects_more_than_a_million_objects) {
  EXPECT_EQ(pages_until_given_up(Paging::kUsualLimit), 1'000'000U / Paging::kUsualLimit + 1);
  EXPECT_FALSE(next_page({.limit = 1}, 1'000'001, "a")) << "a server that ignores the limit";
}

TEST(Paging, detects_token_of_same_page_at_once) {
  EXPECT_FALSE(next_page({.continue_token = "a"}, 500, "a"));
}

}  // namespace
}  // namespace dcm::client
