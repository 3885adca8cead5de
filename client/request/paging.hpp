// How a list is read in pages: the next request, whatever the server answers. Pure.
//
// A page that is too large is requested again with a smaller limit, down to 1: users decide how
// large their objects are. And every list ends: a server that keeps sending continue tokens, or
// sends more than a million objects, gets an error.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "runtime/error.hpp"

namespace dcm::client {

// How far the list is read, and the limit and token of the ListOptions for the page to read.
struct Paging {
  static constexpr std::size_t kUsualLimit = 500;

  std::size_t limit = kUsualLimit;
  std::size_t limit_max = kUsualLimit;  // the limit after large objects grows back to this
  std::string continue_token = {};      // empty: the first
  std::size_t pages = 0;                // pages before this one
  std::size_t empty_pages = 0;          // how many of these were empty
  std::size_t objects = 0;              // objects in those pages
  std::size_t calm_pages = 0;           // pages since one was too large
};

// The page after one with `objects` objects, given its `continue_token`. Errors: malformed: the
// list does not end.
runtime::Result<Paging> next_page(Paging page, std::size_t objects, std::string continue_token);

// The error of a list whose pages have more bytes together than the caller takes.
runtime::Error list_too_large(std::size_t bytes_max);

// The first page of the same list after its continue token has expired: with larger pages, so that
// the list takes less time.
Paging first_of_larger_pages(const Paging& expired);

// The same page with a smaller limit; nullopt if it cannot be smaller.
std::optional<Paging> smaller_page(Paging page);

}  // namespace dcm::client
