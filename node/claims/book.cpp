#include "node/claims/book.hpp"

namespace dcm::node {

Book make_book(std::vector<Entry> entries) {
  Book book;
  for (Entry& entry : entries) {
    const api::NamespacedName key = key_of(entry);
    book[key] = Held{.entry = std::move(entry)};
  }
  return book;
}

std::vector<Entry> entries_of(const Book& book) {
  std::vector<Entry> entries;
  entries.reserve(book.size());
  for (const auto& [key, held] : book) entries.push_back(held.entry);
  return entries;
}

std::set<api::NamespacedName> claims_of_pod(const Book& book, const std::string& pod_uid) {
  std::set<api::NamespacedName> keys;
  for (const auto& [key, held] : book) {
    if (held.entry.pod_uids.contains(pod_uid)) keys.insert(key);
  }
  return keys;
}

}  // namespace dcm::node
